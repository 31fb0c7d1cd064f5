"""Cards to export: asked and computed here, of every kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.cards.card_builder import build_card
from service_nb.ledger.exports.formats import ExportMaterial
from tests.simulators.compute import simulated
from tests.simulators.signing import signed_card

Make = Callable[..., Any]

SALES = """region,revenue,amount,day,note
North,10.5,12345678901234567890.10,2024-01-01,=1+1
South,-3.25,0.10,2024-01-02,plain
East,,-7.00,2024-01-03,'quoted
"""


@pytest.fixture
def ask(tmp_path: Path) -> Make:
    """Ask a question of the sales, and return the card of its outcome."""
    path = tmp_path / "sales.csv"
    path.write_text(SALES)

    def asked(question: str, **options: Any) -> Any:
        service = service_nb.create_service()
        service.connect(path, types={"amount": "decimal(22,2)"})
        return service.ask(question, **options).card

    return asked


@pytest.fixture
def compute(tmp_path: Path) -> Make:
    """Compute, and return the card."""
    return lambda call: simulated(tmp_path).compute(call).card


@pytest.fixture
def every_kind(ask: Make, compute: Make) -> dict[str, Any]:
    """A signed card of each kind."""
    error = {"code": "domain_error", "message": "rate is below -1.", "hint": None}
    cards = {
        "query": ask("sum revenue by region"),
        "clarification": ask("sum revenu by region"),
        "rejection": ask("sum region by day"),
        "computation": compute("finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]"),
        "error": build_card(
            "error", canonical={"error": "{}"}, digests={"error_hash": "0" * 64}, view={"status": "error", **error}
        ),
        "replay": build_card(
            "replay",
            canonical={"report": "{}"},
            digests={"replay_hash": "1" * 64},
            view={"status": "identical", "question": "Replay of query_0011223344556677"},
        ),
    }
    ids = {"error": "error_0011223344556677", "replay": "replay_0011223344556677"}
    ids |= {"clarification": "refusal_0011223344556677", "rejection": "refusal_8899aabbccddeeff"}
    return {kind: signed_card(card, **({"id": ids[kind]} if kind in ids else {})) for kind, card in cards.items()}


def material(*cards: Any) -> ExportMaterial:
    """What a format is given for these cards."""
    return ExportMaterial(cards=cards, time="2026-11-21T15:00:00Z")


@pytest.fixture
def given() -> Make:
    """Return the material of cards."""
    return material
