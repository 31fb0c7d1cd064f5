"""What a replay returns: dicts with their report, and cards, because a replay is a result too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from service_nb.cards.faces import to_bundle
from service_nb.evidence.replay_report import to_html, to_text
from service_nb.schema.card import Card
from service_nb.schema.replay import Replay, ReplayReport


class ReplayOutcome(dict[str, Any]):
    """A replay as a dict: `status`, `cause`, `message`, `expected`, `met`, `comparison` … and the record itself."""

    def __init__(self, replay: Replay, card: Callable[[], Card]) -> None:
        super().__init__(replay.to_dict())
        self.replay = replay
        self._card = card

    @cached_property
    def card(self) -> Card:
        """The card of the replay: what was compared, and what came of it."""
        return self._card()

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        return to_bundle(self.card)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(to_bundle(self.card)[0]["text/plain"])


class Replays(list[ReplayOutcome]):
    """The replays of a notebook or a ledger, in its order, and the report of them."""

    def __init__(self, outcomes: Iterable[ReplayOutcome], report: ReplayReport) -> None:
        super().__init__(outcomes)
        self.report = report

    @property
    def is_identical(self) -> bool:
        """Whether every result that can be replayed came out the same."""
        return self.report.is_identical

    def to_html(self) -> str:
        """Return the report as a page of its own."""
        return to_html(self.report)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(to_text(self.report))
