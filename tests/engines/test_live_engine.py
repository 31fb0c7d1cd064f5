"""A live source may change, break, hang or compute wrongly at any moment; answers stay right, or are typed errors."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pytest
from sqlglot import exp

from service_nb.connectors import catalog
from service_nb.connectors.postgres import PostgresSpelling
from service_nb.core.stopping import Stop, stopping
from service_nb.engines.canary import CanaryVerdict
from service_nb.engines.sql_engine import SqlEngine
from service_nb.errors import QueryInterruptedError, QueryTimeoutError, SourceChangedError
from service_nb.schema.query import Plan
from tests.engines import loading
from tests.engines.cases import bits, held, plan_for, reference
from tests.servers.fixtures import PostgresDatabase

VALUES = [0.1, 1e16, 1.0, -1e16, 2.5, -0.1]
DATASET = held({"k": pa.array(list("abbbaa")), "x": pa.array(VALUES, pa.float64())})
SUM = plan_for(DATASET, metric="x", aggregation="sum")
LONGEST_S = 600.0
TRUST = CanaryVerdict()  # one server, tried once


@pytest.fixture
def table(postgres_database: PostgresDatabase, request: pytest.FixtureRequest) -> Iterator[str]:
    name = f"t{abs(hash(request.node.name)) % 10**9}"
    loading.into_postgres(postgres_database, name, DATASET)
    yield name
    postgres_database.run(f"DROP TABLE {name}")


@contextmanager
def engine(database: PostgresDatabase, table: str, relation: exp.Expr | None = None) -> Iterator[SqlEngine]:
    parsed = catalog.parse_descriptor(database.descriptor(table=table))
    found = catalog.open_source(parsed, time.monotonic() + LONGEST_S)
    made = SqlEngine(
        lambda deadline: catalog.open_source(parsed, deadline).link,
        found.relation if relation is None else relation,
        found.fields,
        link=found.link,
        trust=TRUST,
    )
    try:
        yield made
    finally:
        made.close()


def total(engine: SqlEngine, plan: Plan = SUM) -> tuple[object, str]:
    answer = engine.aggregate(plan, LONGEST_S)
    return bits(answer.groups[0].value), answer.method


def expected(values: list[float]) -> object:
    return bits(reference("sum", values))


def test_values_beyond_what_statistics_said_are_summed_exactly(postgres_database: PostgresDatabase, table: str) -> None:
    with engine(postgres_database, table) as live:
        assert total(live)[0] == expected(VALUES)
        postgres_database.run(f"INSERT INTO {table} VALUES ('a', 1e40), ('a', -1e40), ('a', 1e-40)")
        found, method = total(live)
        assert found == expected([*VALUES, 1e40, -1e40, 1e-40])
        assert "certified" in method
        postgres_database.run(f"INSERT INTO {table} VALUES ('a', 'NaN')")
        assert total(live)[0] == bits(math.nan)


def test_a_guess_from_the_first_rows_is_believed_only_as_far_as_it_holds(
    postgres_database: PostgresDatabase, table: str
) -> None:
    few = [*VALUES, *[0.5] * 10_000]
    postgres_database.run(f"INSERT INTO {table} SELECT 'a', 0.5 FROM generate_series(1, 10000)")
    with engine(postgres_database, table) as live:
        assert total(live)[0] == expected(few)
        guess = live._ranges["x"]
        assert guess.largest > 1e16
    postgres_database.run(f"INSERT INTO {table} VALUES ('b', 1e60), ('b', -1e60), ('b', 1e-30)")
    with engine(postgres_database, table) as live:
        found, method = total(live)
        assert found == expected([*few, 1e60, -1e60, 1e-30])
        assert "certified" in method
        assert live._ranges["x"].largest == 1e60


def test_a_column_that_spans_all_exponents_is_summed_from_its_rows(
    postgres_database: PostgresDatabase, table: str
) -> None:
    postgres_database.run(f"INSERT INTO {table} VALUES ('a', 1.7e308), ('a', 5e-324)")
    with engine(postgres_database, table) as live:
        found, method = total(live)
        assert found == expected([*VALUES, 1.7e308, 5e-324])
        assert method.startswith("exact sum of extracted values, rounded once: ")


def test_columns_that_changed_are_another_source(postgres_database: PostgresDatabase, table: str) -> None:
    with engine(postgres_database, table) as live:
        total(live)
        postgres_database.run(f"ALTER TABLE {table} ALTER COLUMN x TYPE numeric(20, 2)")
        with pytest.raises(SourceChangedError):
            total(live)


def test_a_session_that_was_ended_is_replaced(postgres_database: PostgresDatabase, table: str) -> None:
    with engine(postgres_database, table) as live:
        total(live)
        ended = postgres_database.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
        assert (True,) in ended
        assert total(live)[0] == expected(VALUES)


def endless(table: str) -> exp.Expr:
    """Six rows joined with themselves 14 times."""
    rows = exp.select("t0.k", "t0.x").from_(exp.to_table(table).as_("t0"))
    for index in range(1, 14):
        rows = rows.join(exp.to_table(table).as_(f"t{index}"), join_type="cross")
    return rows.subquery("asked")


def test_a_request_to_stop_ends_the_statement_in_the_database(postgres_database: PostgresDatabase, table: str) -> None:
    stop = Stop()
    with engine(postgres_database, table, endless(table)) as live:
        live.is_trusted(time.monotonic() + LONGEST_S)
        threading.Timer(0.5, stop.request).start()
        with stopping(stop), pytest.raises(QueryInterruptedError):
            live.aggregate(SUM, LONGEST_S)
        assert nothing_runs(postgres_database)


def test_a_deadline_ends_the_statement_in_the_database(postgres_database: PostgresDatabase, table: str) -> None:
    with engine(postgres_database, table, endless(table)) as live:
        live.is_trusted(time.monotonic() + LONGEST_S)
        with pytest.raises(QueryTimeoutError):
            live.aggregate(SUM, 0.5)
        assert nothing_runs(postgres_database)


def nothing_runs(database: PostgresDatabase) -> bool:
    """Whether no statement of the account that reads is running, within some time."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active'"
    until = time.monotonic() + LONGEST_S
    while database.run(query) != [(0,)]:
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_columns_come_in_an_order_of_their_own(postgres_database: PostgresDatabase, table: str) -> None:
    plan = plan_for(DATASET, metric="x", aggregation="count", group_by=["k", "x"])
    with engine(postgres_database, table) as live:
        keys, values = live.read_columns(plan, LONGEST_S)
    assert list(keys.values) == list("aaabbb")
    assert [float(value) for value in values.values] == [-0.1, 0.1, 2.5, -1e16, 1.0, 1e16]


class Rounding(PostgresSpelling):
    """Limbs that are added as doubles, as a database might that rewrites sums."""

    def build_limb_sum(self, value: exp.Expr) -> exp.Expr:
        """Return the sum of doubles, as an integer."""
        return self.cast_to_bigint(exp.Sum(this=exp.cast(value, "real")))


def test_a_database_that_adds_wrongly_is_found_out_and_only_read(
    postgres_database: PostgresDatabase, table: str
) -> None:
    with engine(postgres_database, table) as live:
        link = catalog.open_source(
            catalog.parse_descriptor(postgres_database.descriptor(table=table)), time.monotonic() + LONGEST_S
        ).link
        link.spelling = Rounding()
        wrong = SqlEngine(lambda _: link, live._target.relation, DATASET.fields, link=link)
        try:
            assert not wrong.is_trusted(time.monotonic() + LONGEST_S)
            found, method = total(wrong)
        finally:
            wrong.close()
    assert found == expected(VALUES)
    assert method.startswith("exact sum of extracted values, rounded once: ")
