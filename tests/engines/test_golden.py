"""What warehouses are sent, to the letter, and that it means what the plan means, as far as DuckDB can say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlglot
from sqlglot import exp

from service_nb.readers.dataset import Dataset
from tests.engines.written import (
    GOLDEN,
    QUESTIONS,
    SPELLINGS,
    Stand,
    expected,
    golden,
    groups,
    plans,
    readable,
    statement,
    table,
    text,
)

# Division of decimals is exact in Oracle's NUMBER, and of doubles in DuckDB.
NOT_IN_DUCKDB = {("oracle", "sum of long decimals")}


@pytest.fixture(scope="module", params=SPELLINGS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def dataset(name: str) -> Dataset:
    return table(name)


@pytest.fixture(scope="module")
def stand(dataset: Dataset) -> Iterator[Stand]:
    made = Stand.holding(dataset)
    yield made
    made.connection.close()


def test_texts_are_those_that_were_read(name: str) -> None:
    assert golden(name) == (GOLDEN / f"{name}.sql").read_text()


@pytest.mark.parametrize("title", QUESTIONS)
def test_a_text_is_one_select_and_reads_back_as_it_was_written(name: str, title: str, dataset: Dataset) -> None:
    dialect = SPELLINGS[name].dialect
    written = readable(name, text(plans(dataset)[title], dataset, SPELLINGS[name]))
    (tree,) = sqlglot.parse(written, read=dialect)
    assert isinstance(tree, exp.Select)
    again = tree.sql(dialect=dialect)
    assert sqlglot.parse_one(again, read=dialect).sql(dialect=dialect) == again
    assert not list(tree.find_all(exp.Into, exp.Command, exp.DML))


@pytest.mark.parametrize("title", QUESTIONS)
def test_the_text_means_the_plan_where_duckdb_can_run_it(name: str, title: str, dataset: Dataset, stand: Stand) -> None:
    if (name, title) in NOT_IN_DUCKDB:
        return
    plan = plans(dataset)[title]
    made, shape = statement(plan, dataset, SPELLINGS[name])
    assert groups(plan, made, shape, stand.rows(name, made)) == expected(plan, dataset)
