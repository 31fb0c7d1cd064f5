"""Rows as Arrow tables, as frames of pandas and Polars, and as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from service_nb.errors import DriverMissingError
from service_nb.schema.card import Card, Column
from service_nb.schema.source import Value

if TYPE_CHECKING:
    import pandas
    import polars


class TabularResult:
    """A result with rows: converts them to the frames of other libraries."""

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table with exact types.

        Returns
        -------
        pyarrow.Table
            Whole numbers beyond int64 are decimals.

        Examples
        --------
        >>> service.ask("max revenue from sales").to_arrow().to_pylist()
        [{'revenue': 5, 'count': 3}]
        """
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the rows as a pandas frame. Integers stay integers, also beside nulls (`Int64`).

        Returns
        -------
        pandas.DataFrame
            A row each, in the answer's order.

        Examples
        --------
        >>> service.ask("max revenue from sales").to_pandas().shape
        (1, 2)
        """
        import pandas  # noqa: PLC0415  # lazy: a heavy import that few answers need

        def choose_type(kind: pa.DataType) -> Any:
            return pandas.Int64Dtype() if pa.types.is_int64(kind) else None

        table = self.to_arrow()
        holes = any(pa.types.is_int64(column.type) and column.null_count for column in table.columns)
        frame: pandas.DataFrame = table.to_pandas(types_mapper=choose_type if holes else None)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Return the rows as a Polars frame (extra `polars`); integers and decimals beyond its 38 digits as text.

        Returns
        -------
        polars.DataFrame
            A row each, in the answer's order.

        Examples
        --------
        >>> service.ask("max revenue from sales").to_polars().shape
        (1, 2)
        """
        try:
            import polars  # noqa: PLC0415  # optional
        except ImportError as error:
            raise DriverMissingError("Polars is not installed.", hint='pip install "service-nb[polars]"') from error
        table = self.to_arrow()
        kinds = [pa.string() if pa.types.is_decimal256(kind) else kind for kind in table.schema.types]
        frame = polars.from_arrow(table.cast(pa.schema(list(zip(table.column_names, kinds, strict=True)))))
        if not isinstance(frame, polars.DataFrame):
            raise TypeError("an Arrow table became a series")
        return frame


def list_value_columns(value: object) -> dict[str, list[Any]]:
    """List the columns of a computation's value, which is a scalar, a list, a matrix or a record."""
    fields = list_value_fields(value)
    if len({len(each) if isinstance(each, list) else -1 for each in fields.values()} - {-1}) == 1 and all(
        isinstance(each, list) for each in fields.values()
    ):
        rows = fields.get("value")
        if rows and isinstance(rows[0], list):
            return {str(at): [row[at] for row in rows] for at in range(len(rows[0]))}
        return fields
    return {name: [each] for name, each in fields.items()}


def list_value_fields(value: object) -> dict[str, Any]:
    """List the fields of a record by name; of any other value the one field `value`. Arrays become lists."""
    fields = value if isinstance(value, dict) else {"value": value}
    return {name: each.tolist() if hasattr(each, "tolist") else each for name, each in fields.items()}


def build_plain_array(values: Sequence[Any]) -> pa.Array:
    """Build an array of Python values; whole numbers beyond int64, and values of several types, are their texts."""
    try:
        return pa.array(values)
    except (OverflowError, pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())


def draw_values(
    key: str, keys: Sequence[Any], values: Sequence[Any], card: Card, top: int | None, *, question: str = ""
) -> Any:
    """Draw values by their keys, under a question, by default that of a computation's card."""
    from service_nb.cards.charts import draw_rows  # noqa: PLC0415  # lazy: loads matplotlib

    is_counted = all(type(each) is int for each in keys)
    columns = [
        Column(name=key, type="number" if is_counted else "string", physical="string", role="key"),
        Column(name="value", type="number", physical="float64", role="metric"),
    ]
    rows = [[each if is_counted else str(each), value] for each, value in zip(keys, values, strict=True)]
    return draw_rows(columns, rows, question or card["view"]["question"], card["digests"]["computation_hash"], top=top)


def build_array(column: Column, values: tuple[Value, ...]) -> pa.Array:
    """Build an array of one column of a result; whole numbers beyond int64 become decimals."""
    physical = column["physical"]
    if physical == "int64" and any(isinstance(v, int) and not -(2**63) <= v < 2**63 for v in values):
        digits = max(len(str(abs(v))) for v in values if isinstance(v, int))
        wide = pa.decimal128(38, 0) if digits <= 38 else pa.decimal256(76, 0)
        return pa.array([None if v is None else str(v) for v in values], pa.string()).cast(wide)
    return pa.array(values, _choose_arrow_type(physical, values))


def _choose_arrow_type(physical: str, values: tuple[Value, ...]) -> pa.DataType | None:
    if physical.startswith("decimal("):
        return (
            pa.infer_type([v for v in values if v is not None])
            if any(v is not None for v in values)
            else pa.decimal128(38, 0)
        )
    return {
        "int64": pa.int64(),
        "float64": pa.float64(),
        "string": pa.string(),
        "counts": pa.string(),
        "boolean": pa.bool_(),
        "date": pa.date32(),
        "datetime": pa.timestamp("us"),
    }[physical]
