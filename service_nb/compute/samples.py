"""Samples: which parameters of a capability are paired, place by place, and which are compared.

The contract says both. Arrays with a size of one letter are paired, row by row, and a row is dropped from all of them
or from none. An array with a letter of its own is an independent sample, and loses only its own nulls. Single values
are of one row. `compares` names the parameters that are set against each other: one column under one condition for two
of them would compare a sample with itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from service_nb.core.words import write_name
from service_nb.schema.compute import Binding, Bound, Capability, Parameter, Vector


def group_paired(parameters: Iterable[Parameter]) -> list[tuple[str, ...]]:
    """Group the names of parameters by the rows that they share, in their order."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for parameter in parameters:
        groups.setdefault(parameter.shape[:1], []).append(parameter.name)
    return [tuple(group) for group in groups.values()]


def share_rows(capability: Capability, names: Iterable[str]) -> bool:
    """Tell whether parameters share their rows, so that a condition on nulls of one may leave out rows of all."""
    wanted = set(names)
    return len(group_paired(each for each in capability.parameters if each.name in wanted)) < 2


class BoundColumn(NamedTuple):
    """The column that a parameter is bound to, by resolved names, and the binding that read it."""

    source: str
    field: str
    bound: Bound


def list_columns(bound: Sequence[Bound]) -> dict[str, BoundColumn]:
    """List the column of each bound parameter."""
    return {
        name: BoundColumn(one.binding.source, field, one)
        for one in bound
        for name, field in zip(one.binding.parameters, one.fields, strict=True)
    }


def find_same_sample(capability: Capability, bound: Sequence[Bound]) -> tuple[str, str] | None:
    """Find two parameters that are compared and are bound to one column under one condition."""
    columns = list_columns(bound)
    pairs = combinations([name for name in capability.compares if name in columns], 2)
    return next((pair for pair in pairs if _is_same(*(columns[name] for name in pair))), None)


def _is_same(one: BoundColumn, other: BoundColumn) -> bool:
    if (one.source, one.field) != (other.source, other.field):
        return False
    if one.bound.filter == other.bound.filter:
        return True
    # A condition that leaves out no row is none.
    return None in (one.bound.filter, other.bound.filter) and count_rows(one.bound) == count_rows(other.bound)


def count_rows(bound: Bound) -> int:
    """Count the rows that a binding selected, before nulls were dropped."""
    return bound.row_count + bound.dropped


def find_broken_pair(capability: Capability, bound: Sequence[Bound]) -> tuple[str, str] | None:
    """Find a parameter that lost rows to nulls, and one that is paired with it and did not lose the same rows."""
    columns = list_columns(bound)
    for group in group_paired(each for each in capability.parameters if each.shape):
        for name in group:
            if name in columns and columns[name].bound.dropped:
                rows = columns[name].bound
                other = next((each for each in group if each not in columns or columns[each].bound is not rows), None)
                if other is not None:
                    return name, other
    return None


def find_pairs_by_place(capability: Capability, bound: Sequence[Bound]) -> list[tuple[str, ...]]:
    """Find the columns of parameters that are paired though their rows are selected apart, each group of them."""
    columns = list_columns(bound)
    groups = group_paired(each for each in capability.parameters if each.shape and each.name in columns)
    found = ([columns[name] for name in group] for group in groups)
    return [
        tuple(column.field for column in group)
        for group in found
        if any((each.source, each.bound.filter) != (group[0].source, group[0].bound.filter) for each in group)
    ]


def drop_null_items(capability: Capability, columns: Mapping[str, object]) -> dict[str, object]:
    """Drop nulls from lists that are given to parameters: of independent ones each alone, of paired ones row by row.

    Lists of paired parameters that do not have one length keep their nulls, and so do those with a partner that is no
    such list: nothing says which rows they are.
    """
    dropped = dict(columns)
    for group in group_paired(each for each in capability.parameters if each.shape):
        lists = [items for name in group if isinstance(items := columns.get(name), list)]
        if len(lists) < len(group) or len(set(map(len, lists))) > 1:
            continue
        kept = [row for row in zip(*lists, strict=True) if all(item is not None for item in row)]
        dropped |= {name: [row[at] for row in kept] for at, name in enumerate(group)}
    return dropped


def has_nulls(vector: Vector) -> bool:
    """Tell whether a column has a null."""
    return vector.nulls is not None and bool(vector.nulls.any())


def write_selections(parts: Iterable[tuple[Binding, Sequence[Parameter], Any]]) -> str:
    """Write the arguments of a line that leave out the nulls of each part alone."""
    written = []
    for binding, _, columns in parts:
        names = [write_name(field.name) for field in columns.fields]
        holed = [name for name, vector in zip(names, columns.vectors, strict=True) if has_nulls(vector)]
        where = f"[{' and '.join(f'{name} is not null' for name in holed)}]" if holed else ""
        source = write_name(binding.source)
        written += [f"{each}={source}.{name}{where}" for each, name in zip(binding.parameters, names, strict=True)]
        if binding.filter is not None:  # whose text is not known here
            return ""
    return f" Or select their rows: {' '.join(written)}"
