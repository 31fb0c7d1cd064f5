"""What Trino is sent, to the letter, and that it means the plan: by its driver and protocol, with DuckDB behind."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlglot import exp

from service_nb.connectors.trino import TrinoLink, TrinoSpelling, open_link
from service_nb.engines.sql_engine import SqlEngine
from service_nb.readers.dataset import Dataset
from service_nb.schema.connector import Descriptor
from tests.engines.written import GOLDEN, QUESTIONS, expected, groups, plans, statement, table, text
from tests.servers.trino import trino

SPELLING = TrinoSpelling()
PATIENCE_S = 600.0


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return table("trino")


@pytest.fixture(scope="module")
def link(dataset: Dataset) -> Iterator[TrinoLink]:
    with trino() as server:
        server.database.register("incoming", dataset.table)
        server.database.execute("CREATE TABLE data AS SELECT * FROM incoming")
        descriptor = Descriptor(type="trino", host="127.0.0.1", port=server.port, user="reader")
        opened = open_link(descriptor, time.monotonic() + PATIENCE_S)
        yield opened
        opened.close()


@pytest.mark.parametrize("title", QUESTIONS)
def test_the_text_means_the_plan(link: TrinoLink, dataset: Dataset, title: str) -> None:
    plan = plans(dataset)[title]
    made, shape = statement(plan, dataset, SPELLING)
    bound = [SPELLING.convert_operand(value) for value in made.parameters]
    rows = link.fetch_rows(made.tree, bound, 1_000, time.monotonic() + PATIENCE_S)
    assert groups(plan, made, shape, rows) == expected(plan, dataset)


def test_the_canary_passes(link: TrinoLink, dataset: Dataset) -> None:
    server = link._connection.keywords
    told = Descriptor(type="trino", host=server["host"], port=server["port"], user=server["user"])
    engine = SqlEngine(lambda deadline: open_link(told, deadline), exp.to_table("data"), dataset.fields)
    with closing(engine):
        assert engine.is_trusted(time.monotonic() + PATIENCE_S)


def test_texts_are_those_that_were_read(dataset: Dataset) -> None:
    listed = [f"-- {title}\n{text(plan, dataset, SPELLING)};\n" for title, plan in plans(dataset).items()]
    assert "\n".join(listed) == (GOLDEN / "trino.sql").read_text()
