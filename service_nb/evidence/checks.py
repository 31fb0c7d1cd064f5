"""How checks are made: each is tried, and what it met becomes its status, cause and message."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NoReturn

from service_nb.errors import EvidenceError
from service_nb.evidence.keys import encoded, key_id
from service_nb.evidence.reading import read_text
from service_nb.evidence.standalone import Fault
from service_nb.schema.verdict import Check

YOU = "you"  # the name of a reader's own key
KEY_DIGITS = 8  # of a key's id, in a line for people; its fingerprint has 64


def passed(name: str) -> Check:
    """A check that was made, and what it checked holds."""
    return Check(name=name, status="passed")


def failed(name: str, error: EvidenceError) -> Check:
    """A check that was made, and what it checked does not hold."""
    return Check(name=name, status="failed", cause=error.reason, message=str(error))


def not_checkable(name: str, cause: str, message: str) -> Check:
    """A check that cannot be made here."""
    return Check(name=name, status="not_checkable", cause=cause, message=message)


def attempt(name: str, test: Callable[[], object]) -> Check:
    """Make a check that raises `EvidenceError` if something does not hold."""
    try:
        test()
    except EvidenceError as error:
        return failed(name, error)
    return passed(name)


def refuse(cause: str, message: str) -> NoReturn:
    """Raise the error of a check that fails."""
    raise EvidenceError(message, reason=cause)


def judge(name: str, test: Callable[..., object], card: Mapping[str, Any]) -> Check:
    """Make a check of a card that the standalone program has."""
    try:
        test(card, read_text)
    except Fault as fault:
        cause, message, status = fault.args
        return Check(name=name, status=status, cause=cause, message=message)
    return passed(name)


def signer_check(public_key: bytes, keys: Collection[str]) -> Check:
    """Hold the key of a valid signature to those that are trusted; a mapping of these has the name of each."""
    text, id_ = encoded(public_key), f"key {key_id(public_key)[:KEY_DIGITS]}…"
    if text not in keys:
        return not_checkable("signer", "unknown_signer", f"signed by an unknown {id_}")
    name = keys[text] if isinstance(keys, Mapping) else ""
    told = f"signed by {name}" if name == YOU else f"signed by {name}, {id_}" if name else f"signed by {id_}"
    return Check(name="signer", status="passed", message=told)
