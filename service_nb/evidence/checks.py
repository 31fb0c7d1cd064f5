"""How checks are made: each is tried, and what it met becomes its status, cause and message."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NoReturn

from service_nb.errors import EvidenceError
from service_nb.evidence.keys import encoded, key_id
from service_nb.records.verdict import Check


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


def signer_check(public_key: bytes, keys: Collection[str]) -> Check:
    """Hold the key of a valid signature to those that are trusted."""
    if not keys:
        message = f"Signed by device {key_id(public_key)}; whose that is, only its public key from elsewhere can tell."
        return not_checkable("signer", "no_trusted_keys", message)
    if encoded(public_key) in keys:
        return passed("signer")
    message = f"Signed by device {key_id(public_key)}, which is not among the {len(keys)} trusted."
    return failed("signer", EvidenceError(message, reason="unknown_signer"))
