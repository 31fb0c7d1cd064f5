"""How sources look that the magics return, and what was done with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Status
from service_nb.cards.bundle import write_bundle
from service_nb.cards.source import source_bundle, sources_bundle
from service_nb.notebook.faces import Bundle, Shown

if TYPE_CHECKING:
    from service_nb.client.upkeep import Unconnected

SAMPLES = 5


class SourceList(Shown, list[dict[str, Any]]):
    """The sources that the policy allows; beside them what is `unconnected`."""

    def __init__(self, sources: Iterable[dict[str, Any]], unconnected: Unconnected) -> None:
        super().__init__(sources)
        self.unconnected = unconnected

    def _repr_mimebundle_(self, **_: Any) -> Bundle:
        fault = self.unconnected.fault
        return sources_bundle(self, self.unconnected.sources, None if fault is None else fault.message)


class Done(Shown, list[str]):
    """Where a source, or a connector, is no longer."""

    def __init__(self, name: str, label: str, places: Iterable[str]) -> None:
        super().__init__(places)
        self._name, self._label = name, label

    def _repr_mimebundle_(self, **_: Any) -> Bundle:
        places = {"session": "this session", "deployment": "the deployment"}
        told = ", ".join(places.get(place, place) for place in self)
        return write_bundle([Status(tone="source", label=f"{self._label}: {fmt.word(self._name)}", note=told)])


class SourcePage(Shown, dict[str, Any]):
    """A source with a few values of its low-cardinality columns."""

    def __init__(self, source: Mapping[str, Any], samples: Mapping[str, Sequence[str]]) -> None:
        super().__init__(source)
        self._samples = {name: tuple(values[:SAMPLES]) for name, values in samples.items()}

    def _repr_mimebundle_(self, **_: Any) -> Bundle:
        return source_bundle(self, self._samples)
