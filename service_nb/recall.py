"""What the ledger holds, seen through a client's policy: stored results, and the list of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from service_nb.base.canonical import parse_strict
from service_nb.errors import EvidenceError, LedgerError, ResultNotFoundError
from service_nb.query.policy import Policy
from service_nb.recording import Recorder, stored_card
from service_nb.records.card import Card
from service_nb.results import StoredResult

if TYPE_CHECKING:
    from service_nb.ledger.entries import Stored
    from service_nb.ledger.store import Ledger


class Recall:
    """What `Service` does with stored results; its methods are documented there."""

    def __init__(self, policy: Policy, recorder: Recorder) -> None:
        self._policy = policy
        self._recorder = recorder

    def get(self, result_id: str) -> StoredResult:
        """Return a stored result; one that the policy hides is not found."""
        ledger = self._ledger()
        stored = ledger.get(result_id, self._recorder.tenant)
        card = stored_card(stored, ledger.receipt(stored.index))
        predicate = _predicate(stored)
        if not self._allows(predicate, card):
            raise ResultNotFoundError("No result of that id is stored here.", met=result_id)
        return StoredResult(
            {
                "id": stored.id,
                "kind": stored.kind,
                "time": stored.time,
                "index": stored.index,
                "inputs": predicate["inputs"],
                "place": predicate["place"],
            },
            card=card,
            texts=stored.texts,
        )

    def has(self, result_id: str) -> bool:
        """Whether a stored result of that id is there for this client."""
        if not self._recorder.exists:
            return False
        try:
            self.get(result_id)
        except (ResultNotFoundError, EvidenceError):
            return False
        return True

    def log(self, limit: int, kind: str | None) -> list[dict[str, Any]]:
        """Return what was recorded last, the newest first."""
        if not self._recorder.exists:
            self._ledger()  # says so where none is kept
            return []
        found: list[dict[str, Any]] = []
        for stored in self._visible():
            if kind in (None, stored.kind) and len(found) < limit:
                found.append(self._line(stored))
            if len(found) == limit:
                break
        return found

    def _line(self, stored: Stored) -> dict[str, Any]:
        card = self._card(stored)
        view = card["view"]
        return {
            "index": stored.index,
            "id": stored.id,
            "time": stored.time,
            "kind": stored.kind,
            "status": view["status"],
            "question": view.get("question") or view.get("message", ""),
            "digests": card["digests"],
            "signed": stored.keyid,
        }

    def _visible(self) -> Iterator[Stored]:
        for stored in self._ledger().entries(newest_first=True):
            if stored.tenant == self._recorder.tenant and self._allows(_predicate(stored), self._card(stored)):
                yield stored

    def _card(self, stored: Stored) -> Card:
        if stored.card is not None:
            return stored_card(stored, None)
        return stored_card(self._ledger().get(stored.id, stored.tenant), None)

    def _ledger(self) -> Ledger:
        ledger = self._recorder.ledger
        if ledger is None:
            raise LedgerError(
                "No ledger is kept here.",
                reason="off",
                hint="Unset SERVICE_LEDGER, or pass ledger=… to create_service.",
            )
        return ledger

    def _allows(self, predicate: Mapping[str, Any], card: Card) -> bool:
        """Whether this client could have asked for it: the sources, every column and the function that it names."""
        policy = self._policy
        names = [each["name"] for each in predicate["inputs"]]
        if not all(map(policy.allows_source, names)):
            return False
        if card["kind"] == "computation" and not policy.allows_function(card["view"]["call"]):
            return False
        if not any(map(policy.restricts_fields, names)):
            return True
        named = {"query": "plan", "computation": "identity"}.get(card["kind"])
        if named not in card["canonical"]:
            return False  # what it names is not known without reading words
        return all(policy.allows_field(source, column) for source, column in _columns(predicate, card))


def _columns(predicate: Mapping[str, Any], card: Card) -> Iterator[tuple[str, str]]:
    """Yield every column that a stored question or computation names, with its source."""
    if card["kind"] == "query":
        plan = parse_strict(card["canonical"]["plan"])
        source = predicate["inputs"][0]["name"]
        named = [plan.get("metric"), *plan.get("group_by", ()), *_filtered(plan.get("filter"))]
        yield from ((source, column) for column in named if column is not None)
    for binding in predicate["bindings"]:
        for column in (*binding["fields"], *_filtered(binding.get("filter"))):
            yield binding["source_name"], column


def _filtered(filter_: Mapping[str, Any] | None) -> list[str]:
    return [condition["column"] for condition in (filter_ or {}).get("conditions", ())]


def _predicate(stored: Stored) -> Mapping[str, Any]:
    predicate: Mapping[str, Any] = parse_strict(stored.payload.decode())["predicate"]
    return predicate
