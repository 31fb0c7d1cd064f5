"""`service-nb key trust|distrust|trusted`: whose signatures make a card *Verified* for you."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service_nb.cards.format import count
from service_nb.cli.actions import add_action
from service_nb.cli.console import DONE, FAILED, print_json
from service_nb.errors import InvalidIntentError

if TYPE_CHECKING:
    from service_nb.client.trusted_keys import TrustedKey

_ASK = "Does each fingerprint equal the one that its owner told you, by another way than this file? [y/N] "


def register(actions: Any) -> None:
    """Add the actions of `key` that speak of trusted keys, and their options."""
    trust = add_action(
        actions, "trust", _trust, "Trust a public key, those of a file, or those that signed a notebook."
    )
    trust.add_argument(
        "what", metavar="KEY|FILE", help="base64 of a key; a file of keys (trusted-keys); a .ipynb or card"
    )
    trust.add_argument("--name", metavar="NAME", default="", help="whose key it is; for you, and shown with verdicts")
    trust.add_argument("--yes", action="store_true", help="do not ask whether the fingerprints were compared")
    distrust = add_action(actions, "distrust", _distrust, "Trust a key no longer.")
    distrust.add_argument("ids", metavar="KEY", nargs="+", help="the key's id, its name, or its base64")
    add_action(actions, "trusted", _trusted, "List the keys that you trust, with their fingerprints.")


def _trust(arguments: argparse.Namespace) -> int:
    from service_nb.client.trusted_keys import TrustedKey, trust  # noqa: PLC0415  # lazy: loads cryptography

    keys = _keys(arguments.what)
    if arguments.name:
        keys = [TrustedKey(each.key, arguments.name) for each in keys]
    if not arguments.json:
        _print(keys)
    # A key that was typed was taken from somewhere; those of a file are what the file says.
    is_file = [each.key for each in keys] != [arguments.what]
    if is_file and not arguments.yes and not _is_confirmed():
        print("Nothing was changed.")
        return FAILED
    changed = trust(keys)
    if arguments.json:
        print_json({"status": "ok", "trusted": [_told(each) for each in changed]})
    else:
        print(f"{count(len(changed), 'key')} added." if changed else "Trusted already.")
    return DONE


def _distrust(arguments: argparse.Namespace) -> int:
    from service_nb.client.trusted_keys import distrust  # noqa: PLC0415

    gone = distrust(arguments.ids)
    if not gone:
        raise InvalidIntentError(
            f"You do not trust {arguments.ids[0][:60]!r}.",
            hint="`service-nb key trusted` lists the keys that you trust.",
        )
    if arguments.json:
        print_json({"status": "ok", "distrusted": [_told(each) for each in gone]})
    else:
        print(f"{count(len(gone), 'key')} removed: {', '.join(each.name or each.id for each in gone)}.")
    return DONE


def _trusted(arguments: argparse.Namespace) -> int:
    from service_nb.client.trusted_keys import trusted_keys  # noqa: PLC0415

    keys = trusted_keys()
    if arguments.json:
        print_json({"status": "ok", "trusted": [_told(each) for each in keys]})
    elif keys:
        _print(keys)
    else:
        print("You trust no key but your own. Add one: service-nb key trust KEY --name NAME")
    return DONE


def _keys(what: str) -> Sequence[TrustedKey]:
    """Return the keys that are named: one by itself, those of a file, or those whose signatures a document holds."""
    from service_nb.client.trusted_keys import read_keys  # noqa: PLC0415
    from service_nb.client.verifying import signers_of  # noqa: PLC0415

    if not what.endswith((".ipynb", ".json")):
        return read_keys(what)
    found = signers_of(Path(what).expanduser())
    if not found:
        raise InvalidIntentError(
            f"{Path(what).name} has no card with a signature that holds.",
            hint="Ask its author for the public key: `service-nb login --json` prints it.",
            path="FILE",
        )
    return found


def _is_confirmed() -> bool:
    if not sys.stdin.isatty():
        raise InvalidIntentError(
            "The fingerprints were not compared.",
            hint="Compare them with what the owner told you by another way, then repeat the line with --yes.",
            path="--yes",
        )
    return input(_ASK).strip().casefold() in ("y", "yes")


def _print(keys: Sequence[TrustedKey]) -> None:
    for each in keys:
        print(f"{each.name or 'no name'}\n  key         {each.key}\n  fingerprint {each.fingerprint}")


def _told(each: TrustedKey) -> dict[str, str]:
    return {"key": each.key, "name": each.name, "id": each.id, "fingerprint": each.fingerprint}
