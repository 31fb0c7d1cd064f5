"""What could come next in a question: the grammar says which kind of word, the client which there are.

Names and values are asked of the client, so nothing that a policy denies is ever offered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from service_nb.query.syntax import format_name, format_value
from service_nb.records.query import AGGREGATIONS, PERIODS

if TYPE_CHECKING:
    from service_nb.query.ask_state import AskState

_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
# Where a condition goes on after its column: the words that need company come with it.
_PHRASES = {"is": ("is null", "is not null"), "not": ("not in (",), "in": ("in (",)}
_WORDS_OF_TYPE = {"contains": ("string",), "starts with": ("string",), "during": ("date", "datetime")}
_METRIC_TYPES = {"sum": ("number",), "avg": ("number",), "min": ("number", "string", "date", "datetime")}
_METRIC_TYPES["max"] = _METRIC_TYPES["min"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Something to insert, and what it is: a column's type, `source`, `keyword`, `option` or `value`."""

    text: str
    kind: str


class Catalogue:
    """What a client lets be named; empty while there is no client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def sources(self) -> list[Offer]:
        """The sources, as they stand in a question."""
        return [Offer(text=format_name(source["name"]), kind="source") for source in self._listed()]

    def stored(self) -> list[Offer]:
        """The names that the project keeps; the deployment is not asked at every key."""
        kept = self._client.stored_sources() if self._client is not None else []
        return [Offer(text=format_name(name), kind="source") for name in kept]

    def columns(self, source: str | None) -> list[tuple[str, str]]:
        """Columns and their types: of one source, or of all while the question names none."""
        found: dict[str, str] = {}
        for listed in self._listed():
            if source in (None, listed["name"]):
                for field in listed["typed_fields"]:
                    found.setdefault(field["name"], field["type"])
        return list(found.items())

    def values(self, source: str | None, column: str) -> list[str]:
        """The values of a low-cardinality column, where the source is known or the only one."""
        names = [listed["name"] for listed in self._listed()]
        chosen = source or (names[0] if len(names) == 1 else None)
        return list(self._client.values(chosen, column)) if chosen in names else []

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
    fitting = _METRIC_TYPES.get(state.aggregation or "") if state.slot == "metric" else None
    return lambda kind: fitting is None or kind in fitting


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
