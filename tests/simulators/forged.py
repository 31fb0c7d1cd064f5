"""Genuine cards to forge, and what a forger does to one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.simulators import evidence as genuine
from tests.simulators.evidence import AUTHOR
from tests.simulators.mutants import put

Json = dict[str, Any]

UNSIGNED = genuine.cards()
SIGNED = genuine.signed(UNSIGNED)
QUERY, CLARIFICATION, REJECTION, ERROR, COMPUTATION, REPLAY, OTHER_QUERY, _ = SIGNED
LOG = genuine.log_of(UNSIGNED[:5])
ELSEWHERE = genuine.signed([genuine.query_card(2), genuine.error_card(), genuine.query_card(1)], AUTHOR, "e" * 32)
SHOWN = [QUERY, COMPUTATION, ERROR]


def edited(card: Json, text: str, change: Callable[[Any], Any]) -> Json:
    """The card with one of its hashed texts changed, and nothing made to fit."""
    return put(card, ("canonical", text), genuine.text(change(genuine.value(card["canonical"][text]))))


def defined(**changes: Any) -> Callable[[Json], Json]:
    """Change the entry of a definition."""
    return lambda definition: definition | {"capability": definition["capability"] | changes}


def shown(card: Json, **changes: Any) -> Json:
    """The card with another view whose digest fits."""
    return genuine.sealed(card | {"view": card["view"] | changes})


def in_receipt(card: Json, *path: Any, to: Any) -> Json:
    return put(card, ("receipt", *path), to)


def richer(rows: list[Json]) -> list[Json]:
    return [rows[0] | {"arr_delay": 2.0}, *rows[1:]]


# A number is another one in the result and in the table, and all hashes fit: nothing in the card contradicts it.
RICHER = genuine.sealed(put(edited(QUERY, "result", richer), ("view", "rows", 0, 1), "2"))
