"""Random tables of every type that a database has, random plans over them: answers are those of exact fractions.

The tables are made from numbers. Some are asked for with each run; hundreds, in servers of their own where every column
has an index that is preferred, in the slow one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines import fuzz_check, fuzzing
from tests.engines.fuzz_check import Place
from tests.servers.fixtures import ClickHouseDatabase, MariaDatabase, PostgresDatabase

PLANS = 12
FAR = "its values are too far apart"
# MariaDB sorts texts by their first 1,024 bytes: rows of longer ones need not lie together, which is noticed.
APART = "it did not number the rows of each group together"


def check(place: Place, kind: str, seeds: range, plans: int = PLANS) -> None:
    """No answer differs, and rows are read for the reasons that are known only."""
    reasons = (FAR, APART) if kind == "mariadb" else (FAR,)
    for seed in seeds:
        found = fuzz_check.differences(place, kind, seed, plans)
        assert found.differing == [], seed
        assert [pair for pair in found.extracted if not any(reason in pair[1] for reason in reasons)] == [], seed


def test_a_table_is_made_of_its_number() -> None:
    for kind in fuzzing.KINDS:
        first, second = fuzzing.table(kind, 3), fuzzing.table(kind, 3)
        assert first.dataset.fields == second.dataset.fields
        assert str(first.rows) == str(second.rows)
        assert [plan.plan_hash for plan in fuzzing.plans(kind, 3, 5)] == [
            plan.plan_hash for plan in fuzzing.plans(kind, 3, 5)
        ]


def test_postgresql_answers_random_plans(postgres_database: PostgresDatabase) -> None:
    check(Place(postgres_database), "postgres", range(100, 104))


def test_mariadb_answers_random_plans(mariadb_database: MariaDatabase) -> None:
    check(Place(mariadb_database), "mariadb", range(100, 103))


def test_sqlite_answers_random_plans() -> None:
    check(Place(None), "sqlite", range(100, 104))


@pytest.mark.wide
def test_clickhouse_answers_random_plans(clickhouse_database: ClickHouseDatabase) -> None:
    check(Place(clickhouse_database), "clickhouse", range(100, 120))


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(fuzzing.KINDS))
def test_hundreds_of_random_tables(kind: str) -> None:
    with fuzz_check.place(kind) as place:
        check(place, kind, range(1_000, 1_150), 25)


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(fuzzing.KINDS))
def test_duckdb_answers_plans_over_random_tables_of_every_kind(kind: str, tmp_path: Path) -> None:
    found = [each for seed in range(1_000, 1_050) for each in fuzz_check.of_duckdb(tmp_path, kind, seed, 25)]
    assert found == []
