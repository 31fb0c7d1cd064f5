"""Mend a computation that breaks the rules: names that are nearly right, arguments without names, percent signs, units.

Every part is read with more patience than the compute line has. The mended line is offered only if it passes every
check, and nothing is run in place of the line that was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from service_nb.cards.page_blocks import write_literal
from service_nb.client.line_trial import can_compute, write_condition_on_nulls
from service_nb.core.words import find_nearest, write_name
from service_nb.query.resolve import fold_name

if TYPE_CHECKING:
    from service_nb.client.service import Service

_HEAD = re.compile(r"\s*([A-Za-z_](?:[\w.]|-(?=[A-Za-z]))*)\s*")
_WHERE = re.compile(r"\bwhere\b(?!\s*=[^=]).*$", re.IGNORECASE | re.DOTALL)
_NAME = r"(?:[^\W\d]\w*|`(?:[^`]|``)+`)"
_PIECE = re.compile(
    rf"""(?:(?P<name>{_NAME})\s*[=:]\s*)?
    (?P<value>\[[^\]]*\]|'(?:[^']|'')*'|"(?:[^"]|"")*"|{_NAME}\.{_NAME}|{_NAME}|\$\w+|[^\s,()\[\]=]+)""",
    re.VERBOSE,
)
_QUANTITY = re.compile(
    r"(?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)(?P<unit>%|[A-Za-zµΩ°][\w/^*·²³-]*)?$"
)
_MOST_CAPABILITIES = 3  # that are tried, or offered of one family
_LEAST_OPENING, _MOST_FAMILY = 4, 8  # letters that name a family, and its members


@dataclass(slots=True)
class _Pieces:
    """The arguments of a line: by name as they were written, and those without a name in their order."""

    named: dict[str, list[str]] = field(default_factory=dict)
    placed: list[str] = field(default_factory=list)


def repair_computations(text: str, client: Service, variables: Mapping[str, object]) -> list[str]:
    """Mend a compute line: the lines it may mean, each of which passes every check.

    There is one, unless it names a family: `ttest` is the beginning of the paired test and of that of two samples.
    """
    head = _HEAD.match(text)
    if head is None:
        return []
    rest = text[head.end() :]
    where = _WHERE.search(rest)
    body = rest[: where.start()] if where else rest
    condition = f" {where.group().rstrip(' )')}" if where else ""
    exact, family, near = _find_names(head[1], client)
    for names, most in ((exact, 1), (family, _MOST_CAPABILITIES), (near, 1)):
        calls = (f"{name} {_write_arguments(name, body, client)}" for name in names)
        lines = (f"{call}{condition or write_condition_on_nulls(call, client)}" for call in calls)
        found = [line for line in lines if line != text.strip() and can_compute(line, client, variables)]
        if found:
            return found[:most]
    return []


def complete_computations(text: str, name: str, client: Service) -> list[str]:
    """Complete a line with the arguments that it lacks, as the first case of the capability has them; or none."""
    head = _HEAD.match(text)
    if head is None or head[1] != name:
        return []
    entry = client.capability(name)
    case = next(case for case in entry["cases"] if "error" not in case)
    given = _match_arguments(_read_pieces(text[head.end() :], entry), entry, client)
    missing = [key for key in case["arguments"] if key not in given]
    if not given or not missing:
        return []
    filled = {**{key: write_literal(value) for key, value in case["arguments"].items()}, **given}
    if "seed" in case:
        filled.setdefault("seed", str(case["seed"]))
    line = f"{name} {' '.join(f'{key}={value}' for key, value in filled.items())}"
    return [line] if can_compute(line, client, {}) else []


def _write_arguments(name: str, body: str, client: Service) -> str:
    entry = client.capability(name)
    arguments = _match_arguments(_read_pieces(body, entry), entry, client)
    return " ".join(f"{key}={value}" for key, value in arguments.items())


def _find_names(word: str, client: Service) -> tuple[list[str], list[str], list[str]]:
    """List the capabilities that a word names, those whose names begin with it, and those that are spelt like it."""
    known = client.capabilities()
    if word in known:
        return [word], [], []
    by_function: dict[str, list[str]] = {}
    for name in known:
        by_function.setdefault(name.partition(".")[2], []).append(name)
    exact = [name for name in known if fold_name(word) in (fold_name(name), fold_name(name.partition(".")[2]))]
    meant = [hit["name"] for hit in client.search_capabilities(word.rpartition(".")[2], _MOST_CAPABILITIES)]
    exact.sort(key=lambda name: meant.index(name) if name in meant else len(meant))
    near = [
        name for function in find_nearest(word.rpartition(".")[2], by_function, 2) for name in by_function[function]
    ]
    opening = fold_name(word.rpartition(".")[2])
    family = [name for name in known if fold_name(name.partition(".")[2]).startswith(opening)]
    family = family if len(opening) >= _LEAST_OPENING and len(family) <= _MOST_FAMILY else []
    near = list(dict.fromkeys([*meant[:1], *find_nearest(word, known, 1), *near]))
    return exact, family, [name for name in near if name not in exact][: max(_MOST_CAPABILITIES - len(exact), 0)]


def _read_pieces(body: str, entry: Mapping[str, Any]) -> _Pieces:
    names = [part["name"] for part in entry["params"]]
    pieces, current = _Pieces(), None
    for found in _PIECE.finditer(body):
        name, value = found["name"], found["value"]
        if name is None and value in names:  # `rate 0.1`
            current = value
        elif name is not None:
            current = name.strip("`")
            pieces.named.setdefault(current, []).append(value)
        elif current is not None:
            pieces.named.setdefault(current, []).append(value)
        else:
            pieces.placed.append(value)
    return pieces


def _match_arguments(pieces: _Pieces, entry: Mapping[str, Any], client: Service) -> dict[str, str]:
    """Give each written value to the parameter that it was likely meant for."""
    parts = {part["name"]: part for part in entry["params"]}
    left = [name for name in parts if name not in pieces.named]
    given: dict[str, list[str]] = {}
    strays: list[str] = []
    for name, values in pieces.named.items():
        near = [name] if name in parts or name == "seed" else find_nearest(name, left, 1)
        if not near:
            strays.append(name)
            continue
        given[near[0]] = values
        left = [each for each in left if each != near[0]]
    needed = [name for name in left if "default" not in parts[name]]
    if len(strays) == len(needed):  # names that nothing is called, and as many parameters without a value
        given |= {name: pieces.named[stray] for name, stray in zip(needed, strays, strict=True)}
        left, strays = [name for name in left if name not in needed], []
    given |= _place_values(pieces.placed, [parts[name] for name in left])
    order = [*parts, "seed"]
    return {
        **{name: _write_argument(given[name], parts.get(name, {}), client) for name in order if name in given},
        **{name: pieces.named[name][0] for name in strays},
    }


def _place_values(values: Sequence[str], parts: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Give values without names to the parameters that have none, in order; the last one that is a list takes all."""
    if not parts or not values:
        return {}
    *some, last = parts
    placed = {part["name"]: [value] for part, value in zip(some, values, strict=False)}
    rest = list(values[len(placed) :])
    return placed | ({last["name"]: rest} if rest else {})


def _write_argument(values: Sequence[str], part: Mapping[str, Any], client: Service) -> str:
    """Write the values of one parameter as one argument."""
    is_list = bool(part.get("shape"))
    if is_list and len(values) == 1 and values[0].startswith("["):
        inside = [each.strip() for each in values[0][1:-1].split(",")]
        return (
            f"[{', '.join(_write_value(each, part, client) for each in inside)}]" if "'" not in values[0] else values[0]
        )
    written = [_write_value(value, part, client) for value in values]
    if len(written) > 1 or (is_list and _QUANTITY.match(values[0])):
        return f"[{', '.join(written)}]"
    return written[0]


def _write_value(value: str, part: Mapping[str, Any], client: Service) -> str:
    """Write one value: a percentage as its fraction, a quantity in the parameter's own unit without it, a column."""
    quantity = _QUANTITY.match(value)
    if quantity is not None:
        if quantity["unit"] == "%":
            return f"{(Decimal(quantity['number']) / 100).normalize():f}"
        return quantity["number"] if quantity["unit"] == part.get("unit") else value
    pair = re.fullmatch(rf"({_NAME})\.({_NAME})", value)
    if pair is not None:
        known = _find_columns(pair[2].strip("`"), client)
        columns = [each for each in known if fold_name(pair[1]) == fold_name(each.partition(".")[0])]
        return columns[0] if len(columns) == 1 else value
    is_text = str(part.get("type", "")).startswith("string")
    bare = value.strip("'\"`") if not is_text else value
    if re.fullmatch(_NAME, value) or (bare != value and part.get("shape")):
        columns = list(_find_columns(bare, client))
        return columns[0] if len(columns) == 1 else value
    return value


def _find_columns(name: str, client: Service) -> Iterator[str]:
    """Yield the columns `source.column` of that name, or else of the nearest one in each source."""
    for source in client.sources():
        names = [str(each["name"]) for each in source["typed_fields"]]
        found = [each for each in names if fold_name(each) == fold_name(name)] or find_nearest(name, names, 1)
        yield from (f"{write_name(str(source['name']))}.{write_name(each)}" for each in found)
