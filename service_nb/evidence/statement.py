"""Statements: what is said of an outcome, as the bytes that a ledger keeps and a key signs.

They are made once, in canonical JSON, and from then on are bytes: whoever verifies hashes and parses them as they
stand. `parse_statement` holds them to the fields of `records/entry.py` at the statement's and the predicate's level;
what lies deeper (inputs, bindings, determinism, place) is carried, not judged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from service_nb.core.canonical import canonical_bytes
from service_nb.errors import EvidenceError
from service_nb.evidence.reading import read_json
from service_nb.evidence.receipt import natural
from service_nb.schema.card import CardKind
from service_nb.schema.entry import ENTRY_VERSION, PREDICATE_TYPES, STATEMENT_TYPE, Predicate

# RFC 3339, in capitals; a leap second is one.
_TIME = re.compile(
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,9})?"
    r"(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_STATEMENT = {"_type", "predicateType", "subject", "predicate"}
_PREDICATE: Mapping[str, tuple[type, ...]] = {
    "version": (int, float),
    "id": (str,),
    "kind": (str,),
    "time": (str,),
    "tenant": (str, type(None)),
    "digests": (dict,),
    "inputs": (list,),
    "bindings": (list,),
    "determinism": (dict, type(None)),
    "place": (dict, type(None)),
    "made_by": (dict,),
}


def statement(kind: CardKind, subjects: Mapping[str, str], predicate: Predicate) -> bytes:
    """Return the bytes of a statement.

    Parameters
    ----------
    kind : CardKind
        The kind of outcome.
    subjects : Mapping
        Every hashed text by its name, with the hex of its plain SHA-256.
    predicate : Predicate
        What is said of the outcome.
    """
    return statement_bytes(PREDICATE_TYPES[kind], subjects, predicate)


def statement_bytes(predicate_type: str, subjects: Mapping[str, str], predicate: Mapping[str, Any]) -> bytes:
    """Return the bytes of an in-toto statement of any predicate; subjects stand in the order of their names."""
    return canonical_bytes(
        {
            "_type": STATEMENT_TYPE,
            "predicateType": predicate_type,
            "subject": [{"name": name, "digest": {"sha256": subjects[name]}} for name in sorted(subjects)],
            "predicate": predicate,
        }
    )


def parse_statement(payload: bytes) -> dict[str, Any]:
    """Read the statement of an outcome.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It is not strict JSON, or not of exactly the form of a statement; reason `statement_malformed`.
    """
    met = opened_statement(payload)
    predicate = met["predicate"]
    if predicate.keys() != _PREDICATE.keys():
        _malformed(f"the predicate does not hold exactly {', '.join(_PREDICATE)}")
    for name, types in _PREDICATE.items():
        if type(predicate[name]) not in types:
            _malformed(f"{name} of the predicate is of another type")
    if not is_time(predicate["time"]):
        _malformed("time of the predicate is no time as 2026-11-21T13:22:52Z")
    if natural(predicate["version"]) != ENTRY_VERSION:
        _malformed("the predicate's version is unknown")
    if met["predicateType"] != PREDICATE_TYPES.get(predicate["kind"], ""):
        _malformed("the type of the predicate is not that of its kind")
    return met


def is_time(value: object) -> bool:
    """Return whether a value is a text of a moment with its zone, as RFC 3339 writes it."""
    return isinstance(value, str) and _TIME.fullmatch(value) is not None


def opened_statement(payload: bytes) -> dict[str, Any]:
    """Read an in-toto statement of any predicate that is an object; reason of a refusal: `statement_malformed`."""
    try:
        met = read_json(payload)
    except EvidenceError as error:
        raise EvidenceError(f"The statement cannot be read: {error}", reason="statement_malformed") from error
    if not isinstance(met, dict) or met.keys() != _STATEMENT:
        _malformed("it is no object of exactly _type, predicateType, subject, predicate")
    if met["_type"] != STATEMENT_TYPE:
        _malformed(f"its _type is not {STATEMENT_TYPE}")
    if not isinstance(met["predicateType"], str) or not isinstance(met["predicate"], dict):
        _malformed("predicateType or predicate is of another type")
    subjects_of(met)
    return met


def subjects_of(met: Mapping[str, Any]) -> dict[str, str]:
    """Return the subjects of a statement: the SHA-256 of each text by its name."""
    subjects = met["subject"]
    if not isinstance(subjects, list) or not all(map(_is_subject, subjects)):
        _malformed("a subject is not a name with a sha256")
    named = {one["name"]: one["digest"]["sha256"] for one in subjects}
    if len(named) != len(subjects):
        _malformed("two subjects share a name")
    return named


def _is_subject(one: Any) -> bool:
    if not isinstance(one, dict) or one.keys() != {"name", "digest"} or not isinstance(one["name"], str):
        return False
    digest = one["digest"]
    if not isinstance(digest, dict) or digest.keys() != {"sha256"}:
        return False
    return isinstance(digest["sha256"], str) and _DIGEST.fullmatch(digest["sha256"]) is not None


def _malformed(what: str) -> NoReturn:
    raise EvidenceError(f"The statement is malformed: {what}.", reason="statement_malformed")
