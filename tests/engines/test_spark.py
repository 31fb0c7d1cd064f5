"""The same questions on Spark and on Sail: real servers, adversarial rows in two partitions, answers to the bit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
import pytest
from sqlglot import exp

from service_nb.connectors.spark import SparkLink, SparkSpelling
from service_nb.engines.value_counts import build_value_counts
from service_nb.query.aggregations import RECORDS
from service_nb.query.limbs import Limbs, plan_limbs
from service_nb.query.sql import Method, Shape, build_statement, find_fixed_method
from service_nb.readers.dataset import Dataset
from service_nb.schema.query import Plan
from tests.engines import connect
from tests.engines.cases import held, plan_for
from tests.engines.written import GOLDEN, QUESTIONS, expected, groups, plans, statement, table, text
from tests.servers.process import folder_of_a_server
from tests.servers.sail import Connect, sail
from tests.servers.spark import spark

SERVERS = {"sail": sail, "spark": spark}
MARKED = [pytest.param("sail", marks=pytest.mark.wide), pytest.param("spark", marks=pytest.mark.slow)]
SPELLING = SparkSpelling()
LARGEST, SMALLEST = 1e120, 1e-120


def adversarial() -> Dataset:
    """Doubles 240 orders of magnitude apart with NaN and infinities, in groups of which some cancel to nothing."""
    doubles = [SMALLEST, -SMALLEST, LARGEST, -LARGEST, 1e-100, 1e16, 1.0]
    doubles += [-1e16, 1e-16, 0.1, 0.2, 0.3, -0.6, -0.0, 0.0, 2.0**53, -(2.0**53) - 2, 3.0, None]
    special = [float("nan"), float("inf"), float("-inf")]
    count = 400
    return held(
        {
            "g": pa.array([f"g{row % 7}" for row in range(count)]),
            "k": pa.array([[0.0, -0.0, *special, 1.5, None][row % 7] for row in range(count)], pa.float64()),
            "x": pa.array(
                [special[row % 3] if row % 7 == 6 and row % 5 == 0 else doubles[row % 19] for row in range(count)],
                pa.float64(),
            ),
            "i": pa.array([2**63 - 1 if row % 2 else -(2**63) for row in range(count)], pa.int64()),
        }
    )


@pytest.fixture(scope="module", params=MARKED)
def opened(request: pytest.FixtureRequest) -> Iterator[tuple[Connect, SparkLink]]:
    with SERVERS[request.param]() as server, folder_of_a_server("tables-") as folder:
        data = connect.stored(table("spark").table, folder / "data")
        hard = connect.stored(adversarial().table, folder / "hard")
        folder.chmod(0o755)
        link = connect.link(server, data=data, hard=hard)
        yield server, link
        link.close()


@pytest.mark.parametrize("title", QUESTIONS)
def test_an_answer_is_the_plans_to_the_bit(opened: tuple[Connect, SparkLink], title: str) -> None:
    dataset, link = table("spark"), opened[1]
    plan = plans(dataset)[title]
    made, shape = statement(plan, dataset, link.spelling)
    rows = link.fetch_rows(made.tree, made.parameters, 1_000, time.monotonic() + connect.PATIENCE_S)
    assert groups(plan, made, shape, rows) == expected(plan, dataset)


@pytest.mark.parametrize("aggregation", RECORDS)
@pytest.mark.parametrize(("metric", "key"), [("x", "g"), ("x", "k"), ("i", "g"), ("i", "k"), ("k", "g"), ("g", "k")])
def test_doubles_far_apart_and_integers_at_their_ends(
    opened: tuple[Connect, SparkLink], aggregation: str, metric: str, key: str
) -> None:
    if metric == "g" and "string" not in RECORDS[aggregation].accepts:
        return  # no question
    dataset, link = adversarial(), opened[1]
    percent = {"percent": "99.9"} if aggregation == "percentile" else {}
    plan = plan_for(dataset, metric=metric, aggregation=aggregation, group_by=key, **percent)
    plan = build_value_counts(plan) or plan
    shape = Shape(
        fields={field.name: field for field in dataset.fields},
        columns=None,
        method=_method(plan),
        nonfinite=metric in ("x", "k"),
        bound=LARGEST if aggregation in ("sum", "avg") and metric in ("x", "k") else None,
        spelling=link.spelling,
    )
    made = build_statement(plan, exp.Table(this=exp.to_identifier("hard", quoted=True)), shape)
    rows = link.fetch_rows(made.tree, made.parameters, 1_000, time.monotonic() + connect.PATIENCE_S)
    assert groups(plan, made, shape, rows) == expected(plan, dataset)


def _method(plan: Plan) -> Method | Limbs:
    if (method := find_fixed_method(plan)) is not None:
        return method
    return Method.WIDE if plan.metric == "i" else replace(plan_limbs(LARGEST, SMALLEST), proven=False)


def test_texts_are_those_that_were_read() -> None:
    dataset = table("spark")
    listed = [f"-- {title}\n{text(plan, dataset, SPELLING)};\n" for title, plan in plans(dataset).items()]
    assert "\n".join(listed) == (GOLDEN / "spark.sql").read_text()
