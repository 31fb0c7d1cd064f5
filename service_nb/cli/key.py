"""Trust the public keys of authors; make keys to exercises, which hold only salted, slow hashes of the answers.

examples:
  service-nb key trust 3yq0hVd0W8bq1gV0oNnq2b8o0yqJ0gkZp4m3w5xE1uA= --name Ana
  service-nb key trust trusted-keys
  service-nb key trust report.ipynb --name Ana
  service-nb key trusted
  service-nb key distrust Ana
  service-nb key make mean=service_0fd3a1b2c4d5e6f7 median=service_1f2e3d4c5b6a7988 --output lesson.servicekey.json
  service-nb key make busiest=card.json --output lesson.servicekey.json
  service-nb key add lesson.servicekey.json median=service_99aabbccddeeff00
  service-nb key show lesson.servicekey.json

A key of `trust` is what `service-nb login --json` prints on its owner's machine. A file of keys has one a line and,
after `#`, a name; a project commits it as `trusted-keys` beside its notebooks. Of a notebook the keys are taken that
signed its cards: compare their fingerprints with what their owner tells you by another way.

An answer is the id of a result in the project's ledger (the card shows it), a file that holds a card, or a result_hash
of 64 hex digits. A name that comes again has another accepted answer. In a notebook: %service_check mean
"""

from __future__ import annotations

import argparse
import re
import secrets
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import service_nb
from service_nb.cards.format import write_count
from service_nb.cli.reading import RESULT_ID
from service_nb.cli.verb import FAILED, PROJECT, Option, Reply, Verb
from service_nb.client.user_keys import TrustedKey, read_keys, read_trusted_keys, revoke_trust, trust
from service_nb.client.verification import list_signers
from service_nb.core.canonical import parse_strict
from service_nb.core.own_files import write_own
from service_nb.core.words import describe_value
from service_nb.errors import EvidenceError, InvalidIntentError
from service_nb.evidence.answer_key import (
    KEY_BYTES,
    KEY_SUFFIX,
    SALT_BYTES,
    AnswerKey,
    add_answers,
    list_claims,
    normalise_exercise_name,
    parse_key,
    write_key,
)
from service_nb.evidence.documents import check_card
from service_nb.readers.source_files import read_bytes

CARD_BYTES = 1_000_000
_CONFIRM = "Does each fingerprint equal the one that its owner told you, by another way than this file? [y/N] "

_HASH = re.compile(r"[0-9a-f]{64}")


# --- trusted keys -----------------------------------------------------------------------------------------------------


def _trust_keys(arguments: argparse.Namespace) -> Reply:
    keys = _find_keys(arguments.what)
    if arguments.name:
        keys = [TrustedKey(each.key, arguments.name) for each in keys]
    if not arguments.json:
        print(_write_keys(keys))
    # A key that was typed was taken from somewhere; those of a file are what the file says.
    is_file = [each.key for each in keys] != [arguments.what]
    if is_file and not arguments.yes and not _confirm():
        return Reply(text="Nothing was changed.", code=FAILED)
    changed = trust(keys)
    text = f"{write_count(len(changed), 'key')} added." if changed else "Trusted already."
    return Reply({"status": "ok", "trusted": list(map(_describe_key, changed))}, text)


def _remove_trusted_keys(arguments: argparse.Namespace) -> Reply:
    gone = revoke_trust(arguments.ids)
    if not gone:
        raise InvalidIntentError(
            f"You do not trust {arguments.ids[0][:60]!r}.",
            hint="`service-nb key trusted` lists the keys that you trust.",
        )
    text = f"{write_count(len(gone), 'key')} removed: {', '.join(each.name or each.id for each in gone)}."
    return Reply({"status": "ok", "distrusted": list(map(_describe_key, gone))}, text)


def _list_trusted(_arguments: argparse.Namespace) -> Reply:
    keys = read_trusted_keys()
    text = _write_keys(keys) or "You trust no key but your own. Add one: service-nb key trust KEY --name NAME"
    return Reply({"status": "ok", "trusted": list(map(_describe_key, keys))}, text)


def _find_keys(what: str) -> Sequence[TrustedKey]:
    """Find the keys that an argument names: a key itself, those of a file, or the signers of a document."""
    if not what.endswith((".ipynb", ".json")):
        return read_keys(what)
    found = list_signers(Path(what).expanduser())
    if not found:
        raise InvalidIntentError(
            f"{Path(what).name} has no card with a signature that holds.",
            hint="Ask its author for the public key: `service-nb login --json` prints it.",
            path="FILE",
        )
    return found


def _confirm() -> bool:
    if not sys.stdin.isatty():
        raise InvalidIntentError(
            "The fingerprints were not compared.",
            hint="Compare them with what the owner told you by another way, then repeat the line with --yes.",
            path="--yes",
        )
    return input(_CONFIRM).strip().casefold() in ("y", "yes")


def _write_keys(keys: Sequence[TrustedKey]) -> str:
    parts = (f"{each.name or 'no name'}\n  key         {each.key}\n  fingerprint {each.fingerprint}" for each in keys)
    return "\n".join(parts)


def _describe_key(each: TrustedKey) -> dict[str, str]:
    return {"key": each.key, "name": each.name, "id": each.id, "fingerprint": each.fingerprint}


# --- answer keys ------------------------------------------------------------------------------------------------------


def _make_key(arguments: argparse.Namespace) -> Reply:
    output: Path = arguments.output
    if not output.name.endswith(KEY_SUFFIX):
        raise InvalidIntentError(
            f"--output is {describe_value(output.name)}.",
            hint=f"Use a name that ends in {KEY_SUFFIX}: %service_check looks for it.",
            met=output.name,
            expected=f"*{KEY_SUFFIX}",
        )
    if output.exists():
        raise _refuse_existing(output)
    key = _add_answers(AnswerKey(), arguments)
    if not write_own(output, write_key(key).encode()):
        raise _refuse_existing(output)
    return _reply_written(key, output)


def _refuse_existing(output: Path) -> InvalidIntentError:
    hint = f"Add to it with `service-nb key add {output.name} …`, or remove it."
    return InvalidIntentError(f"{output.name} already exists.", hint=hint, met=output.name)


def _extend_key(arguments: argparse.Namespace) -> Reply:
    key = _add_answers(_read_key(arguments.file), arguments)
    write_own(arguments.file, write_key(key).encode(), over=True)
    return _reply_written(key, arguments.file)


def _reply_written(key: AnswerKey, output: Path) -> Reply:
    output.chmod(0o644)  # it is there to be published
    text = (
        f"{output.name} has {write_count(len(key.names), 'exercise')}: {', '.join(key.names)}.\n"
        f"Publish it beside the notebook; there, %service_check {key.names[0]} checks it."
    )
    return Reply({"status": "ok", "file": output.name, "exercises": key.names}, text)


def _list_exercises(arguments: argparse.Namespace) -> Reply:
    key = _read_key(arguments.file)
    kdf = {"name": "argon2id", "memory_kib": key.cost.memory_kib, "iterations": key.cost.iterations}
    return Reply({"status": "ok", "exercises": key.names, "kdf": kdf}, "\n".join(key.names))


def _read_key(path: Path) -> AnswerKey:
    return parse_key(read_bytes(path, KEY_BYTES, "key_bytes")[0])


def _add_answers(key: AnswerKey, arguments: argparse.Namespace) -> AnswerKey:
    # All are read before the first is hashed, which is slow: a fault is reported at once.
    claims = [(name, _find_claim(answer, arguments.project)) for name, answer in _read_pairs(arguments.answers)]
    for name in dict.fromkeys(name for name, _ in claims):
        accepted = [claim for other, claim in claims if other == name]
        key = add_answers(key, name, accepted, secrets.token_bytes(SALT_BYTES))
    return key


def _read_pairs(texts: Sequence[str]) -> list[tuple[str, str]]:
    pairs = [(name, answer) for name, _, answer in (text.partition("=") for text in texts)]
    bad = next((text for text, (_, answer) in zip(texts, pairs, strict=True) if not answer), None)
    if bad is not None:
        raise InvalidIntentError(
            f"{describe_value(bad)} has no answer.",
            hint="Write NAME=ANSWER, without blanks.",
            met=bad,
            expected="NAME=ANSWER",
        )
    return [(normalise_exercise_name(name), answer) for name, answer in pairs]


def _find_claim(answer: str, project: Path | None) -> str:
    if _HASH.fullmatch(answer):
        return answer
    card = _find_stored(answer, project) if RESULT_ID.fullmatch(answer) else _read_card(Path(answer))
    return list_claims(card)[0]


def _read_card(path: Path) -> Mapping[str, object]:
    card: Mapping[str, object] = parse_strict(read_bytes(path, CARD_BYTES, "card_bytes")[0])
    verdict = check_card(card)
    if verdict.status == "altered":
        raise EvidenceError(
            f"{path.name} is not a card that verifies: {', '.join(verdict.causes)}.",
            reason=verdict.causes[0],
            hint="Run `service-nb verify` for details. Use a card as it was saved.",
        )
    return card


def _find_stored(result_id: str, project: Path | None) -> Mapping[str, object]:
    """Collect the parts of a stored result to compare: kind, digests and texts, also those its card left out."""
    with closing(service_nb.create_service(project=project)) as service:
        stored = service.get_result(result_id)
    return {"kind": stored.card["kind"], "digests": stored.card["digests"], "canonical": stored.texts}


_EXERCISE_FILE = Option("file FILE", f"a key file, *{KEY_SUFFIX}", type=Path)
_ANSWERS = Option("answers NAME=ANSWER", "a result's id, a card's file or a hash", nargs="+")
VERB = Verb(
    actions=(
        Verb(
            "trust",
            "Trust a public key, those of a file, or those that signed a notebook.",
            _trust_keys,
            (
                Option("what KEY|FILE", "base64 of a key; a file of keys (trusted-keys); a .ipynb or card"),
                Option("--name NAME", "whose key it is; for you, and shown with verdicts", default=""),
                Option("--yes", "do not ask whether the fingerprints were compared"),
            ),
        ),
        Verb(
            "distrust",
            "Trust a key no longer.",
            _remove_trusted_keys,
            (Option("ids KEY", "the key's id, its name, or its base64", nargs="+"),),
        ),
        Verb("trusted", "List the keys that you trust, with their fingerprints.", _list_trusted),
        Verb(
            "make",
            "Make a key file.",
            _make_key,
            (
                _ANSWERS,
                PROJECT,
                Option("--output --out FILE", f"what to write, *{KEY_SUFFIX}", type=Path, required=True),
            ),
        ),
        Verb(
            "add",
            "Add exercises, or further accepted answers, to a key file.",
            _extend_key,
            (_EXERCISE_FILE, _ANSWERS, PROJECT),
        ),
        Verb("show", "List the exercises of a key file.", _list_exercises, (_EXERCISE_FILE,)),
    )
)
