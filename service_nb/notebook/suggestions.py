"""What could come next in a question: the grammar says which kind of word, the client which there are.

Names and values are asked of the client, so nothing that a policy denies is ever offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from service_nb.core.words import format_name
from service_nb.query.aggregations import RECORDS
from service_nb.query.syntax import format_value
from service_nb.schema.query import AGGREGATIONS, PERIODS

if TYPE_CHECKING:
    from service_nb.query.ask_state import AskState

WAIT_S = 0.2  # for a deployment to say what it has; what comes later is offered at the next key
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
# Where a condition goes on after its column: the words that need company come with it.
_PHRASES = {"is": ("is null", "is not null"), "not": ("not in (",), "in": ("in (",)}
_WORDS_OF_TYPE = {"contains": ("string",), "starts with": ("string",), "during": ("date", "datetime")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Something to insert, and what it is: a column's type, `source`, `keyword`, `option` or `value`.

    Of a source that is not connected it is the place that keeps it: `deployment` or `service.toml`.
    """

    text: str
    kind: str


class Catalogue:
    """What a client lets be named; empty while there is no client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def sources(self) -> list[Offer]:
        """The sources, as they stand in a question; a deployment's too, for a question that names one connects it."""
        return [*self.connected(), *self._offers(self._deployed())]

    def connected(self) -> list[Offer]:
        """The sources that are connected."""
        return [Offer(text=format_name(source["name"]), kind="source") for source in self._listed()]

    def every(self) -> list[Offer]:
        """The sources that are connected, and those that a name alone would connect."""
        return [*self.connected(), *self._offers(self._unconnected())]

    def stored(self) -> list[Offer]:
        """The names that the project keeps, and those of the deployment that are not connected."""
        kept = self._client.stored_sources() if self._client is not None else []
        offers = [Offer(text=format_name(name), kind="source") for name in kept]
        return [*offers, *self._offers(each for each in self._deployed() if each.name not in kept)]

    def columns(self, source: str | None) -> list[tuple[str, str]]:
        """Columns and their types: of one source, or of all that are connected while the question names none."""
        found: dict[str, str] = {}
        listed = [each for each in self._listed() if source in (None, each["name"])]
        for each in listed:
            for field in each["typed_fields"]:
                found.setdefault(field["name"], field["type"])
        if source is not None and not listed:
            found = {column: kind for name, column, kind in self.deployed_columns() if name == source}
        return list(found.items())

    def deployed_columns(self) -> list[tuple[str, str, str]]:
        """Source, column and type of what a deployment has and is not connected."""
        return [(each.name, field.name, field.type) for each in self._deployed() for field in each.fields]

    def values(self, source: str | None, column: str) -> list[str]:
        """The values of a low-cardinality column, where the source is known or the only one."""
        names = [listed["name"] for listed in self._listed()]
        chosen = source or (names[0] if len(names) == 1 else None)
        return list(self._client.values(chosen, column)) if chosen in names else []

    def _deployed(self) -> list[Any]:
        return [each for each in self._unconnected() if each.place == "deployment"]

    def _unconnected(self) -> Sequence[Any]:
        if self._client is None:
            return ()
        found: Sequence[Any] = self._client.unconnected(wait=WAIT_S).sources
        return found

    def _offers(self, unconnected: Iterable[Any]) -> list[Offer]:
        return [Offer(text=format_name(each.name), kind=each.place) for each in unconnected]

    def _listed(self) -> list[Any]:
        return list(self._client.sources()) if self._client is not None else []


def suggest(state: AskState, source: str | None, client: Catalogue) -> list[Offer]:
    """Return everything that fits the place, names before words."""
    types = dict(client.columns(source))
    return [
        *_names(state, types, client),
        *_values(state, source, types, client),
        *_words(state, types),
    ]


def starting(offers: Sequence[Offer], fragment: str) -> list[Offer]:
    """Return the offers that go on from the fragment, whatever its case, and with or without an opening quote."""
    typed = fragment.casefold()
    bare = typed.lstrip("`'\"")
    quoted = typed[:1] in ("`", "'", '"')
    return [
        offer
        for offer in offers
        if offer.text.casefold().startswith(typed)
        or (quoted and offer.text.casefold().lstrip("`'\"").startswith(bare) and offer.kind != "keyword")
    ]


def _names(state: AskState, types: dict[str, str], client: Catalogue) -> list[Offer]:
    match state.slot:
        case "aggregation":
            return [Offer(text=name, kind="aggregation") for name in AGGREGATIONS]
        case "period":
            return [Offer(text=name, kind="period") for name in PERIODS]
        case "source":
            return client.sources()
        case None:
            return []
    suits = _suits(state)
    return [Offer(text=format_name(name), kind=kind) for name, kind in types.items() if suits(kind)]


def _suits(state: AskState) -> Callable[[str], bool]:
    record = RECORDS.get(state.aggregation or "") if state.slot == "metric" else None
    return lambda kind: record is None or kind in record.accepts


def _values(state: AskState, source: str | None, types: dict[str, str], client: Catalogue) -> list[Offer]:
    if state.value_of is None or types.get(state.value_of, "string") != "string":
        return []
    return [Offer(text=format_value(value), kind="value") for value in client.values(source, state.value_of)]


def _words(state: AskState, types: dict[str, str]) -> list[Offer]:
    column_type = types.get(state.column or "")
    if state.value_of is not None and column_type not in (None, "boolean"):
        return []
    words = [word for word in state.words if column_type in (None, *_WORDS_OF_TYPE.get(word, (column_type,)))]
    if not state.comparison:
        return [Offer(text=word, kind="keyword") for word in words]
    phrases = [phrase for word in words for phrase in _PHRASES.get(word, (word,))]
    return [Offer(text=text, kind="keyword") for text in (*_COMPARISONS, *phrases)]
