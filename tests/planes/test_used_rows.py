"""The rows that an answer used, and the nulls it left out: counted on every engine, shown on faces, verified."""

from __future__ import annotations

import copy
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import service_nb
from service_nb.cards.card_builder import build_card
from service_nb.client.service import Service
from service_nb.core.canonical import parse_strict, write_canonical_text
from service_nb.core.digest import PROVENANCE_DOMAIN, digest
from service_nb.evidence.documents import check_card
from tests.tools.node import built, node

SCRIPT = Path(__file__).parents[1] / "tools" / "card_verdicts.mjs"
Json = dict[str, Any]
ROWS = [
    {"k": "abc"[at % 3], "x": None if at % 7 == 0 else at / 4, "y": None if at % 5 == 0 else at} for at in range(40)
]
WIDE = ROWS * 100  # more than the memory engine takes


def connect_database(service: Service, folder: Path) -> None:
    with sqlite3.connect(folder / "t.db") as connection:
        connection.execute("create table t (k text, x real, y integer)")
        connection.executemany("insert into t values (:k, :x, :y)", ROWS)
    connection.close()
    service.connect({"provider": "sqlite", "path": str(folder / "t.db"), "table": "t"}, name="t")


def connect_parquet(service: Service, folder: Path) -> None:
    pd.DataFrame(WIDE).astype({"y": "Int64"}).to_parquet(folder / "t.parquet")
    service.connect(folder / "t.parquet", name="t")


ENGINES: dict[str, tuple[Callable[[Service, Path], object], list[Json]]] = {
    "direct": (lambda service, _: service.connect(ROWS, name="t"), ROWS),
    "duckdb, a table": (lambda service, _: service.connect(WIDE, name="t"), WIDE),
    "duckdb, a file": (connect_parquet, WIDE),
    "a database": (connect_database, ROWS),
}


@pytest.fixture
def client() -> Iterator[Service]:
    made = service_nb.create_service(runtime="in_process")
    yield made
    made.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_counts_the_rows_it_used_and_the_nulls_it_left_out(
    client: Service, tmp_path: Path, engine: str
) -> None:
    connect, rows = ENGINES[engine]
    connect(client, tmp_path)
    some = [row for row in rows if row["k"] != "b"]
    nulls = Counter(name for row in some for name in ("x", "y") if row[name] is None)
    lines = [*(f"{name} x" for name in ("sum", "avg", "min", "max", "count", "count_distinct", "median", "p90"))]
    for line in [*lines, "stddev x", "variance y", "sum y", "sum x, max y, count"]:
        asked = {name for name in ("x", "y") if f" {name}" in line}
        for by, more in (("", ""), (" by k", ""), (" by k", " having count > 99999"), (" by k", " limit 1")):
            provenance = client.ask(f"{line}{by} from t where k != 'b'{more}")["data"]["provenance"]
            assert provenance["used_rows"] == len(some), (line, by, more)
            assert provenance["dropped"] == {name: nulls[name] for name in asked}, (line, by, more)
    whole = client.ask("count from t")
    assert whole["data"]["provenance"]["used_rows"] == len(rows)
    assert "dropped" not in whole["data"]["provenance"]
    outcome = client.ask("sum x from t where k = 'nowhere'")
    assert outcome["data"]["provenance"]["used_rows"] == 0
    assert not [each for each in outcome.verify().checks if each.status == "failed"]
    assert outcome.replay()["status"] == "identical"


def test_the_face_says_how_many_rows_and_which_nulls(client: Service) -> None:
    client.connect(WIDE, name="t")
    faces, _ = client.ask("sum x by k from t where k != 'b'")._repr_mimebundle_()
    for mime in ("text/plain", "text/html", "text/markdown"):
        assert "2,700 of 4,000 rows of t · 400 nulls in x left out" in faces[mime], mime


def test_a_card_of_over_names_its_group_and_its_rows(client: Service) -> None:
    client.connect(ROWS, name="t")
    bindings = [{"source": "t", "field": "x", "parameter": "values", "null_policy": "drop"}]
    for each in client.compute("stats.mean", bindings=bindings, over="k"):
        (binding,) = each.card["view"]["bindings"]
        key = binding["filter"]["conditions"][-1]["value"]
        title, *_, status = each._repr_mimebundle_()[0]["text/plain"].split("\n\n")[:3]
        assert f'where k = "{key}"' in title
        held = [row for row in ROWS if row["k"] == key]
        nulls = sum(row["x"] is None for row in held)
        told = f"{len(held) - nulls} of 40 rows of t · {nulls} rows with a null left out"
        assert told in status
        assert not [check for check in each.verify().checks if check.status == "failed"]


def forge(card: Json) -> Iterator[tuple[str, Json]]:
    """The card with other numbers of rows, in the view alone, and in the text that is hashed too."""
    for change in ({"used_rows": 1}, {"used_rows": 99}, {"dropped": {"x": 99}}, {"dropped": {"k": 1}}, {"dropped": {}}):
        forged = copy.deepcopy(card)
        forged["view"] |= change
        parts = {name: forged[name] for name in ("canonical", "digests")}
        yield "shown_differs", dict(build_card("query", **parts, view=forged["view"]))
        if change == {"dropped": {}}:
            continue  # it says nothing, and shows nothing
        text = write_canonical_text(parse_strict(forged["canonical"]["provenance"]) | change)
        forged["canonical"]["provenance"] = text
        forged["digests"]["provenance_hash"] = digest(PROVENANCE_DOMAIN, text)
        yield "shown_differs", dict(build_card("query", **parts, view=forged["view"]))


def test_numbers_of_rows_that_do_not_fit_are_found_by_both_verifiers(client: Service) -> None:
    client.connect(ROWS, name="t")
    card = dict(client.ask("sum x by k from t where k != 'b'").card)
    card["receipt"] = None
    cases = list(forge(card))
    built()
    (status, _), *told = json.loads(node(SCRIPT, stdin=json.dumps([card, *(each for _, each in cases)]).encode()))
    assert status == check_card(card).status == "consistent"
    for (cause, each), (verdict, causes) in zip(cases, told, strict=True):
        found = check_card(each)
        assert (found.status, verdict) == ("altered", "altered"), each["view"]
        assert cause in found.causes
        assert cause in causes
