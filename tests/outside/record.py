"""Writing what an independent package said as cases into the packs, so that it is replayed without the package."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from service_nb_kernels.bibliography import PACKS
from service_nb_kernels.declare import Capability
from service_nb_kernels.families import GIVEN
from service_nb_kernels.reader import read_field

from tests.outside.compare import Agreed, Compared

CASES = 2
LEAST_WITHIN, MOST_WITHIN = 1e-14, 1e-5  # of a case; what cancels more is compared and not recorded
FUNCTIONS = sorted((*GIVEN, "pdf", "pmf", "log_pdf", "log_pmf", "std"), key=len, reverse=True)


def record(found: Iterable[Compared]) -> int:
    """Record what agrees of each capability that has no case from outside yet; return how many have got some."""
    declared: dict[str, Capability] = {}
    chosen = [each for each in found if len(_list_recorded(each)) >= CASES and not each.apart]
    for field in {each.capability.partition(".")[0] for each in chosen}:
        declared |= {one.id: one for one in read_field(field) if isinstance(one, Capability)}
    chosen = [each for each in chosen if declared[each.capability].grade == "derived"]
    chosen = [each for each in chosen if _is_complete(declared[each.capability], each)]
    families: dict[tuple[Path, str], list[Compared]] = defaultdict(list)
    recorded = 0
    for each in chosen:
        path, name = PACKS / declared[each.capability].file, each.capability.partition(".")[2]
        text = path.read_text(encoding="utf-8")
        family = find_family(text, name) if path.suffix == ".toml" else None
        if family is not None:
            families[path, family].append(each)
            continue
        rows = [write_case(each, agreed, is_python=path.suffix == ".py") for agreed in _list_recorded(each)]
        rows = rows[: CASES if path.suffix == ".toml" else 1]  # the files of functions are long
        recorded += insert_rows(path, _find_header(text, each.capability, is_python=path.suffix == ".py"), rows)
    for (path, family), group in families.items():
        text = path.read_text(encoding="utf-8")
        recorded += len(group) * insert_rows(path, text.find(f"[family.{family}]"), write_rows(family, group))
    return recorded


def _is_complete(declared: Capability, each: Compared) -> bool:
    """Whether the package gives all fields of a record."""
    return not declared.result.fields or all(
        agreed.theirs.keys() == declared.result.fields.keys() for agreed in each.agreed
    )


def _list_recorded(each: Compared) -> list[Agreed]:
    """List the calls that become cases: the first ones at which the package is accurate."""
    return [agreed for agreed in each.agreed if agreed.error < MOST_WITHIN][:CASES]


def find_family(text: str, name: str) -> str | None:
    """Find the family of a file that makes a function of that name."""
    for function in FUNCTIONS:
        family = name.removesuffix(f"_{function}")
        if family != name and f"[family.{family}]" in text:
            return family
    return None


def write_rows(family: str, group: Sequence[Compared]) -> list[str]:
    """Write rows of a family: all functions of one call in one row, as many rows as each function needs."""
    rows: dict[int, list[tuple[str, Compared, Agreed]]] = defaultdict(list)
    for each in group:
        function = each.capability.partition(".")[2].removeprefix(f"{family}_")
        for agreed in _list_recorded(each):
            rows[agreed.call].append((function, each, agreed))
    return [_write_row(parts) for _, parts in sorted(rows.items())]


def _write_row(parts: Sequence[tuple[str, Compared, Agreed]]) -> str:
    arguments = {name: value for _, _, agreed in parts for name, value in agreed.arguments.items()}
    results = {function: agreed.theirs for function, _, agreed in parts}
    origins = {each.origin for _, each, _ in parts}
    origin = origins.pop() if len(origins) == 1 else next(iter(origins)).rpartition(".")[0]  # the distribution itself
    return _write_table(arguments | results, max(agreed.error for _, _, agreed in parts), origin)


def write_case(each: Compared, agreed: Agreed, *, is_python: bool) -> str:
    """Write one case as a line of a pack."""
    if not is_python:
        return _write_table(agreed.arguments | {"result": agreed.theirs}, agreed.error, each.origin)
    named = ", ".join(f"{name}={value!r}" for name, value in agreed.arguments.items())
    within = _write_within(agreed.error, agreed.theirs)
    accuracy = f"within={within}, " if within else ""
    return f"        case({named}, result={agreed.theirs!r}, {accuracy}origin={json.dumps(each.origin)}),"


def _write_table(values: Mapping[str, Any], error: float, origin: str) -> str:
    within = _write_within(error, list(values.values()))
    parts = [f"{name} = {_write_value(value)}" for name, value in values.items()]
    return f"  {{ {', '.join([*parts, *([f'within = {within}'] if within else [])])}, origin = {json.dumps(origin)} }},"


def _write_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_write_value(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_write_value, value)) + "]"
    return json.dumps(value) if isinstance(value, bool | str) else repr(value)


def _write_within(error: float, value: Any) -> str:
    """The accuracy that the package shows here: the power of ten above its error; nothing for what is exact."""
    if not any(isinstance(part, float) for part in _list_parts(value)):
        return ""
    return f"{max(LEAST_WITHIN, 10.0 ** math.ceil(math.log10(2 * error))) if error else LEAST_WITHIN:.0e}"


def _list_parts(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else None
    return [value] if inner is None else [part for each in inner for part in _list_parts(each)]


def _find_header(text: str, capability: str, *, is_python: bool) -> int:
    if is_python:
        found = re.search(rf'@capability\(\s*"{re.escape(capability)}"', text)
        return -1 if found is None else found.start()
    return text.find(f"[capability.{capability.partition('.')[2]}]")


def insert_rows(path: Path, header: int, rows: Sequence[str]) -> bool:
    """Insert rows at the end of the cases below a header; false where they are not written out there."""
    text = path.read_text(encoding="utf-8")
    start = re.compile(r"cases ?= ?\[").search(text, header) if header >= 0 else None
    following = re.compile(r"^(\[capability\.\w+\]|\[family\.\w+\]|@capability\()", re.MULTILINE).search(
        text, header + 1
    )
    if start is None or (following is not None and following.start() < start.start()):
        print(f"{path.name}: the cases are not written out; add by hand: {rows[0].strip()}")
        return False
    end = _find_end(text, start.end())
    before = text[: end - 1].rstrip()
    comma = "" if before.endswith((",", "[")) else ","
    indent = "    " if path.suffix == ".py" else ""
    path.write_text(before + comma + "\n" + "\n".join(rows) + f"\n{indent}]" + text[end:], encoding="utf-8")
    return True


def _find_end(text: str, at: int) -> int:
    """Find where an opened bracket is closed, texts left aside."""
    depth = 1
    for match in re.compile(r'"(?:[^"\\\n]|\\.)*"|[\[\]]|#[^\n]*').finditer(text, at):
        depth += {"[": 1, "]": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    raise ValueError("The cases are not closed.")
