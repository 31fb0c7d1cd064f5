"""`service-nb key`: keys that you trust; and keys to exercises, which tell whether an answer is right and not which."""

from __future__ import annotations

import argparse
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import service_nb
from service_nb.cards.format import count
from service_nb.cli import trusting
from service_nb.cli.actions import add_action
from service_nb.cli.console import DONE, print_json
from service_nb.core.own_files import write_own
from service_nb.core.parse import parse_strict
from service_nb.core.words import shown
from service_nb.errors import EvidenceError, InvalidIntentError
from service_nb.evidence.answer_key import (
    KEY_BYTES,
    KEY_SUFFIX,
    SALT_BYTES,
    AnswerKey,
    claims_of,
    exercise_name,
    key_text,
    parse_key,
    with_answers,
)
from service_nb.readers.files import read_bytes

SUMMARY = (
    "Trust the public keys of authors; make keys to exercises, which hold only salted, slow hashes of the answers."
)
EXAMPLES = """\
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
CARD_BYTES = 1_000_000

_HASH = re.compile(r"[0-9a-f]{64}")
_ID = re.compile(r"(?:query|service|refusal|error|replay)_[0-9a-f]{16}")


def register(parser: argparse.ArgumentParser) -> None:
    """Add the actions of `key` and their options."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    trusting.register(actions)
    make = add_action(actions, "make", _make, "Make a key file.")
    add = add_action(actions, "add", _add, "Add exercises, or further accepted answers, to a key file.")
    show = add_action(actions, "show", _show, "List the exercises of a key file.")
    for action in (add, show):
        action.add_argument("file", metavar="FILE", type=Path, help=f"a key file, *{KEY_SUFFIX}")
    for action in (make, add):
        action.add_argument("answers", metavar="NAME=ANSWER", nargs="+", help="a result's id, a card's file or a hash")
        action.add_argument(
            "--project", metavar="DIR", type=Path, help="folder of the project; default: the current one"
        )
    make.add_argument(
        "--output", "--out", metavar="FILE", type=Path, required=True, help=f"what to write, *{KEY_SUFFIX}"
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked."""
    code: int = arguments.act(arguments)
    return code


def _make(arguments: argparse.Namespace) -> int:
    output: Path = arguments.output
    if not output.name.endswith(KEY_SUFFIX):
        raise InvalidIntentError(
            f"--output is {shown(output.name)}.",
            hint=f"Use a name that ends in {KEY_SUFFIX}: %service_check looks for it.",
            met=output.name,
            expected=f"*{KEY_SUFFIX}",
        )
    if output.exists():
        raise _exists(output)
    key = _with(AnswerKey(), arguments)
    if not write_own(output, key_text(key).encode()):
        raise _exists(output)
    return _written(key, arguments, output)


def _exists(output: Path) -> InvalidIntentError:
    hint = f"Add to it with `service-nb key add {output.name} …`, or remove it."
    return InvalidIntentError(f"{output.name} already exists.", hint=hint, met=output.name)


def _add(arguments: argparse.Namespace) -> int:
    key = _with(_read(arguments.file), arguments)
    write_own(arguments.file, key_text(key).encode(), over=True)
    return _written(key, arguments, arguments.file)


def _written(key: AnswerKey, arguments: argparse.Namespace, output: Path) -> int:
    output.chmod(0o644)  # it is there to be published
    if arguments.json:
        print_json({"status": "ok", "file": output.name, "exercises": key.names})
    else:
        print(f"{output.name} has {count(len(key.names), 'exercise')}: {', '.join(key.names)}.")
        print(f"Publish it beside the notebook; there, %service_check {key.names[0]} checks it.")
    return DONE


def _show(arguments: argparse.Namespace) -> int:
    key = _read(arguments.file)
    if arguments.json:
        kdf = {"name": "argon2id", "memory_kib": key.cost.memory_kib, "iterations": key.cost.iterations}
        print_json({"status": "ok", "exercises": key.names, "kdf": kdf})
    else:
        print("\n".join(key.names))
    return DONE


# --- answers ----------------------------------------------------------------------------------------------------------


def _read(path: Path) -> AnswerKey:
    return parse_key(read_bytes(path, KEY_BYTES, "key_bytes")[0])


def _with(key: AnswerKey, arguments: argparse.Namespace) -> AnswerKey:
    # All are read before the first is hashed: a fault is told at once.
    claims = [(name, _claim(answer, arguments.project)) for name, answer in _pairs(arguments.answers)]
    for name in dict.fromkeys(name for name, _ in claims):
        accepted = [claim for other, claim in claims if other == name]
        key = with_answers(key, name, accepted, secrets.token_bytes(SALT_BYTES))
    return key


def _pairs(texts: Sequence[str]) -> list[tuple[str, str]]:
    pairs = [(name, answer) for name, _, answer in (text.partition("=") for text in texts)]
    bad = next((text for text, (_, answer) in zip(texts, pairs, strict=True) if not answer), None)
    if bad is not None:
        raise InvalidIntentError(
            f"{shown(bad)} has no answer.", hint="Write NAME=ANSWER, without blanks.", met=bad, expected="NAME=ANSWER"
        )
    return [(exercise_name(name), answer) for name, answer in pairs]


def _claim(answer: str, project: Path | None) -> str:
    if _HASH.fullmatch(answer):
        return answer
    card = _stored(answer, project) if _ID.fullmatch(answer) else _card(Path(answer))
    return claims_of(card)[0]


def _card(path: Path) -> Mapping[str, Any]:
    from service_nb.evidence.check import check_card  # noqa: PLC0415  # lazy: only a card's file needs it

    card: Mapping[str, Any] = parse_strict(read_bytes(path, CARD_BYTES, "card_bytes")[0])
    verdict = check_card(card)
    if verdict.status == "altered":
        raise EvidenceError(
            f"{path.name} is not a card that verifies: {', '.join(verdict.causes)}.",
            reason=verdict.causes[0],
            hint="Run `service-nb verify` for details. Use a card as it was saved.",
        )
    return card


def _stored(result_id: str, project: Path | None) -> Mapping[str, Any]:
    """What of a stored result is compared: its kind, its digests, and its texts, also those that its card left out."""
    service = service_nb.create_service(project=project)
    try:
        stored = service.get_result(result_id)
    finally:
        service.close()
    return {"kind": stored.card["kind"], "digests": stored.card["digests"], "canonical": stored.texts}
