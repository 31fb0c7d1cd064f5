"""The contract: which capabilities there are, and what each takes, returns and promises.

Its file has one capability a line, sorted, so that a client that calls three of thousands decodes three lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import orjson

from service_nb.errors import ComputeRuntimeUnavailableError
from service_nb.records.compute import Capability, Parameter, Scalar

VERSION = 1
COMMA = ord(",")


class Contract(Mapping[str, Capability]):
    """Capabilities by name (`finance.npv`), in the order of their names; each line is read when it is asked for.

    Raises
    ------
    ComputeRuntimeUnavailableError [compute_runtime_unavailable]
        The text is no contract of this version.
    """

    def __init__(self, content: bytes) -> None:
        self._content = memoryview(content)
        head, self._lines = _read(content)
        self.hash: str = head["contract_hash"]
        self.runtime: Mapping[str, Any] = head["runtime"]
        self._known: dict[str, Capability] = {}

    def __getitem__(self, name: str) -> Capability:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = read_capability(self.entry(name))
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def entry(self, name: str) -> dict[str, Any]:
        """Return all that the contract says of a capability; a new dict each time."""
        entry: dict[str, Any] = orjson.loads(self._content[self._lines[name]])
        return entry


def _read(content: bytes) -> tuple[dict[str, Any], dict[str, slice]]:
    """Return the head, and where in the text each capability's entry stands: nothing of megabytes is copied."""
    first = content.find(b"\n")
    places: dict[str, slice] = {}
    try:
        head = orjson.loads(content[:first] + b"}}")
        # A line is `"finance.npv":{…},`; only the last one has no comma, and after it comes `}}`.
        start = first + 1
        while not content.startswith((b"}}", b"\n}}"), start):
            end = content.index(b"\n", start)
            colon = content.index(b":", start, end)
            name = content[start + 1 : colon - 1].decode("ascii")
            places[name] = slice(colon + 1, end - 1 if content[end - 1] == COMMA else end)
            start = end + 1
    except ValueError as error:
        raise _unreadable() from error
    if not isinstance(head, dict) or head.get("contract_version") != VERSION or "contract_hash" not in head:
        raise _unreadable()
    return head, places


def _unreadable() -> ComputeRuntimeUnavailableError:
    return ComputeRuntimeUnavailableError(
        "The contract of capabilities cannot be read.",
        hint="Install service-nb again: its contract and its code belong together.",
        expected=f"a contract of version {VERSION}",
    )


def read_capability(entry: Mapping[str, Any]) -> Capability:
    """Return the capability that an entry of the contract describes."""
    return Capability(
        id=entry["id"],
        module=entry["module"],
        function=entry["function"],
        version=entry["version"],
        tier=entry["tier"],
        summary=entry["summary"],
        parameters=tuple(_parameter(table) for table in entry["params"]),
        names=tuple(table["name"] for table in entry["params"]),
        result_type=entry["result"]["type"],
        entry=entry,
    )


def _parameter(table: Mapping[str, Any]) -> Parameter:
    return Parameter(
        name=table["name"],
        scalar=cast(Scalar, table["type"].replace("[]", "")),
        shape=tuple(table.get("shape", ())),
        unit=table.get("unit", "1"),
        domain=table.get("domain"),
        about=table.get("about", ""),
    )


def result_type(result: Mapping[str, Any]) -> str:
    """Return a result's type as people write it: `float64[n]`, or the fields of a record."""
    if result["type"] == "record":
        return "{" + ", ".join(f"{name}: {result_type(field)}" for name, field in result["fields"].items()) + "}"
    scalar = result["type"].replace("[]", "")
    return f"{scalar}[{','.join(result['shape'])}]" if result.get("shape") else str(result["type"])


def signature(capability: Capability) -> str:
    """Return how a capability is called: `finance.npv(rate: float64, cashflows: float64[n]) -> float64`."""
    taken = ", ".join(f"{parameter.name}: {parameter.type}" for parameter in capability.parameters)
    return f"{capability.id}({taken}) -> {result_type(capability.entry['result'])}"


def units(capability: Capability) -> dict[str, str]:
    """Return the unit of each parameter, and of what comes back as `result` (of a record: `result.<field>`)."""
    named = {parameter.name: parameter.unit for parameter in capability.parameters}
    result = capability.entry["result"]
    if result["type"] == "record":
        return named | {f"result.{name}": field.get("unit", "1") for name, field in result["fields"].items()}
    return named | {"result": result.get("unit", "1")}
