"""What the columns of a relation are here, and which columns of a table are left out.

A table is what its owner made it, and one column of a type without an exact counterpart must not keep the others from
being asked about: it is left out, and said so. A query is the user's own, who can cast there: it is refused as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from service_nb.connectors.faults import unsupported
from service_nb.core.words import shown
from service_nb.readers.columns import check_names, field_of
from service_nb.schema.connector import Kind
from service_nb.schema.source import DEFAULT_LIMITS, Field

CASTS = "Give the connector a query that leaves it out, or casts it to a number of fixed digits, a text or a date."


@dataclass(frozen=True, slots=True)
class Met:
    """A column as a database tells it.

    `physical` is None where its type, `type`, has no exact counterpart. With `cast` it is read as that: what a database
    can say exactly in another of its types.
    """

    name: str
    physical: str | None
    type: str
    hint: str | None = None
    cast: exp.Expr | None = None


@dataclass(frozen=True, slots=True)
class Described:
    """The columns that can be asked about, a sentence for each one that a table has beside them, and casts by name."""

    fields: tuple[Field, ...]
    left_out: tuple[str, ...]
    casts: Mapping[str, exp.Expr]


def described(kind: Kind, relation: exp.Expr | None, columns: Iterable[Met]) -> Described:
    """Return the columns of a relation; only of a table may some be left out, and not all of them.

    Raises
    ------
    UnsupportedSourceError [unsupported_source]
        A column has no counterpart, in a query or in a table that has no others.
    SourceMalformedError [source_malformed], LimitExceededError [limit_exceeded]
        Of the names.
    """
    met = list(columns)
    check_names([column.name for column in met], DEFAULT_LIMITS)
    strange = [column for column in met if column.physical is None]
    if strange and (not isinstance(relation, exp.Table) or len(strange) == len(met)):
        raise unsupported(kind, strange[0].name, strange[0].type, hint=strange[0].hint or CASTS)
    fields = tuple(field_of(column.name, column.physical) for column in met if column.physical is not None)
    casts = {column.name: column.cast for column in met if column.cast is not None}
    return Described(fields, tuple(_sentence(kind, column) for column in strange), casts)


def _sentence(kind: Kind, column: Met) -> str:
    name = exp.to_identifier(column.name, quoted=True).sql(dialect=kind.dialect)
    cure = column.hint or (
        f"To read it, give the connector a query, instead of the table, that selects CAST({name} AS …) "
        "as a number of fixed digits, a text or a date."
    )
    return (
        f"Column {shown(column.name)} of the type {column.type} is left out: it cannot be represented exactly. {cure}"
    )


def recast(relation: exp.Expr, fields: Sequence[Field], casts: Mapping[str, exp.Expr]) -> exp.Expr:
    """Return the relation with some columns read otherwise: as what a database can hold them in here."""
    if not casts:
        return relation
    names = [exp.to_identifier(each.name, quoted=True) for each in fields]
    read = [casts[each.name].copy() if each.name in casts else exp.column(each.name, quoted=True) for each in fields]
    columns = [exp.alias_(one, name, copy=False) for one, name in zip(read, names, strict=True)]
    inner = relation.copy()
    return exp.Select(expressions=columns).from_(inner, copy=False).subquery(exp.to_identifier("read", quoted=True))
