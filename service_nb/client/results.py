"""The results of `connect`, `ask` and `compute`: dicts with the specification's fields, and conversions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from service_nb.cards.card_blocks import explain_computation
from service_nb.cards.faces import to_bundle, write_bundle
from service_nb.cards.page_blocks import compose_groups, compose_source
from service_nb.core.words import describe_value
from service_nb.errors import DriverMissingError, InvalidIntentError
from service_nb.evidence.standalone import Verdict
from service_nb.schema.card import Card, Column
from service_nb.schema.source import Value

if TYPE_CHECKING:
    import pandas
    import polars

    from service_nb.client.question import ResultTable


class ServiceSource(dict[str, Any]):
    """A registered source: the specification's fields, as the policy lets this client see them."""

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, object], dict[str, object]]:
        return write_bundle(compose_source(self))

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(write_bundle(compose_source(self))[0]["text/plain"])


class Replayable(dict[str, Any]):
    """A result with a card, which its client can run again."""

    def __init__(self, payload: Mapping[str, object], *, card: Callable[[], Card]) -> None:
        super().__init__(payload)
        self._card = card
        self._replay: Callable[[Replayable], Mapping[str, object]] | None = None
        self._verify: Callable[[Card, Collection[str]], Verdict] | None = None

    @cached_property
    def card(self) -> Card:
        """The provenance card: a JSON object that holds what is needed to check the hashes."""
        return self._card()

    def without_values(self) -> Replayable:
        """Copy the result with its id and card only, so that it can be kept for long.

        Returns
        -------
        Replayable
            It verifies and replays as before once `belong_to` gave it a client.

        Examples
        --------
        >>> list(service.ask("max revenue from sales").without_values())
        ['id']
        """
        card = self.card
        return Replayable({"id": get_result_id(self)}, card=lambda: card)

    def belong_to(
        self,
        replay: Callable[[Replayable], Mapping[str, object]],
        verify: Callable[[Card, Collection[str]], Verdict],
    ) -> None:
        """Set the client's functions for `replay` and `verify`; neither holds the result, so that it can be freed.

        Parameters
        ----------
        replay : callable
            Called with the result; returns a ReplayOutcome.
        verify : callable
            Called with the card and a list of keys; returns a Verdict.

        Examples
        --------
        >>> outcome = service.ask("max revenue from sales")
        >>> outcome.belong_to(lambda result: {"status": "refused"}, lambda card, keys: None)
        >>> outcome.replay()["status"]
        'refused'
        """
        self._replay, self._verify = replay, verify

    def replay(self) -> Mapping[str, Any]:
        """Run the same again, without any memory of results, and compare every value; the replay is recorded too.

        Returns
        -------
        Mapping
            `status` is `identical`, `differs` or `refused`; `cause` and `message` say why, `expected` and `met` are the
            two hashes, and `comparison` has what differs, value by value.

        Examples
        --------
        >>> service.ask("max revenue from sales").replay()["status"]
        'identical'
        """
        if self._replay is None:
            raise InvalidIntentError(
                "This result has no client, so it cannot be replayed.", hint="Use client.replay(card)."
            )
        return self._replay(self)

    def verify(self, *, keys: Collection[str] = ()) -> Verdict:
        """Check the card as it stands, without running anything: the verdict of `%service_verify` and of the command.

        Parameters
        ----------
        keys : list of str, or str
            Public keys (base64, or files of them) that are trusted. Without any, this machine's own key and those that
            its user trusts.

        Returns
        -------
        Verdict
            Every check, passed, failed with its cause, or not checkable here. It has no truth value: look at `status`,
            one of `verified`, `unaltered`, `consistent`, `not_checkable`, `altered`.

        Examples
        --------
        >>> service.ask("max revenue from sales").verify().status
        'verified'
        """
        if self._verify is None:
            raise InvalidIntentError("A result without its client cannot be verified.", hint="Use service-nb verify.")
        return self._verify(self.card, list_texts(keys))

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, object], dict[str, object]]:
        return to_bundle(self.card)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(to_bundle(self.card)[0]["text/plain"])


def list_texts(texts: Collection[str]) -> Collection[str]:
    """Wrap a single text in a list, and return a collection of texts unchanged."""
    return [texts] if isinstance(texts, str) else texts


def get_result_id(result: Mapping[str, Any]) -> str:
    """Return the id under which the ledger keeps a result."""
    ids = (result.get("data") or {}).get("query_id"), *(result.get(key) for key in ("request_id", "result_id", "id"))
    return next(str(each) for each in ids if each)


class QueryOutcome(Replayable):
    """The outcome of a question: `status`, `data` when it is `ok`, and `resolution`.

    It stays an ordinary dict (``outcome["data"]["plan_hash"]``, ``json.dumps(outcome)``); the answer's rows are in
    `rows` and the conversions. Asked for an answer it does not have, a refusal raises and says why.
    """

    def __init__(
        self,
        payload: Mapping[str, object],
        *,
        card: Callable[[], Card],
        table: ResultTable | None = None,
    ) -> None:
        super().__init__(payload, card=card)
        self._table = table

    @property
    def rows(self) -> list[dict[str, Value]]:
        """The rows with native values: long integers and decimals exact, dates as dates."""
        table = self._require_table()
        names = [column["name"] for column in table.columns]
        return [dict(zip(names, values, strict=True)) for values in table.values]

    @property
    def columns(self) -> list[Column]:
        """The columns of the rows in their order: `name`, `type`, `physical`, and `role`: key, metric or count."""
        return list(self._require_table().columns)

    def explain(self) -> list[str]:
        """Return the steps of the plan in words; for a refusal, the reasons.

        Returns
        -------
        list of str
            A sentence each.

        Examples
        --------
        >>> service.ask("max revenue from sales").explain()[1]
        'Take the largest value of revenue; nulls are left out'
        """
        if self["status"] == "ok":
            return list(self["data"]["plan"])
        resolution = self["resolution"]
        similar = ", ".join(map(describe_value, self.get("similar_sources", ())))
        told = [f"The deployment has {similar}, which a question may name."] if similar else []
        return [resolution["reason"], *(candidate["ask"] for candidate in resolution["candidates"]), *told]

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
        table = self._require_table()
        columns = list(zip(*table.values, strict=True)) or [()] * len(table.columns)
        arrays = [_build_array(column, values) for column, values in zip(table.columns, columns, strict=True)]
        return pa.table(arrays, names=[column["name"] for column in table.columns])

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

    def plot(self, **options: Any) -> Any:
        """Draw the answer with matplotlib and return the Figure: bars for groups, a line over dates.

        Parameters
        ----------
        **options
            `top` : int, bars of so many rows only, at most 30.

        Returns
        -------
        matplotlib.figure.Figure
            It shows itself as the last value of a cell.

        Examples
        --------
        >>> len(service.ask("sum revenue by region from sales").plot().axes)
        1
        """
        from service_nb.cards.charts import draw  # noqa: PLC0415  # lazy: loads matplotlib

        self._require_table()
        return draw(self.card, self.rows, **options)

    def _require_table(self) -> ResultTable:
        if self._table is None:
            raise InvalidIntentError(
                f"The question was not answered ({self['status']}), so it has no rows.",
                hint=self["resolution"]["reason"],
                met=self["status"],
                expected="ok",
            )
        return self._table


class Computation(Replayable):
    """The result of a computation: the specification's fields, `value` first among them.

    It stays an ordinary dict (``result["computation_hash"]``, ``json.dumps(result)``). Whole numbers beyond 2**53 - 1
    are texts of their digits in the dict, for JSON's sake; the attribute `value` has them as numbers. `setup_ms` is the
    time that it took to install and to start the runtime before: `latency_ms` does not count it.
    """

    def __init__(
        self,
        payload: Mapping[str, object],
        *,
        value: object,
        card: Callable[[], Card],
        setup_ms: float = 0.0,
    ) -> None:
        super().__init__(payload, card=card)
        self.value = value
        self.setup_ms = setup_ms

    def explain(self) -> list[str]:
        """Explain the computation in sentences: call, meaning, formula, citation, columns, promise.

        Returns
        -------
        list of str
            A sentence each.

        Examples
        --------
        >>> service.compute("stats.mean", args=[[1, 2]]).explain()[0]
        'stats.mean(values=[1, 2]) was computed: Arithmetic mean of a sample, the exact one rounded once.'
        """
        return explain_computation(self.card["view"])


class ComputationList(list[Computation]):
    """Computations, each with a card. The list itself shows no values; after `%load_ext service_nb` it shows cards."""

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, object], dict[str, object]]:
        return write_bundle(compose_groups(self))

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(write_bundle(compose_groups(self))[0]["text/plain"])


class StoredResult(Replayable):
    """An outcome as the ledger keeps it: `id`, `kind`, `time`, its place and what it was made from.

    `card` is the card as it was, with its receipt; `texts` are all hashed texts that are kept, whether or not the card
    holds them.
    """

    def __init__(self, payload: Mapping[str, object], *, card: Card, texts: Mapping[str, str]) -> None:
        super().__init__(payload, card=lambda: card)
        self.texts = dict(texts)


def _build_array(column: Column, values: tuple[Value, ...]) -> pa.Array:
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
        "boolean": pa.bool_(),
        "date": pa.date32(),
        "datetime": pa.timestamp("us"),
    }[physical]
