"""The same plans over the same rows give the same rows and the same `result_hash`, in whatever database they run.

The reference is the engine without a database, whose sums are exact fractions. Every database is a real one, and is
reached as a deployment reaches it: by its connector, with an account that may only read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import datafusion
import polars
import pyarrow as pa
import pytest

from service_nb.client.question import build_table
from service_nb.client.registry import Registry
from service_nb.connectors import catalog
from service_nb.engines.duckdb import DuckDBEngine
from service_nb.engines.engine import Engine
from service_nb.engines.memory import MemoryEngine
from service_nb.engines.sql_engine import SqlEngine
from service_nb.readers import frame
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.schema.query import Plan
from tests.engines import adversarial, loading
from tests.engines.cases import as_enum, as_plain, stored
from tests.servers.fixtures import ClickHouseDatabase, MariaDatabase, PostgresDatabase

TABLES: dict[str, Callable[[], Dataset]] = {
    "core": adversarial.core,
    "typed": adversarial.typed,
    "special": adversarial.special,
}
PLANS = {"core": 200, "typed": 80, "special": 40}
DEADLINE_S = 900.0


@cache
def table(name: str) -> Dataset:
    return TABLES[name]()


@cache
def expected(name: str) -> list[tuple[Plan, str]]:
    """Each plan with the hash of its result by exact fractions."""
    dataset = table(name)
    engine = MemoryEngine(dataset)
    return [(plan, hash_of(engine, dataset, plan)) for plan in adversarial.plans(dataset, PLANS[name])]


def hash_of(engine: Engine, dataset: Dataset, plan: Plan) -> str:
    return run(engine, dataset, plan)[0]


def run(engine: Engine, dataset: Dataset, plan: Plan) -> tuple[str, str]:
    """The hash of a plan's result, and how it was made exact."""
    answer = engine.aggregate(plan, DEADLINE_S)
    return build_table(plan, dataset.fields, answer, engine.name).result_hash, answer.method


def described(plan: Plan) -> str:
    return f"{plan.aggregation} {plan.metric!r} by {plan.group_by} where {plan.conditions}"


def check(engine: Engine, name: str, part: slice = slice(None)) -> None:
    """Every plan of the table has its hash on this engine."""
    chosen = expected(name)[part]
    assert chosen
    differing = [described(plan) for plan, wanted in chosen if hash_of(engine, table(name), plan) != wanted]
    assert differing == []


@contextmanager
def live(descriptor: dict[str, Any], name: str) -> Iterator[SqlEngine]:
    """The engine of a live source whose columns are those of the table."""
    parsed = catalog.parse_descriptor(descriptor)
    opened = catalog.open_source(parsed, time.monotonic() + DEADLINE_S)
    try:
        assert opened.fields == table(name).fields
    except AssertionError:
        opened.link.close()
        raise
    engine = SqlEngine(
        lambda deadline: catalog.open_source(parsed, deadline).link, opened.relation, opened.fields, link=opened.link
    )
    try:
        yield engine
    finally:
        engine.close()


def check_live(
    descriptor: dict[str, Any], name: str, part: slice = slice(None), *, sorts_long_texts: bool = True
) -> None:
    """The canary passes, every plan has its hash, and only sums over all exponents are made of extracted rows.

    Where long texts are sorted by their beginnings, medians and percentiles of groups of them are so too.
    """
    with live(descriptor, name) as engine:
        assert engine.is_trusted(time.monotonic() + DEADLINE_S)
        chosen = expected(name)[part]
        assert chosen
        met = [(plan, wanted, *run(engine, table(name), plan)) for plan, wanted in chosen]
        assert [described(plan) for plan, wanted, found, _ in met if found != wanted] == []
        extracted = [plan for plan, _, _, method in met if "extracted" in method]
        numbered = [plan for plan in extracted if plan.aggregation in ("median", "percentile")]
        by_text = [plan for plan in numbered if adversarial.WORD in plan.group_by]
        excused = [] if sorts_long_texts else by_text
        assert [described(plan) for plan in extracted if not spans_all(plan) and plan not in excused] == []


def spans_all(plan: Plan) -> bool:
    return plan.metric == adversarial.EVERY and plan.aggregation in ("sum", "avg")


# --- frames and files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("form", ["table", "enum", "parquet"])
def test_frames_and_files_answer_every_plan_to_the_bit(name: str, form: str, tmp_path: Path) -> None:
    dataset = table(name)
    assert dataset.table is not None
    forms: dict[str, Callable[[], Dataset]] = {
        "table": lambda: dataset,
        "enum": lambda: as_enum(dataset),
        "parquet": lambda: stored(tmp_path, dataset.table),
    }
    engine = DuckDBEngine(forms[form]())
    try:
        check(engine, name, slice(0, None, 4))
    finally:
        engine.close()


@pytest.mark.wide
@pytest.mark.parametrize("name", TABLES)
def test_duckdb_answers_all_plans(name: str) -> None:
    engine = DuckDBEngine(table(name))
    try:
        check(engine, name)
    finally:
        engine.close()


def folded(dataset: Dataset) -> pa.Table:
    """The rows as other libraries take them: text as text, for not every one knows dictionaries."""
    table = as_plain(dataset).table
    assert table is not None
    return table


def datafusion_frame(dataset: Dataset) -> Any:
    """A frame of DataFusion that is computed when it is connected."""
    return datafusion.SessionContext().from_arrow(folded(dataset))


def polars_frame(dataset: Dataset) -> Any:
    """A frame of Polars."""
    return polars.from_arrow(folded(dataset))


FRAMES: dict[str, Callable[[Dataset], Any]] = {"polars": polars_frame, "datafusion": datafusion_frame}


@contextmanager
def connected(frame_of: Callable[[Dataset], Any], name: str) -> Iterator[Iterator[Engine]]:
    """The engines of a frame as the product connects it: the one it has while it is small, and the one for more."""
    registry = Registry()
    source = registry.add("data", frame_of(table(name)), ReadOptions(), {})
    assert source.fields == table(name).fields
    assert source.row_count == table(name).row_count
    larger = DuckDBEngine(frame.read(frame_of(table(name)), ReadOptions()))
    try:
        yield iter((source.engine, larger))
    finally:
        larger.close()
        registry.close()


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("library", FRAMES)
def test_frames_of_other_libraries_answer_plans_to_the_bit(library: str, name: str) -> None:
    with connected(FRAMES[library], name) as engines:
        for engine in engines:
            check(engine, name, slice(0, None, 8))


@pytest.mark.wide
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("library", FRAMES)
def test_frames_of_other_libraries_answer_all_plans(library: str, name: str) -> None:
    with connected(FRAMES[library], name) as engines:
        for engine in engines:
            check(engine, name)


# --- databases -------------------------------------------------------------------------------------------------------


def test_sqlite_answers_every_plan_to_the_bit(tmp_path: Path) -> None:
    check_live(loading.into_sqlite(tmp_path, "core", table("core")), "core", slice(0, None, 10))


@pytest.mark.parametrize("name", TABLES)
def test_postgresql_answers_every_plan_to_the_bit(name: str, postgres_database: PostgresDatabase) -> None:
    check_live(loading.into_postgres(postgres_database, name, table(name)), name, slice(0, None, 4))


@pytest.mark.parametrize("name", ["core", "typed"])  # it has neither NaN nor infinities nor truth
def test_mariadb_answers_every_plan_to_the_bit(name: str, mariadb_database: MariaDatabase) -> None:
    check_live(
        loading.into_mariadb(mariadb_database, name, table(name)), name, slice(0, None, 4), sorts_long_texts=False
    )


@pytest.mark.wide
def test_sqlite_answers_all_plans(tmp_path: Path) -> None:
    check_live(loading.into_sqlite(tmp_path, "core", table("core")), "core")


@pytest.mark.wide
@pytest.mark.parametrize("name", TABLES)
def test_postgresql_answers_all_plans(name: str, postgres_database: PostgresDatabase) -> None:
    check_live(loading.into_postgres(postgres_database, f"all_{name}", table(name)), name)


@pytest.mark.wide
@pytest.mark.parametrize("name", ["core", "typed"])
def test_mariadb_answers_all_plans(name: str, mariadb_database: MariaDatabase) -> None:
    check_live(loading.into_mariadb(mariadb_database, f"all_{name}", table(name)), name, sorts_long_texts=False)


@pytest.mark.wide
@pytest.mark.parametrize("name", TABLES)
def test_clickhouse_answers_all_plans(name: str, clickhouse_database: ClickHouseDatabase) -> None:
    check_live(loading.into_clickhouse(clickhouse_database, name, table(name)), name)
