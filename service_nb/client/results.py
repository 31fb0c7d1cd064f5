"""The results of `connect`, `ask` and `compute`: dicts with the specification's fields, and conversions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from service_nb.cards.blocks import Command
from service_nb.cards.card_blocks import explain_computation
from service_nb.cards.digits import Digits
from service_nb.cards.faces import Bundle, FacedValue, to_bundle, write_bundle
from service_nb.cards.page_blocks import SourceLook, compose_groups, compose_source, list_source_lines
from service_nb.client.tabular import (
    TabularResult,
    WritableResult,
    build_plain_array,
    draw_values,
    list_value_columns,
    list_value_fields,
)
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError
from service_nb.evidence.standalone import Verdict
from service_nb.query.spec import SPEC_KEYS
from service_nb.query.variables import StartingControl, replace_values_by_variables
from service_nb.schema.card import Card, Column
from service_nb.schema.source import Value

if TYPE_CHECKING:
    from service_nb.cards.charts import ChartKind
    from service_nb.client.question import ResultTable


class ServiceSource(FacedValue, dict[str, Any]):
    """A registered source: the specification's fields, as the policy lets this client see them.

    Shown, it tells what is known of its columns, and lines to go on with.
    """

    def __init__(self, payload: Mapping[str, object], look: Callable[[], SourceLook | None] = lambda: None) -> None:
        super().__init__(payload)
        self._look = look
        self._has_lines = True

    def take_lines(self) -> list[Command]:
        """Return the lines to go on with, for who shows them below this source; it shows them no more itself.

        Returns
        -------
        list of Command
            First the line that reads the source as its notes say, where there is one.

        Examples
        --------
        >>> service.source("sales").take_lines()[0].line
        '%service_preview sales'
        """
        self._has_lines = False
        return list_source_lines(self, self._look())

    def __reduce__(self) -> tuple[type[ServiceSource], tuple[dict[str, Any]]]:
        return ServiceSource, (dict(self),)  # a copy elsewhere has no client to look with

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        return write_bundle(compose_source(self, look=self._look(), has_lines=self._has_lines))


class Replayable(FacedValue, dict[str, Any]):
    """A result with a card, which its client can run again.

    `digits` are the significant digits that its card shows: a number from 1 to 17, "exact", or None for the usual ones.
    They are for reading alone: nothing that is hashed, exported or verified depends on them.
    """

    digits: Digits = None

    def __init__(self, payload: Mapping[str, object], *, card: Callable[[], Card]) -> None:
        super().__init__(payload)
        self._card = card
        self._replay: Callable[[Replayable], Mapping[str, object]] | None = None
        self._verify: Callable[[Card, Collection[str]], Verdict] | None = None
        self._ask: Callable[..., QueryOutcome] | None = None

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
        ask: Callable[..., QueryOutcome] | None = None,
    ) -> None:
        """Set the client's functions for `replay`, `verify` and `widget`; none holds the result, so it can be freed.

        Parameters
        ----------
        replay : callable
            Called with the result; returns a ReplayOutcome.
        verify : callable
            Called with the card and a list of keys; returns a Verdict.
        ask : callable, optional
            Called with a question and its `variables`; returns a QueryOutcome.

        Examples
        --------
        >>> outcome = service.ask("max revenue from sales")
        >>> outcome.belong_to(lambda result: {"status": "refused"}, lambda card, keys: None)
        >>> outcome.replay()["status"]
        'refused'
        """
        self._replay, self._verify, self._ask = replay, verify, ask

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

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        return to_bundle(self.card, self.digits)


def list_texts(texts: Collection[str]) -> Collection[str]:
    """Wrap a single text in a list, and return a collection of texts unchanged."""
    return [texts] if isinstance(texts, str) else texts


def get_result_id(result: Mapping[str, Any]) -> str:
    """Return the id under which the ledger keeps a result."""
    ids = (result.get("data") or {}).get("query_id"), *(result.get(key) for key in ("request_id", "result_id", "id"))
    return next(str(each) for each in ids if each)


class RowsResult(WritableResult, Replayable):
    """A result that has rows, whole in memory however few of them its card shows."""

    @property
    def rows(self) -> list[dict[str, Value]]:
        """The rows with native values: long integers and decimals exact, dates as dates."""
        columns, values = self._require_rows()
        names = [column["name"] for column in columns]
        return [dict(zip(names, row, strict=True)) for row in values]

    @property
    def columns(self) -> list[Column]:
        """The columns of the rows in their order: `name`, `type`, `physical`, and `role`: key, metric or count."""
        return list(self._require_rows()[0])

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
        from service_nb.ledger.exports.parquet_rows import build_arrow_table  # noqa: PLC0415  # lazy: few results are written

        return build_arrow_table(*self._require_rows())

    def column(self, name: str) -> list[Value]:
        """Return the values of one column, for example as the argument of a computation.

        Parameters
        ----------
        name : str
            As it stands in `columns`.

        Returns
        -------
        list
            Native values in the order of the rows; None for null.

        Raises
        ------
        InvalidIntentError
            There is no column of that name.

        Examples
        --------
        >>> service.ask("max revenue by region from sales").column("revenue")
        [5, 2]
        """
        columns, rows = self._require_rows()
        names = [column["name"] for column in columns]
        if name not in names:
            raise InvalidIntentError(
                f"The answer has no column {describe_value(name)}.", hint=f"It has {', '.join(names)}.", met=name
            )
        at = names.index(name)
        return [row[at] for row in rows]

    def plot(self, *, kind: ChartKind | None = None, measure: str | None = None, top: int | None = None) -> Any:
        """Draw the answer with matplotlib and return the Figure: bars for groups, a line over dates.

        Parameters
        ----------
        kind : {"bar", "line"}, optional
            Draw this kind, dates and other counted keys in their own order; otherwise what suits the rows.
        measure : str, optional
            The column to draw; otherwise the first that is measured.
        top : int, optional
            Bars of so many rows only, the first ones, at most 30.

        Returns
        -------
        matplotlib.figure.Figure
            It shows itself as the last value of a cell, without a background, so that it reads in dark pages too.

        Raises
        ------
        InvalidIntentError
            There is nothing to draw, no such measure, no line through these keys, or it is a preview or a profile.

        Examples
        --------
        >>> len(service.ask("sum revenue by region from sales").plot(kind="bar").axes)
        1
        """
        from service_nb.cards.charts import draw  # noqa: PLC0415  # lazy: loads matplotlib

        self._require_rows()
        return draw(self.card, self.rows, kind=kind, measure=measure, top=top)

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
        return {**self.card, "canonical": {**self.card["canonical"], **self._list_texts()}}

    def _list_texts(self) -> Mapping[str, str]:
        raise NotImplementedError

    def _require_rows(self) -> tuple[Sequence[Column], Sequence[Sequence[Value]]]:
        raise NotImplementedError


class QueryOutcome(RowsResult):
    """The outcome of a question: `status`, `data` when it is `ok`, and `resolution`.

    A refusal because a column is text has `hint` and `details` too: why it is text, and what reads it.

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
        told += [self["hint"]] if "hint" in self else []
        return [resolution["reason"], *(candidate["ask"] for candidate in resolution["candidates"]), *told]

    def widget(self, **controls: Any) -> Any:
        """Show the question again with controls: for its variables, and for columns that its conditions compare.

        Parameters
        ----------
        **controls
            By variable or column, as `service_nb.interact` takes them: ``year=(2019, 2025)``. A range or choices
            start where the question is. A column without a condition gets one: it equals what the control is set to.

        Returns
        -------
        Explorer
            A widget, which shows itself as the last value of a cell; needs ipywidgets (extra `ui`).

        Raises
        ------
        InvalidIntentError
            The question was not answered, or a name means more than one of its conditions.

        Examples
        --------
        >>> service.ask("sum revenue from sales").widget(region=["north", "south"]).outcome.rows
        [{'revenue': 8, 'count': 2}]
        """
        import service_nb  # noqa: PLC0415  # the widget is a face: it is reached by the package's own door

        table = self._require_table()
        if self._ask is None:
            raise InvalidIntentError(
                "A result without its client cannot be asked again.", hint="Use service_nb.interact."
            )
        plan = self["resolution"]["plan"]
        spec = {key: plan[key] for key in SPEC_KEYS if key in plan}
        opened, replaced = replace_values_by_variables(spec, controls, table.plan.notes)
        started = {name: StartingControl(controls[name], start) for name, start in replaced.items()}
        return service_nb.interact(opened, self._ask, **{**controls, **started})

    def _list_texts(self) -> Mapping[str, str]:
        return {"result": self._require_table().result_text}

    def _require_rows(self) -> tuple[Sequence[Column], Sequence[Sequence[Value]]]:
        table = self._require_table()
        return table.columns, table.values

    def _require_table(self) -> ResultTable:
        if self._table is None:
            raise InvalidIntentError(
                f"The question was not answered ({self['status']}), so it has no rows.",
                hint=self["resolution"]["reason"],
                met=self["status"],
                expected="ok",
            )
        return self._table


class Computation(TabularResult, Replayable):
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
        self.group: tuple[str, object] | None = None  # of `over`: the column, and its value in these rows

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

    def to_arrow(self) -> pa.Table:
        """Return the value as an Arrow table.

        Returns
        -------
        pyarrow.Table
            A list has a row for each item, in the column `value`; a matrix a column for each of its own; a record a
            column for each field, and a row for each item where all fields are lists of one length.

        Examples
        --------
        >>> service.compute("stats.mean", args=[[1, 2]]).to_arrow().to_pylist()
        [{'value': 1.5}]
        """
        columns = list_value_columns(self.value)
        return pa.table({name: build_plain_array(values) for name, values in columns.items()})

    def plot(self, *, kind: ChartKind | None = None, top: int | None = None) -> Any:
        """Draw a list of numbers with matplotlib, by the places of its items from 0, and return the Figure.

        Parameters
        ----------
        kind : {"bar", "line"}, optional
            Draw this kind; otherwise what suits the values.
        top : int, optional
            Bars of so many items only, at most 30.

        Returns
        -------
        matplotlib.figure.Figure
            It shows itself as the last value of a cell; the picture's metadata has the `computation_hash`.

        Raises
        ------
        InvalidIntentError
            The value is not a list of numbers.

        Examples
        --------
        >>> len(service.compute("stats.z_scores", kwargs={"values": [1, 2, 4], "divisor": "sample"}).plot().axes)
        1
        """
        columns = list_value_columns(self.value)
        values = columns.get("value", [])
        if len(columns) != 1 or len(values) < 2:
            raise InvalidIntentError(
                "The value is not a list, so it is not drawn.",
                hint="Draw a list, or the results of `over`: service.compute(…, over=…).plot()",
                met=self["value_type"] if "value_type" in self else type(self.value).__name__,
            )
        return draw_values("place", range(len(values)), values, self.card, kind=kind, top=top)


class ComputationList(FacedValue, TabularResult, list[Computation]):
    """Computations, each with a card. The list itself shows no values; after `%load_ext service_nb` it shows cards.

    It converts to a frame: a row for each computation of scalars, with the group of `over`, or the call, in front.
    """

    def to_arrow(self) -> pa.Table:
        """Return the values as an Arrow table, a row for each computation.

        Returns
        -------
        pyarrow.Table
            The first column is the one that `over` named, or `call`; then `value`, or a column for each field. A list
            is a cell of lists.

        Examples
        --------
        >>> service.compute("stats.mean values=sales.revenue", over="region").to_arrow().column_names
        ['region', 'value']
        """
        fields = list(dict.fromkeys(name for each in self for name in list_value_fields(each.value)))
        name = self[0].group[0] if self and self[0].group is not None else "call"
        first = [each.group[1] if each.group is not None else each.card["view"]["question"] for each in self]
        name = next(free for free in (name, f"{name}_group", f"{name}_call") if free not in fields)
        columns = {name: first, **{key: [list_value_fields(each.value).get(key) for each in self] for key in fields}}
        return pa.table({key: build_plain_array(values) for key, values in columns.items()})

    def plot(self, *, kind: ChartKind | None = None, top: int | None = None) -> Any:
        """Draw the numbers of all computations with matplotlib, by group or call, and return the Figure.

        Parameters
        ----------
        kind : {"bar", "line"}, optional
            Draw this kind; otherwise what suits the values.
        top : int, optional
            Bars of so many only, at most 30.

        Returns
        -------
        matplotlib.figure.Figure
            It shows itself as the last value of a cell; the picture's metadata has the first `computation_hash`.

        Raises
        ------
        InvalidIntentError
            The values are not numbers.

        Examples
        --------
        >>> len(service.compute("stats.mean values=sales.revenue", over="region").plot().axes)
        1
        """
        table = self.to_arrow()
        if table.column_names[1:] != ["value"] or not self:
            raise InvalidIntentError("Only computations of one number each are drawn.", hint="Use .to_pandas().")
        (key, _), (keys, values) = table.column_names, (column.to_pylist() for column in table.columns)
        first = self[0]
        question = "Computations" if first.group is None else f"{first['module']}.{first['function']} by {key}"
        return draw_values(key, keys, values, first.card, kind=kind, top=top, question=question)

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        return write_bundle(compose_groups(self))


class StoredResult(RowsResult):
    """An outcome as the ledger keeps it: `id`, `kind`, `time`, its place and what it was made from.

    `card` is the card as it was, with its receipt; `texts` are all hashed texts that are kept, whether or not the card
    holds them. Of an answer there are its rows, whole, as the outcome had them.
    """

    def __init__(self, payload: Mapping[str, object], *, card: Card, texts: Mapping[str, str]) -> None:
        super().__init__(payload, card=lambda: card)
        self.texts = dict(texts)
        self._rows: tuple[Sequence[Column], Sequence[Sequence[Value]]] | None = None

    def _list_texts(self) -> Mapping[str, str]:
        return self.texts

    def _require_rows(self) -> tuple[Sequence[Column], Sequence[Sequence[Value]]]:
        if self["kind"] != "query":
            raise InvalidIntentError(
                f"A stored {self['kind']} has no rows.",
                hint="Its values are in `.card` and `.texts`.",
                met=self["kind"],
            )
        if self._rows is None:
            from service_nb.ledger.exports.parquet_rows import read_rows  # noqa: PLC0415  # lazy: few results are written

            self._rows = read_rows(self.read_whole_card())
        return self._rows
