"""The contract: all packs compiled to one sorted file, a capability a line, with digests that leave prose out.

`contract_hash` is the root of an RFC 6962 tree. Its first leaf is the head, the others are the capabilities in the
order of their ids, each as `definition` gives it: so a few hashes prove that one of them is in the contract.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from mmap import mmap
from pathlib import Path
from typing import Any

from service_nb_kernels import map_contract
from service_nb_kernels.declare import WHOLE_LINE, Capability, Case, Parameter, Result, split_type

CONTRACT = Path(__file__).with_name("contract.json")
CONTRACT_VERSION = 1
# Of an entry, what changes no value: `compares` refuses columns that say nothing, never the values themselves.
PROSE = frozenset({"summary", "source", "grade", "keywords", "latex", "compares", "cases", "digest", "leaf"})
UNDEFINED = frozenset({"keywords", "cases", "digest", "leaf"})  # of an entry: what no card shows
PROSE_OF_PARTS = frozenset({"about", "symbol"})


@cache
def capabilities() -> Mapping[str, Capability]:
    """Return the capabilities of the committed contract, each decoded when it is asked for."""
    return _Capabilities(read_entries(map_contract()))


def read_entries(content: bytes | mmap) -> Mapping[str, Any]:
    """Return the entries of a contract by id, each decoded when it is asked for: a process runs few of thousands."""
    places: dict[str, int] = {}
    start = content.find(b"\n") + 1
    while content[start : start + 1] == b'"':  # a line is `"finance.npv":{...},` and the last one `}}`
        colon = content.find(b":", start)
        places[content[start + 1 : colon - 1].decode()] = colon + 1
        start = content.find(b"\n", colon) + 1
    return _Entries(content, places)


class _Entries(Mapping[str, Any]):
    """The lines of a contract, decoded."""

    def __init__(self, content: bytes | mmap, places: Mapping[str, int]) -> None:
        self._content = content
        self._places = places

    def __getitem__(self, id_: str) -> Any:
        start = self._places[id_]
        return json.loads(self._content[start : self._content.find(b"\n", start)].rstrip(b","))

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class _Capabilities(Mapping[str, Capability]):
    """The entries of a contract as capabilities."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = entries

    def __getitem__(self, id_: str) -> Capability:
        return capability_of(self._entries[id_])

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def entry_of(declared: Capability) -> dict[str, Any]:
    """Return a capability as the contract writes it; what does not apply is absent."""
    entry = {
        "id": declared.id,
        "module": declared.module,
        "function": declared.function,
        "version": declared.version,
        "tier": declared.tier,
        "summary": declared.summary,
        "source": declared.source,
        "grade": declared.grade,
        "keywords": list(declared.keywords),
        "params": [_parameter(parameter) for parameter in declared.params],
        "result": _result(declared.result),
        "formula": declared.formula,
        "call": declared.call,
        "entry": declared.entry,
        "latex": declared.latex,
        "requires": list(declared.requires),
        "limits": dict(declared.limit),
        "compares": list(declared.compares),
        "cases": [_case(case) for case in declared.cases],
    }
    entry = {key: value for key, value in entry.items() if value not in (None, [], {})}
    return entry | {"digest": digest(entry), "leaf": _leaf(definition(entry)).hex()}


def definition(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return all that an entry says of its capability, for a reader and for a run: no cases, no keywords."""
    return {key: value for key, value in entry.items() if key not in UNDEFINED}


def _leaf(value: Mapping[str, Any]) -> bytes:
    return hashlib.sha256(b"\x00" + canonical(value)).digest()


def _root(level: list[bytes]) -> bytes:
    """Return the root of a tree (RFC 6962, 2.1): a last node without a partner goes up as it is."""
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [hashlib.sha256(b"\x01" + left + right).digest() for left, right in pairs] + level[len(level) & ~1 :]
    return level[0]


def _parameter(parameter: Parameter) -> dict[str, Any]:
    entry = {"name": parameter.name, **_typed(parameter.type), "unit": parameter.unit, "domain": parameter.domain}
    optional = {
        "about": parameter.about,
        "symbol": parameter.symbol,
        "min_size": parameter.min_size,
        "structure": parameter.structure,
        "choices": list(parameter.choices),
    }
    # A whole number without a point, as canonical JSON has it.
    value = parameter.default
    default = (
        {} if value is None else {"default": int(value) if isinstance(value, float) and value.is_integer() else value}
    )
    return entry | {key: value for key, value in optional.items() if value} | default


def _typed(text: str) -> dict[str, Any]:
    scalar, sizes = split_type(text)
    if not sizes:
        return {"type": text}
    return {"type": scalar + "[]" * len(sizes), "shape": list(sizes)}


def _result(result: Result) -> dict[str, Any]:
    if result.fields:
        return {"type": "record", "about": result.about, "fields": {k: _result(v) for k, v in result.fields.items()}}
    named = {"name": result.name} if result.name else {}
    held = {} if result.range == WHOLE_LINE else {"range": result.range}
    return {**_typed(result.type), "unit": result.unit, "about": result.about, **named, **held}


def _case(case: Case) -> dict[str, Any]:
    entry: dict[str, Any] = {"arguments": _readable(dict(case.arguments)), "origin": case.origin}
    optional = {"result": _readable(case.result), "error": case.error, "within": case.within or None, "seed": case.seed}
    optional["grade"] = None if case.grade == "derived" else case.grade
    return entry | {key: value for key, value in optional.items() if value is not None}


def _readable(value: Any) -> Any:
    """Whole numbers beyond what every JSON reader keeps, as text."""
    if isinstance(value, dict):
        return {key: _readable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_readable(item) for item in value]
    return str(value) if type(value) is int and abs(value) >= 2**53 else value


def digest(entry: Mapping[str, Any]) -> str:
    """Return the SHA-256 of everything in an entry that can change a value or a call; prose does not count."""
    return hashlib.sha256(canonical(_without_prose(entry))).hexdigest()


def _without_prose(entry: Mapping[str, Any]) -> dict[str, Any]:
    def bare(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: bare(item) for key, item in value.items() if key not in PROSE_OF_PARTS}
        return [bare(item) for item in value] if isinstance(value, list) else value

    return {key: bare(value) for key, value in entry.items() if key not in PROSE}


def canonical(value: Any) -> bytes:
    """Return canonical JSON (RFC 8785) of ASCII keys, text, booleans and small integers, which is all that occurs."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def compiled(declared: Iterable[Capability], lock: Mapping[str, Any]) -> bytes:
    """Return the text of the contract of these capabilities.

    Parameters
    ----------
    lock : mapping
        The libraries that the contract pins: name to version and hashes.
    """
    lines_of = {capability.id: entry_of(capability) for capability in sorted(declared, key=lambda c: c.id)}
    pinned = {"contract_version": CONTRACT_VERSION, "runtime": dict(lock)}
    root = _root([_leaf(pinned), *(bytes.fromhex(entry["leaf"]) for entry in lines_of.values())])
    head = {"contract_version": CONTRACT_VERSION, "contract_hash": f"sha256:{root.hex()}", "runtime": dict(lock)}
    lines = ",\n".join(f"{json.dumps(id_)}:{_line(entry)}" for id_, entry in lines_of.items())
    return f'{_line(head)[:-1]},"capabilities":{{\n{lines}\n}}}}\n'.encode()


def _line(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def capability_of(entry: Mapping[str, Any]) -> Capability:
    """Return the capability of a line of the contract, ready to run."""
    return Capability(
        id=entry["id"],
        tier=entry["tier"],
        summary=entry["summary"],
        source=entry["source"],
        params=tuple(_read_parameter(table) for table in entry["params"]),
        result=_read_result(entry["result"]),
        cases=tuple(Case(**case) for case in entry["cases"]),
        formula=entry.get("formula"),
        call=entry.get("call"),
        entry=entry.get("entry"),
        latex=entry.get("latex"),
        requires=tuple(entry.get("requires", ())),
        limit=entry.get("limits", {}),
        compares=tuple(entry.get("compares", ())),
        keywords=tuple(entry.get("keywords", ())),
        version=entry["version"],
        grade=entry["grade"],
    )


def _read_type(entry: Mapping[str, Any]) -> str:
    if "shape" not in entry:
        return str(entry["type"])
    return f"{entry['type'].removesuffix('[]').removesuffix('[]')}[{','.join(entry['shape'])}]"


def _read_parameter(entry: Mapping[str, Any]) -> Parameter:
    return Parameter(
        name=entry["name"],
        type=_read_type(entry),
        unit=entry["unit"],
        domain=entry["domain"],
        about=entry.get("about", ""),
        symbol=entry.get("symbol"),
        choices=tuple(entry.get("choices", ())),
        min_size=entry.get("min_size", 0),
        structure=entry.get("structure"),
        default=entry.get("default"),
    )


def _read_result(entry: Mapping[str, Any]) -> Result:
    if entry["type"] == "record":
        return Result(
            type="record", about=entry["about"], fields={k: _read_result(v) for k, v in entry["fields"].items()}
        )
    return Result(
        type=_read_type(entry),
        unit=entry["unit"],
        about=entry["about"],
        name=entry.get("name"),
        range=entry.get("range", WHOLE_LINE),
    )
