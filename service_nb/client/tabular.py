"""Rows as Arrow tables, as frames of pandas and Polars, as files and as pictures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from service_nb.errors import DriverMissingError
from service_nb.schema.card import Card, Column

if TYPE_CHECKING:
    import pandas
    import polars

    from service_nb.cards.charts import ChartKind


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


class WritableResult(TabularResult):
    """A result with rows and hashes: writes the rows to files that name the hash."""

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write the rows as CSV: exact texts, and no text that a spreadsheet takes for a formula.

        Parameters
        ----------
        path : str or path
            Where to; replaces what is there.

        Returns
        -------
        Path
            The file. Beside it `<name>-metadata.json` (CSV on the Web) has types, hashes and its SHA-256.

        Examples
        --------
        >>> service.ask("max revenue from sales").to_csv("max.csv").read_text().splitlines()
        ['"revenue","count"', '5,3']
        """
        from service_nb.ledger.exports.csv_rows import describe_csv, to_csv  # noqa: PLC0415  # lazy: few results are written
        from service_nb.ledger.exports.files import write_file  # noqa: PLC0415  # lazy: few results are written
        from service_nb.ledger.exports.table import build_table  # noqa: PLC0415  # lazy: few results are written

        card, target = self.read_whole_card(), Path(path)
        content = to_csv(build_table(card))
        write_file(target, content, over=True)
        write_file(Path(f"{target}-metadata.json"), describe_csv(card, target.name, content), over=True)
        return target

    def to_parquet(self, path: str | os.PathLike[str]) -> Path:
        """Write the rows as Parquet with exact types.

        Parameters
        ----------
        path : str or path
            Where to; replaces what is there.

        Returns
        -------
        Path

        Examples
        --------
        >>> service.ask("max revenue from sales").to_parquet("max.parquet").name
        'max.parquet'
        """
        from service_nb.ledger.exports.files import write_file  # noqa: PLC0415  # lazy: few results are written
        from service_nb.ledger.exports.parquet_rows import to_parquet  # noqa: PLC0415  # lazy: few results are written

        card, target = self.read_whole_card(), Path(path)
        write_file(target, to_parquet(self.to_arrow(), card["digests"], card["canonical"].get("plan")), over=True)
        return target

    def to_markdown(self) -> str:
        """Return the rows as a Markdown table of exact texts, escaped, with the hash of the result on its last line.

        Returns
        -------
        str

        Examples
        --------
        >>> service.ask("max revenue from sales").to_markdown().splitlines()[2]
        '| 5 | 3 |'
        """
        from service_nb.ledger.exports.markdown_rows import to_markdown  # noqa: PLC0415  # lazy: few results are written

        return to_markdown(self.read_whole_card())

    def read_whole_card(self) -> Card:
        """Return the card with all hashed texts, those that it is too small to hold too; for exports, it may be large.

        Returns
        -------
        Card

        Examples
        --------
        >>> list(service.ask("max revenue from sales").read_whole_card()["canonical"])
        ['plan', 'provenance', 'result']
        """
        raise NotImplementedError


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
    key: str,
    keys: Sequence[Any],
    values: Sequence[Any],
    card: Card,
    *,
    kind: ChartKind | None,
    top: int | None,
    question: str = "",
) -> Any:
    """Draw values by their keys, under a question, by default that of a computation's card."""
    from service_nb.cards.charts import draw_rows  # noqa: PLC0415  # lazy: loads matplotlib

    is_counted = all(type(each) is int for each in keys)
    columns = [
        Column(name=key, type="number" if is_counted else "string", physical="string", role="key"),
        Column(name="value", type="number", physical="float64", role="metric"),
    ]
    rows = [[each if is_counted else str(each), value] for each, value in zip(keys, values, strict=True)]
    asked, computed = question or card["view"]["question"], card["digests"]["computation_hash"]
    return draw_rows(columns, rows, asked, computed, kind=kind, top=top)
