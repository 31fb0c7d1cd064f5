"""The plans of all databases on Spark and on Sail, with the canary: the same rows and the same `result_hash`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from sqlglot import exp

from service_nb.client.question import build_table
from service_nb.connectors.spark import SparkSpelling
from service_nb.engines.canary import CanaryVerdict
from service_nb.engines.sql_engine import SqlEngine
from tests.engines import adversarial, connect
from tests.engines.test_pushdown import TABLES, described, expected, table
from tests.servers.process import folder_of_a_server
from tests.servers.sail import Connect, sail
from tests.servers.spark import spark

SERVERS = {"sail": sail, "spark": spark}
MARKED = [pytest.param("sail", marks=pytest.mark.wide), pytest.param("spark", marks=pytest.mark.slow)]
AT_ONCE = 40  # plans of one test
PATIENCE_S = 600.0  # of a JVM that compiles what it runs
TRUSTS: dict[Connect, CanaryVerdict] = {}  # a server is tried once


@pytest.fixture(scope="module", params=MARKED)
def loaded(request: pytest.FixtureRequest) -> Iterator[tuple[Connect, dict[str, Path]]]:
    with SERVERS[request.param]() as server, folder_of_a_server("tables-") as folder:
        folder.chmod(0o755)
        yield server, {name: connect.stored(table(name).table, folder / name) for name in TABLES}


def engine_over(server: Connect, name: str, place: Path) -> SqlEngine:
    """The engine of a table whose columns are those of the dataset."""
    opened = partial(connect.link, server, **{name: place})
    link, relation = opened(), exp.to_table(name)
    fields = link.describe(relation, time.monotonic() + PATIENCE_S)
    assert fields == table(name).fields
    return SqlEngine(lambda _: opened(), relation, fields, link=link, trust=TRUSTS.setdefault(server, CanaryVerdict()))


PARTS = [
    (name, start) for name in TABLES for start in range(0, {"core": 200, "typed": 80, "special": 40}[name], AT_ONCE)
]


@pytest.mark.parametrize(("name", "start"), PARTS)
def test_every_plan_has_its_hash(loaded: tuple[Connect, dict[str, Path]], name: str, start: int) -> None:
    server, places = loaded
    with closing(engine_over(server, name, places[name])) as engine:
        assert engine.is_trusted(time.monotonic() + PATIENCE_S)
        differing, extracted = [], []
        for plan, wanted in expected(name)[start : start + AT_ONCE]:
            answer = engine.aggregate(plan, PATIENCE_S)
            found = build_table(plan, table(name).fields, answer, engine.name).result_hash
            differing += [] if found == wanted else [described(plan)]
            spans_all = plan.metric == adversarial.EVERY and plan.aggregation in ("sum", "avg")
            extracted += [described(plan)] if "extracted" in answer.method and not spans_all else []
    assert differing == []
    assert extracted == []


def test_sums_of_integers_wrap_on_sail_and_so_are_never_asked_for() -> None:
    field = next(field for field in table("core").fields if field.physical == "int64")
    total = SparkSpelling().build_wide_sum(field, exp.column("m"))
    assert total is not None
    assert total.this.to.is_type("decimal")
