"""Previews and profiles: exact on every engine, under the policy, replayed, and checked by every verifier."""

from __future__ import annotations

import copy
import datetime
import json
import math
import pickle
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import service_nb
from service_nb.cards.card_builder import build_card
from service_nb.core.canonical import parse_strict, write_canonical_text
from service_nb.core.digest import PROVENANCE_DOMAIN, RESULT_DOMAIN, digest
from service_nb.errors import InvalidIntentError, PolicyDeniedError, SourceNotFoundError
from service_nb.evidence.documents import check_card
from tests.tools.node import built, node

SCRIPT = Path(__file__).parents[1] / "tools" / "card_verdicts.mjs"
Json = dict[str, Any]
HOSTILE = ["a`b", 'c"; DROP TABLE data --', "<img src=x onerror=alert(1)>", "count", "distribution", "\u202ec"]


def make_table(rows: int) -> pa.Table:
    """A table of every type, with nulls, zeros of both signs, NaN, infinities and ties."""
    random = np.random.default_rng(7)
    floats = random.normal(0, 1e6, rows).round(2).tolist()
    floats[:8] = [math.nan, math.nan, 0.0, -0.0, None, math.inf, -math.inf, 1e-300]
    start = datetime.date(2021, 3, 14)
    days = [start + datetime.timedelta(days=int(day)) for day in random.integers(0, 900, rows)]
    columns: dict[str, tuple[list[Any], pa.DataType]] = {
        "whole": ([None, *random.integers(-900, 40_000, rows - 1).tolist()], pa.int64()),
        "wide": ([-(2**63), 2**63 - 1, *random.integers(-(2**62), 2**62, rows - 2).tolist()], pa.int64()),
        "float": (floats, pa.float64()),
        "money": ([Decimal(int(cents)).scaleb(-2) for cents in random.integers(0, 99_999, rows)], pa.decimal128(12, 2)),
        "town": ([["Zürich", "Bern", "Köln", "\U0001f600", "｡"][at % 5] for at in range(rows)], pa.string()),
        "code": ([None if at % 3 else f"n{at // 2}" for at in range(rows)], pa.string()),
        "paid": ([None if at % 7 == 0 else at % 4 == 0 for at in range(rows)], pa.bool_()),
        "day": (days, pa.date32()),
        "moment": ([datetime.datetime.combine(day, datetime.time(5)) for day in days], pa.timestamp("us")),
        "same": ([42] * rows, pa.int64()),
        "empty": ([None] * rows, pa.float64()),
    }
    return pa.table({name: pa.array(values, kind) for name, (values, kind) in columns.items()})


@pytest.fixture
def client(tmp_path: Path) -> Iterator[service_nb.Service]:
    with service_nb.create_service(project=tmp_path, ledger=tmp_path / "ledger") as service:
        yield service


@pytest.fixture(params=["memory", "duckdb", "parquet"])
def measured(request: pytest.FixtureRequest, client: service_nb.Service, tmp_path: Path) -> tuple[Any, pa.Table]:
    """A client with a source `t` in each engine, and its values."""
    table = make_table(300 if request.param == "memory" else 4_000)
    if request.param == "parquet":
        pq.write_table(table, tmp_path / "t.parquet")
        client.connect(tmp_path / "t.parquet", name="t")
    else:
        client.connect(table, name="t")
    return client, table


def is_a_number(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def count_distinct(values: list[Any]) -> int:
    return pd.Series([value + 0.0 if isinstance(value, float) else value for value in values], dtype=object).nunique(
        dropna=True
    ) + any(isinstance(value, float) and math.isnan(value) for value in values)


def bound(text: str) -> Any:
    """An edge as a value that compares exactly."""
    return Fraction(text) if "-" not in text[1:] or "E" in text else text


def test_a_profile_counts_what_pandas_and_fractions_count(measured: tuple[Any, pa.Table]) -> None:
    client, table = measured
    rows = {row["column"]: row for row in client.profile("t").rows}
    assert list(rows) == table.column_names
    for name in table.column_names:
        values, row = table[name].to_pylist(), rows[name]
        kept = [value for value in values if value is not None]
        assert (row["rows"], row["nulls"]) == (len(values), len(values) - len(kept)), name
        assert row["distinct"] == count_distinct(kept), name
        counts = json.loads(row["distribution"])
        ordered = list(filter(is_a_number, kept))
        if name in ("town", "code"):
            assert (row["minimum"], row["maximum"]) == (min(kept), max(kept))
            expected = sorted(Counter(kept).items(), key=lambda pair: (-pair[1], pair[0]))[:5]
            assert counts == [list(pair) for pair in expected]
        elif name == "paid":
            assert (row["minimum"], row["maximum"]) == (None, None)
            found = Counter("true" if value else "false" for value in kept)
            assert counts == [list(pair) for pair in found.most_common()]
        elif name in ("day", "moment"):
            texts = [value.isoformat() for value in kept]
            assert (row["minimum"], row["maximum"]) == (min(texts), max(texts))
            assert counts == [[low, high, sum(low <= text < high for text in texts)] for low, high, _ in counts]
            assert sum(count for _, _, count in counts) == len(kept)
        elif name == "empty":
            assert (row["minimum"], row["maximum"], counts) == (None, None, [])
        elif name == "same":
            assert (row["minimum"], row["maximum"], counts) == ("42", "42", [["42", len(kept)]])
        else:
            assert float(row["minimum"]) == float(min(ordered))
            assert float(row["maximum"]) == float(max(ordered))
            exact = [Fraction(value) for value in ordered if not isinstance(value, float) or math.isfinite(value)]
            edges = [(Fraction(low), Fraction(high)) for low, high, _ in counts]
            assert [count for *_, count in counts] == [
                sum(low <= value < high for value in exact) for low, high in edges
            ], name
            assert sum(count for *_, count in counts) == len(exact)
            assert all(high == low for (_, high), (low, _) in pairwise(edges))
            assert 2 <= len(counts) <= 12


def test_a_preview_is_the_first_rows_in_the_order_of_the_source(measured: tuple[Any, pa.Table]) -> None:
    client, table = measured
    outcome = client.preview("t", 50)
    assert repr(outcome.rows) == repr(table.slice(0, 50).to_pylist())
    assert len(client.preview("t").rows) == 20
    assert outcome.to_arrow().column_names == table.column_names
    assert outcome.replay()["status"] == "identical"
    assert client.profile("t").replay()["status"] == "identical"


def test_engines_give_the_same_profile_and_hash(client: service_nb.Service, tmp_path: Path) -> None:
    table = make_table(2_000)
    pq.write_table(table, tmp_path / "t.parquet")
    results = []
    for number, source in enumerate((table, pa.concat_tables([table] * 2).slice(0, 2_000), tmp_path / "t.parquet")):
        client.connect(source, name=f"t{number}")
        results.append([client.profile(f"t{number}").rows, client.preview(f"t{number}", 300)["data"]["result"]])
    assert repr(results[0]) == repr(results[1]) == repr(results[2])


@pytest.mark.parametrize("rows", [0, -1, 10_001, True, "20", 1.0, None])
def test_a_number_of_rows_that_is_none_is_refused(rows: Any, client: service_nb.Service) -> None:
    client.connect([{"a": 1}], name="t")
    with pytest.raises(InvalidIntentError):
        client.preview("t", rows)


def test_denied_columns_and_sources_leave_no_trace(client: service_nb.Service) -> None:
    client.connect([{"open": 1, "secret": 77_123}, {"open": 2, "secret": 88_456}], name="t")
    client.connect([{"hidden": 1}], name="u")
    narrowed = client.narrow({"allowed_fields": {"t": ["open"]}, "allowed_sources": ["t"]})
    for outcome in (narrowed.preview("t"), narrowed.profile("t")):
        told = json.dumps([outcome, outcome.card, outcome.verify().to_dict()]) + outcome.to_pandas().to_string()
        assert not any(word in told for word in ("secret", "77123", "88456"))
        assert outcome.verify().status == "verified"
        assert outcome.replay()["status"] == "identical"
    with pytest.raises(PolicyDeniedError):
        narrowed.profile("u")
    with pytest.raises(SourceNotFoundError):
        client.preview("nothing")


def test_hostile_names_and_values_are_data(client: service_nb.Service) -> None:
    rows = [{name: f"={name}" for name in HOSTILE}, dict.fromkeys(HOSTILE, "' OR 1=1 --")]
    client.connect(rows, name="a `b` <i>")
    assert client.preview("a `b` <i>").rows == rows
    profile = client.profile("a `b` <i>")
    assert [row["column"] for row in profile.rows] == HOSTILE
    assert profile.verify().status == "verified"
    html = profile._repr_mimebundle_()[0]["text/html"]
    assert "<img" not in str(html)


def seal(card: Json, result: Any = None, provenance: Any = None, **view: Any) -> Json:
    """A card with another result or provenance whose hashes fit: what a liar would write, not signed."""
    made = copy.deepcopy(card)
    texts, digests = made["canonical"], made["digests"]
    if result is not None:
        texts["result"] = write_canonical_text(result)
        digests["result_hash"] = digest(RESULT_DOMAIN, digests["plan_hash"], texts["result"])
    if provenance is not None:
        texts["provenance"] = write_canonical_text(provenance)
        digests["provenance_hash"] = digest(PROVENANCE_DOMAIN, texts["provenance"])
    digests = {key: value for key, value in digests.items() if key not in ("view_hash", "rows_hash")}
    return dict(build_card("query", canonical=texts, digests=digests, view=made["view"] | view))


def forge(preview: Json, profile: Json) -> Iterator[tuple[str, Json]]:
    """Forged cards: first those whose hashes do not fit, then those that contradict themselves."""
    for card in (preview, profile):
        shown = copy.deepcopy(card)
        shown["view"]["rows"][0][-1] = "9"
        yield "rows_hash_mismatch", shown
        lied = copy.deepcopy(card)
        lied["canonical"]["result"] = lied["canonical"]["result"].replace("north", "south")
        yield "result_hash_mismatch", lied
        unsigned = {**card, "receipt": None}
        yield "shown_differs", seal(unsigned, question="All rows of t")
        yield "shown_differs", seal(unsigned, ask="%service_preview other")
        result, how = (parse_strict(card["canonical"][name]) for name in ("result", "provenance"))
        yield "shown_differs", seal(unsigned, result=result[:-1])
        columns = [*how["columns"][:-1], {**how["columns"][-1], "role": "metric"}]
        yield "shown_differs", seal(unsigned, provenance={**how, "columns": columns}, columns=columns)
    told = parse_strict(profile["canonical"]["result"])
    wrong: list[Mapping[str, Any]] = [
        {"nulls": 3},
        {"rows": 4},
        {"distinct": -1},
        {"distribution": '[["north",9]]'},
        {"distribution": "[]["},
        {"distribution": '[["north"]]'},
        {"column": "other"},
        {"minimum": 5},
    ]
    for change in wrong:
        rows = [told[0] | change, *told[1:]]
        yield "shown_differs", seal({**profile, "receipt": None}, result=rows)


def test_every_verifier_refuses_what_was_tampered_with(client: service_nb.Service) -> None:
    client.connect([{"region": "north", "sales": 1.5}, {"region": "south", "sales": None}, {"region": None}], name="t")
    genuine = [client.preview("t", 2).card, client.profile("t").card]
    forged = list(forge(*map(dict, genuine)))
    built()
    told = json.loads(node(SCRIPT, stdin=json.dumps([*genuine, *(card for _, card in forged)]).encode()))
    assert [status for status, _ in told[:2]] == ["unaltered", "unaltered"]
    for (cause, card), (status, causes) in zip(forged, told[2:], strict=True):
        verdict = check_card(card)
        assert (verdict.status, status) == ("altered", "altered"), card["view"]
        assert cause in verdict.causes, verdict
        assert cause in causes, causes


def test_what_a_source_shows_is_what_is_allowed_and_its_lines_run(client: service_nb.Service, tmp_path: Path) -> None:
    rows = [{"town": town, "amount": at / 4, "secret key": 77_100 + at} for at, town in enumerate(["Bern", "Uri"] * 9)]
    client.connect(rows, name="my sales")
    narrowed = client.narrow({"allowed_fields": {"my sales": ["town", "amount"]}})
    shown = narrowed.source("my sales")._repr_mimebundle_()[0]["text/plain"]
    assert "secret" not in str(shown)
    assert "77" not in str(shown)
    source = client.source("my sales")
    assert pickle.loads(pickle.dumps(source)) == copy.deepcopy(source) == source
    look = narrowed.look("my sales")
    assert list(look.columns) == ["town", "amount"]
    assert (look.columns["town"].distinct, look.columns["amount"].maximum) == (2, "4.25")
    assert list(look.lines) == [
        "%service_preview `my sales`",
        "%service_profile `my sales`",
        "%service_ask sum amount by town from `my sales`",
        "%service_ask count by town from `my sales`",
    ]
    for line in look.lines[2:]:
        assert narrowed.ask(line.removeprefix("%service_ask "))["status"] == "ok"
    assert "▁" in str(client.source("my sales")._repr_mimebundle_()[0]["text/html"]) or "█" in str(shown)


def test_a_large_source_shows_what_reading_it_told_until_it_is_profiled(client: service_nb.Service) -> None:
    rows = 400_000
    table = pa.table({name: pa.array(range(rows), pa.int64()) for name in "abcdef"})
    source = client.connect(table, name="t")
    assert "distribution" not in str(source._repr_mimebundle_()[0]["text/plain"])
    assert "399999" in str(source._repr_mimebundle_()[0]["text/plain"])
    client.profile("t")
    assert "distribution" in str(source._repr_mimebundle_()[0]["text/plain"])
    client.disconnect("t")
    assert "distinct" not in str(source._repr_mimebundle_()[0]["text/plain"])
