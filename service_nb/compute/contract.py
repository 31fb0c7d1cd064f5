"""The contract: which capabilities there are, and what each takes, returns and promises.

Its file has one capability a line, sorted, so that a client that calls three of thousands decodes three lines. Its hash
is the root of a Merkle tree over head and capabilities, so that a card proves that its capability is in the contract.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from mmap import mmap
from typing import Any, cast

import orjson

from service_nb.core.canonical import write_canonical_bytes, write_canonical_text
from service_nb.core.digest import hash_leaf, hash_node, prove_inclusion
from service_nb.errors import ComputeRuntimeUnavailableError
from service_nb.schema.compute import Capability, Parameter, Scalar

VERSION = 1
COMMA, QUOTE = b',"'
_UNDEFINED = frozenset({"keywords", "cases", "digest", "leaf"})  # of an entry: what no card shows
_LEAF_DIGITS = 64


class Contract(Mapping[str, Capability]):
    """Capabilities by name (`finance.npv`), in the order of their names; each line is read when it is asked for.

    Raises
    ------
    ComputeRuntimeUnavailableError [compute_runtime_unavailable]
        The text is no contract of this version.
    """

    def __init__(self, content: bytes | mmap) -> None:
        self._content = content
        head, self._lines = _read_layout(content)
        self.hash: str = head["contract_hash"]
        self.runtime: Mapping[str, Any] = head["runtime"]
        self._known: dict[str, Capability] = {}
        self._definitions: dict[str, str] = {}

    def __getitem__(self, name: str) -> Capability:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = read_capability(self.read_entry(name))
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def read_entry(self, name: str) -> dict[str, Any]:
        """Read the whole entry of a capability; a new dict each time."""
        start = self._lines[name]
        entry: dict[str, object] = orjson.loads(self._content[start : self._find_end(start)])
        return entry

    def _find_end(self, start: int) -> int:
        """Find the end of an entry: its line without the comma, which only the last one lacks."""
        end = self._content.find(b"\n", start)
        return end - (self._content[end - 1] == COMMA)

    def build_definition(self, name: str) -> str:
        """Build the definition of a capability, with its inclusion proof, as canonical JSON.

        ``{"capability": {...}, "index": 17, "proof": [hex, ...], "size": 4351}``: the proof leads from the canonical
        JSON of `capability` to the hash of the contract. Cases and keywords are left out of it.
        """
        known = self._definitions.get(name)
        if known is None:
            index, entry = self._index[name], self.read_entry(name)
            proof = prove_inclusion(index, len(self) + 1, lambda level, at: self._nodes[level][at])
            known = self._definitions[name] = write_canonical_text(
                {
                    "capability": {key: value for key, value in entry.items() if key not in _UNDEFINED},
                    "index": index,
                    "proof": [each.hex() for each in proof],
                    "size": len(self) + 1,
                }
            )
        return known

    @cached_property
    def _index(self) -> Mapping[str, int]:
        return {name: index for index, name in enumerate(self._lines, 1)}  # the head is leaf 0

    @cached_property
    def _nodes(self) -> list[list[bytes]]:
        """The complete subtrees of the contract by level; the leaf of a capability stands at the end of its line."""
        head = write_canonical_bytes({"contract_version": VERSION, "runtime": self.runtime})
        ends = (self._find_end(start) - len('"}') for start in self._lines.values())
        leaves = (bytes.fromhex(self._content[end - _LEAF_DIGITS : end].decode()) for end in ends)
        levels = [[hash_leaf(head), *leaves]]
        while len(levels[-1]) > 1:
            pairs = zip(levels[-1][::2], levels[-1][1::2], strict=False)
            levels.append([hash_node(left, right) for left, right in pairs])
        return levels


def _read_layout(content: bytes | mmap) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the head, and where in the text each capability's entry begins: nothing of megabytes is copied."""
    places: dict[str, int] = {}
    find, start = content.find, content.find(b"\n") + 1
    try:
        head = orjson.loads(content[: start - 1] + b"}}")
        # A line is `"finance.npv":{…},`; only the last one has no comma, and after it comes `}}`.
        while content[start] == QUOTE:
            colon = find(b":", start)
            places[content[start + 1 : colon - 1].decode()] = colon + 1
            start = find(b"\n", colon) + 1
    except (ValueError, IndexError) as error:
        raise make_unreadable_error() from error
    if (
        content[start:].strip() != b"}}"
        or not isinstance(head, dict)
        or head.get("contract_version") != VERSION
        or not head.keys() >= {"contract_hash", "runtime"}
    ):
        raise make_unreadable_error()
    return head, places


def make_unreadable_error() -> ComputeRuntimeUnavailableError:
    """Make the error of a contract that is none, or is not there."""
    return ComputeRuntimeUnavailableError(
        "The contract of capabilities cannot be read.",
        hint="Reinstall service-nb: its contract and its code belong together.",
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
        grade=entry["grade"],
        summary=entry["summary"],
        parameters=tuple(_read_parameter(table) for table in entry["params"]),
        names=tuple(table["name"] for table in entry["params"]),
        result_type=entry["result"]["type"],
        compares=tuple(entry.get("compares", ())),
        entry=entry,
    )


def _read_parameter(table: Mapping[str, Any]) -> Parameter:
    return Parameter(
        name=table["name"],
        type=format_type(table),
        scalar=cast(Scalar, table["type"].replace("[]", "")),
        shape=tuple(table.get("shape", ())),
        unit=table.get("unit", "1"),
        domain=table.get("domain"),
        about=table.get("about", ""),
        default=table.get("default"),
    )


def format_type(table: Mapping[str, Any]) -> str:
    """Format the type of a parameter or a result for people: `float64[n]`, or the fields of a record by name."""
    if table["type"] == "record":
        return "{" + ", ".join(f"{name}: {format_type(field)}" for name, field in sorted(table["fields"].items())) + "}"
    scalar = table["type"].replace("[]", "")
    return f"{scalar}[{','.join(table['shape'])}]" if table.get("shape") else str(table["type"])


def format_signature(capability: Capability) -> str:
    """Format the signature of a capability: `stats.quantile(values: float64[n], definition: int = 7) -> float64`."""
    taken = ", ".join(map(_format_parameter, capability.parameters))
    return f"{capability.id}({taken}) -> {format_type(capability.entry['result'])}"


def _format_parameter(parameter: Parameter) -> str:
    default = "" if parameter.default is None else f" = {write_canonical_text(parameter.default)}"
    return f"{parameter.name}: {parameter.type}{default}"


def list_units(capability: Capability) -> dict[str, str]:
    """List the unit of each parameter, and of the value as `result` (of a record: `result.<field>`)."""
    named = {parameter.name: parameter.unit for parameter in capability.parameters}
    result = capability.entry["result"]
    if result["type"] == "record":
        return named | {f"result.{name}": field.get("unit", "1") for name, field in result["fields"].items()}
    return named | {"result": result.get("unit", "1")}
