"""What a capability refuses, each with a stable code; the engine above translates them.

KernelError
├── DomainError   domain_error     an argument, or the value itself, is outside of where the formula is defined
├── ShapeError    invalid_intent   sizes of arrays disagree, or are smaller than the capability needs
├── LimitError    limit_exceeded   the call is larger, or takes longer, than the capability allows
├── Undecided     undecided        at the highest precision two neighbouring doubles are still both possible
├── SeedError     seed_required    a simulation was called without a seed
├── PlatformError unsupported_platform  a library that the capability needs is not here
└── PackError     pack_invalid     a declaration breaks the rules of packs; never met by a caller
"""

from __future__ import annotations

from typing import Any

LONGEST_BITS = 4_000  # of an integer that an error quotes


class KernelError(Exception):
    """Base of what this package raises on purpose; `details` are facts for programs."""

    code = "kernel_error"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details = {key: value for key, value in details.items() if value is not None}


class DomainError(KernelError):
    """An argument is outside of the domain, or the formula has no finite value there."""

    code = "domain_error"

    def __init__(self, parameter: str, value: Any = None, expected: str = "") -> None:
        told = quotable(value)
        met = "" if told is None else f" is {told!r:.60}"
        wanted = f"; expected {expected}" if expected else ""
        super().__init__(f"{parameter}{met}{wanted}.", parameter=parameter, value=told, expected=expected or None)


def quotable(value: Any) -> Any:
    """Return a value as an error names it: Python writes no integer of more than some thousand digits."""
    if isinstance(value, int) and value.bit_length() > LONGEST_BITS:
        return LongInteger(value.bit_length())
    return [quotable(item) for item in value] if isinstance(value, list) else value


class LongInteger:
    """An integer that is too long to be written out."""

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __repr__(self) -> str:
        return f"an integer of {self._bits:,} bits"


class ShapeError(KernelError):
    """The sizes of arrays do not fit each other, or the capability."""

    code = "invalid_intent"

    def __init__(self, parameter: str, met: str, expected: str) -> None:
        super().__init__(
            f"{parameter} has {met}; expected {expected}.", parameter=parameter, met=met, expected=expected
        )


class LimitError(KernelError):
    """The call is beyond what the capability allows in size or in time."""

    code = "limit_exceeded"


class Undecided(KernelError):  # noqa: N818  # the name of the outcome, as callers read it
    """The value could not be separated from the midpoint of two doubles."""

    code = "undecided"


class SeedError(KernelError):
    """A simulation was called without a seed."""

    code = "seed_required"


class PlatformError(KernelError):
    """A library that the capability needs is not here."""

    code = "unsupported_platform"


class PackError(KernelError):
    """A declaration breaks the rules of packs."""

    code = "pack_invalid"


class Unseparated(Exception):  # noqa: N818  # a signal inside of the evaluator, not a fault
    """At this precision a comparison or a rounding cannot be decided: try again with more bits."""


class Inexact(Exception):  # noqa: N818  # a signal inside of the evaluator, not a fault
    """The formula leaves the rational numbers here."""
