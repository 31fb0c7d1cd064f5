"""Reading packs: TOML topics and Python topics become capabilities, and a wrong declaration is named with its file."""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from service_nb_kernels.bibliography import FILE, PACKS, Publication, read_publications
from service_nb_kernels.constants import constants
from service_nb_kernels.declare import (
    DECLARATION,
    TIERS,
    WHOLE_LINE,
    Capability,
    Case,
    Declared,
    Parameter,
    Result,
    split_type,
)
from service_nb_kernels.domain import parse_domain
from service_nb_kernels.errors import PackError
from service_nb_kernels.formula.invert import Branch, inlined, solved_for, substituted
from service_nb_kernels.formula.latex import Latex
from service_nb_kernels.formula.parse import parse
from service_nb_kernels.formula.ranges import POSITIVE, Range, of_domain, range_of
from service_nb_kernels.formula.text import to_text
from service_nb_kernels.formula.tree import Node, names
from service_nb_kernels.origins import choose_best, grade_origin, list_cited
from service_nb_kernels.structures import OF_VECTORS, STRUCTURES
from service_nb_kernels.units import parse_unit

OUTCOME = frozenset({"result", "error", "within", "seed", "origin"})  # of a case; no parameter has such a name
ENTRY = {
    "summary", "source", "formula", "call", "entry", "tier", "params", "result", "cases", "solve_for", "requires",
    "limit", "compares", "keywords", "version", "latex", "define",
}  # fmt: skip
PARAMETER = frozenset({"type", "unit", "domain", "about", "symbol", "choices", "min_size", "structure", "default"})
INVERSE = frozenset({"summary", "formula", "requires"})
MATRIX = 2  # dimensions
RESULT = frozenset({"type", "unit", "about", "name", "fields", "range", "symbol"})


def fields_of_packs() -> list[str]:
    """Return the names of all fields, in order."""
    return sorted(folder.name for folder in PACKS.iterdir() if folder.is_dir() and not folder.name.startswith("_"))


def read_field(name: str) -> Iterator[Capability | PackError]:
    """Yield what a field declares, and in the place of what is wrong, why."""
    for path in sorted((PACKS / name).iterdir()):
        if path.suffix == ".toml" and path.name != FILE:
            yield from _toml(name, path)
        elif path.suffix == ".py" and path.stem != "__init__":
            yield from _python(name, path)


def _toml(field: str, path: Path) -> Iterator[Capability | PackError]:
    where = f"{field}/{path.name}"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        yield PackError(f"{where}: {error}")
        return
    define = table.get("define", {})
    unknown = table.keys() - {"define", "capability", "family"}
    if unknown:
        yield PackError(f"{where}: unknown tables {sorted(unknown)}.")
    entries = [(f"{field}.{name}", entry) for name, entry in table.get("capability", {}).items()]
    for name, family in table.get("family", {}).items():
        try:
            families = importlib.import_module("service_nb_kernels.families")
            expanded = families.expand(name, family, field=field, define=define)
            entries += [
                (f"{field}.{entry['name']}", {k: v for k, v in entry.items() if k != "name"}) for entry in expanded
            ]
        except (PackError, KeyError, TypeError, ValueError) as error:
            yield PackError(f"{where}: family {name}: {error!r}")
    for id_, entry in entries:
        yield from _guarded(id_, entry, define, where)


def _guarded(
    id_: str, entry: Mapping[str, Any], define: Mapping[str, str], where: str
) -> Iterator[Capability | PackError]:
    try:
        made = declared(id_, entry, read_publications(), define, where)
        yield made
    except (PackError, KeyError, TypeError, ValueError, AttributeError) as error:
        yield PackError(f"{where}: {id_}: {error if isinstance(error, PackError) else repr(error)}")
        return
    for unknown, inverse in entry.get("solve_for", {}).items():
        try:
            yield solved(made, unknown, inverse)
        except (PackError, KeyError, TypeError, ValueError) as error:
            yield PackError(f"{where}: {id_} solved for {unknown}: {error}")


def _python(field: str, path: Path) -> Iterator[Capability | PackError]:
    where = f"{field}/{path.name}"
    name = f"service_nb_kernels.packs.{field}.{path.stem}"
    try:
        module = importlib.import_module(name)
    except Exception as error:  # noqa: BLE001  # whatever a topic does wrong while it is read is its author's to see
        yield PackError(f"{where}: {error!r}")
        return
    for attribute, function in vars(module).items():
        found = getattr(function, DECLARATION, None)
        if isinstance(found, Declared) and getattr(function, "__module__", None) == name:
            if found.id.partition(".")[0] != field:
                yield PackError(f"{where}: {found.id} does not belong to the field {field}.")
            yield from _guarded(found.id, {**found.table, "entry": f"{name}:{attribute}"}, {}, where)


def declared(
    id_: str,
    entry: Mapping[str, Any],
    sources: Mapping[str, Publication],
    define: Mapping[str, str],
    where: str,
) -> Capability:
    """Return the capability of one entry.

    Raises
    ------
    PackError
        The entry breaks a rule; the message says which.
    """
    if entry.keys() - ENTRY:
        raise PackError(f"unknown keys {sorted(entry.keys() - ENTRY)}")
    if sum(key in entry for key in ("formula", "call", "entry")) != 1:
        raise PackError("exactly one of formula and call is needed")
    tier = entry.get("tier", "certified" if "formula" in entry else "pinned")
    if tier not in TIERS:
        raise PackError(f"tier {tier!r}; expected one of {', '.join(TIERS)}")
    params = tuple(_parameter(name, table) for name, table in entry["params"].items())
    result = _result(entry["result"])
    if result.name in entry["params"]:
        raise PackError(f"the result has the name of the parameter {result.name}")
    defined = {**define, **entry.get("define", {})}
    tree = parse(entry["formula"], defined) if "formula" in entry else None
    cases = tuple(_case(case, params, sources) for case in entry["cases"])
    source, keys = _source(entry["source"], sources)
    return Capability(
        id=id_,
        tier=tier,
        summary=entry["summary"],
        source=source,
        params=params,
        result=result,
        cases=cases,
        formula=None if tree is None else to_text(tree),
        tree=tree,
        call=entry.get("call"),
        entry=entry.get("entry"),
        latex=entry.get("latex") or (None if tree is None else Latex(_symbols(params)).formula(tree, result.name)),
        requires=tuple(_write_out(text, defined) for text in entry.get("requires", ())),
        limit=dict(entry.get("limit", {})),
        compares=_compared(entry.get("compares", ()), params),
        keywords=tuple(entry.get("keywords", ())),
        version=entry.get("version", 1),
        grade=choose_best(case.grade for case in cases if case.error is None),
        cited=(*keys, *(key for case in cases if case.grade == "published" for key in list_cited(case.origin))),
        file=where,
    )


def _compared(names: Sequence[str], params: Sequence[Parameter]) -> tuple[str, ...]:
    """Return the parameters that are set against each other; each takes a column."""
    vectors = {param.name for param in params if len(param.shape) == 1}
    if names and (len(set(names)) < max(2, len(names)) or not vectors.issuperset(names)):
        raise PackError(f"compares {list(names)}; expected two or more of the parameters {sorted(vectors)}")
    return tuple(names)


def _write_out(condition: str, define: Mapping[str, str]) -> str:
    """Return a condition on one line: as it stands, or with the definitions that it names in front of it."""
    named = names(parse(condition)) & define.keys()
    return _join_lines(to_text(parse(condition, define)) if named else condition)


def _join_lines(text: str) -> str:
    return "; ".join(text.strip().splitlines())


def _symbols(params: Sequence[Parameter]) -> dict[str, str]:
    known = {name: constant.symbol for name, constant in constants().items()}
    return known | {param.name: param.symbol for param in params if param.symbol is not None}


def _parameter(name: str, table: Mapping[str, Any]) -> Parameter:
    if table.keys() - PARAMETER:
        raise PackError(f"parameter {name}: unknown keys {sorted(table.keys() - PARAMETER)}")
    if name in OUTCOME:
        raise PackError(f"no parameter can be called {name}")
    if name in constants() or name in ("pi", "e", "euler_gamma", "inf"):
        raise PackError(f"parameter {name} hides the constant of that name")
    parameter = Parameter(name=name, **{**table, "choices": tuple(table.get("choices", ()))})
    _ = parameter.shape, parameter.interval, parse_unit(parameter.unit)
    if parameter.default is not None:
        _check_default(parameter)
    structure, dimensions = parameter.structure, 1 if parameter.structure in OF_VECTORS else MATRIX
    if structure is not None and (structure not in STRUCTURES or len(parameter.shape) != dimensions):
        raise PackError(f"parameter {name}: {parameter.structure!r} is no structure of a {parameter.type}")
    return parameter


def _check_default(parameter: Parameter) -> None:
    """Check that a default is a scalar of the parameter's own type, and among its choices or in its domain."""
    kinds: Mapping[str, type] = {"float64": float, "int": int, "string": str}
    kind, value = kinds.get(parameter.scalar), parameter.default
    if parameter.shape or kind is None or type(value) is not kind:
        raise PackError(f"parameter {parameter.name}: the default {value!r} is not a {parameter.type}")
    is_allowed = value in parameter.choices if isinstance(value, str) else float(value or 0) in parameter.interval
    if not is_allowed:
        raise PackError(f"parameter {parameter.name}: the default {value!r} is not one of its values")


def _result(table: Mapping[str, Any]) -> Result:
    if table.keys() - RESULT:
        raise PackError(f"result: unknown keys {sorted(table.keys() - RESULT)}")
    fields = {name: _result(inner) for name, inner in table.get("fields", {}).items()}
    result = Result(**{**table, "type": "record" if fields else table.get("type", "float64"), "fields": fields})
    if not fields:
        split_type(result.type)
        parse_unit(result.unit)
        parse_domain(result.range)
    return result


def _source(text: str, sources: Mapping[str, Publication]) -> tuple[str, list[str]]:
    """The full citations of ``"key, where; key"``, and the keys."""
    cited, keys = [], []
    for part in text.split(";"):
        key, comma, place = part.strip().partition(",")
        if key not in sources:
            raise PackError(f"source {key!r} is in no {FILE}")
        cited.append(f"{sources[key].text}{comma}{place}")
        keys.append(key)
    return "; ".join(cited), keys


def _case(table: Mapping[str, Any], params: Sequence[Parameter], sources: Mapping[str, Publication]) -> Case:
    arguments = {key: value for key, value in table.items() if key not in OUTCOME}
    names = {param.name for param in params}
    if arguments.keys() != names:
        raise PackError(f"a case names {sorted(arguments)}; the parameters are {sorted(names)}")
    if ("result" in table) == ("error" in table):
        raise PackError("a case has either a result or an error")
    grade = grade_origin(table["origin"], sources)
    return Case(arguments=arguments, grade=grade, **{key: table[key] for key in OUTCOME & table.keys()})


def solved(base: Capability, unknown: str, inverse: str | Mapping[str, Any]) -> Capability:
    """Return the capability that solves another for one of its parameters, with cases from the same outside numbers.

    It is solved by algebra, where only a summary is declared and the parameter occurs once, or by the declared formula.
    """
    table = {"summary": inverse} if isinstance(inverse, str) else inverse
    if table.keys() - INVERSE:
        raise PackError(f"unknown keys {sorted(table.keys() - INVERSE)}")
    if base.tree is None or base.result.name is None:
        raise PackError("only a formula with a named result is solved")
    gone = next((param for param in base.params if param.name == unknown), None)
    if gone is None:
        raise PackError("there is no such parameter")
    known = _known(base, base.tree)
    params = (*(param for param in base.params if param.name != unknown), known)
    if "formula" in table:
        tree, requires = parse(table["formula"]), tuple(table.get("requires", ()))
    else:
        tree, conditions = solved_for(base.tree, unknown, known.name)
        requires = (*_carried(base.requires, unknown, tree), *_list_open(conditions, _ranges(params)))
    cases = _list_reversible(base, gone)
    return Capability(
        id=f"{base.module}.{unknown}_from_{base.function}",
        tier="certified",
        summary=table["summary"],
        source=base.source,
        params=params,
        result=Result(unit=gone.unit, about=gone.about, range=gone.domain, name=unknown, symbol=gone.symbol),
        cases=tuple(
            Case(
                arguments={**{k: v for k, v in case.arguments.items() if k != unknown}, known.name: case.result},
                result=case.arguments[unknown],
                within=max(100 * case.within, INVERSE_WITHIN),
                origin=case.origin,
                grade=case.grade,
            )
            for case in cases
        ),
        formula=to_text(tree),
        tree=tree,
        latex=Latex(_symbols(params)).formula(tree, unknown),
        requires=requires,
        keywords=base.keywords,
        version=base.version,
        grade=base.grade,
        cited=base.cited,
        file=base.file,
    )


def _list_reversible(base: Capability, gone: Parameter) -> list[Case]:
    """List the cases that say something backwards: not from 0, and rather not from an end, which rounding may pass."""
    cases = [case for case in base.cases if case.error is None and case.result != 0]
    ends = {end for end, _ in gone.interval.edges}, {end for end, _ in parse_domain(base.result.range).edges}
    inside = [case for case in cases if case.arguments[gone.name] not in ends[0] and case.result not in ends[1]]
    return inside if len(inside) > 1 else cases


def _known(base: Capability, tree: Node) -> Parameter:
    """The result of a formula as a parameter; where no domain is declared, it is what the formula can reach."""
    declared = base.result.range
    reached = (
        range_of(inlined(tree), _ranges(base.params)) if declared == WHOLE_LINE else of_domain(parse_domain(declared))
    )
    return Parameter(
        name=str(base.result.name),
        unit=base.result.unit,
        domain=reached.text if declared == WHOLE_LINE else declared,
        about=base.result.about,
        symbol=base.result.symbol,
    )


def _ranges(params: Sequence[Parameter]) -> dict[str, Range]:
    ranges = {param.name: of_domain(param.interval) for param in params if not param.shape}
    return dict.fromkeys(constants(), POSITIVE) | ranges


def _carried(requires: Sequence[str], unknown: str, tree: Node) -> Iterator[str]:
    """Conditions of the formula, with what is solved for written out."""
    for text in requires:
        condition = parse(text)
        yield _join_lines(to_text(substituted(condition, {unknown: tree}))) if unknown in names(condition) else text


def _list_open(conditions: Sequence[Branch], known: Mapping[str, Range]) -> Iterator[str]:
    """Conditions of the steps that were undone, where they do not already follow from the domains."""
    for condition in conditions:
        low, high = range_of(condition.value, known).within(condition.range)
        if not (low and high):
            yield condition.text


INVERSE_WITHIN = 1e-9  # the outside number is rounded, and the way back may magnify that
