"""A question by periods or bins has their order, unless it says another or a limit cuts it; older plans keep theirs."""

from __future__ import annotations

import datetime
import json
import math
import sqlite3
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest

import service_nb
from service_nb.cards.card_blocks import compose_card
from service_nb.cards.faces.text import write_text
from service_nb.client.service import Service
from service_nb.evidence import standalone
from service_nb.schema.card import Card
from tests.simulators.evidence import sealed
from tests.tools.node import built, node

VERDICTS = Path(__file__).parents[1] / "tools" / "card_verdicts.mjs"
DAYS = [datetime.date(2023, 12, 1) + datetime.timedelta(days=9 * at) for at in range(60)]
ROWS = [
    {"day": day, "amount": (at * 37) % 101 - 50.0, "count_of": (at * 11) % 7, "region": "NSEW"[at % 4]}
    for at, day in enumerate(DAYS)
]


@pytest.fixture
def service(tmp_path: Path) -> Service:
    """A client with the rows in memory, in DuckDB and in a database."""
    made = service_nb.create_service(project=tmp_path)
    made.connect([*ROWS, {"day": None, "amount": 1000.0, "count_of": 0, "region": "N"}], name="held")
    many = pa.Table.from_pylist(ROWS * 50)  # more than the engine in memory takes
    made.connect(many, name="scanned")
    with sqlite3.connect(tmp_path / "rows.db") as connection:
        connection.execute("create table rows (day date, amount real, count_of integer, region text)")
        rows = [(str(row["day"]), row["amount"], row["count_of"], row["region"]) for row in ROWS]
        connection.executemany("insert into rows values (?, ?, ?, ?)", rows)
    connection.close()
    made.connect({"provider": "sqlite", "path": str(tmp_path / "rows.db"), "table": "rows"}, name="database")
    return made


def keys_of(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def rank(keys: tuple[Any, ...]) -> list[tuple[int, Any]]:
    """Where keys stand: values ascending, NaN after them, null last."""
    is_nan = [(isinstance(key, float) and math.isnan(key)) or key == "NaN" for key in keys]
    return [(2, 0) if key is None else (1, 0) if nan else (0, key) for key, nan in zip(keys, is_nan, strict=True)]


QUESTIONS = {
    "sum amount by month of day": ("day_month",),
    "sum amount by week of day, region": ("day_week", "region"),
    "avg amount, count by quarter of day, month of day": ("day_quarter", "day_month"),
    "sum amount by amount in bins of 12.5": ("amount_bin",),
    "count by count_of in bins of 2, year of day": ("count_of_bin", "day_year"),
    "median amount by month of day having count > 1": ("day_month",),
}


@pytest.mark.parametrize(("line", "source"), [*product(QUESTIONS, ("held", "scanned", "database"))])
def test_periods_and_bins_come_in_their_order(service: Service, line: str, source: str) -> None:
    asked, _, kept = line.partition(" having ")
    outcome = service.ask(f"{asked} from {source}" + (f" having {kept}" if kept else ""))
    names = QUESTIONS[line]
    met = keys_of(outcome.rows, *names)
    assert met == sorted(met, key=rank)
    assert len(met) > 2
    plan = json.loads(outcome.card["canonical"]["plan"])
    assert (plan["order_by"], plan["order"]) == (names[0], "asc")
    steps = outcome.card["view"]["plan"]
    assert any(step.startswith(f"Order by {names[0]} ascending") for step in steps)


def test_a_series_of_nulls_and_nan_ends_with_them() -> None:
    service = service_nb.create_service()
    service.connect({"records": [{"x": x} for x in (3.0, None, math.nan, -1.0, 12.0, -0.0)]}, name="odd")
    met = [row["x_bin"] for row in service.ask("count by x in bins of 5").rows]
    assert met[:3] == [-5.0, 0.0, 10.0]
    assert met[4] is None
    assert str(met[3]).lower() == "nan"


@pytest.mark.parametrize(
    ("line", "order_by", "order"),
    [
        ("sum amount by month of day from held limit 3", None, "desc"),
        ("sum amount by month of day from held order desc", None, "desc"),
        ("sum amount by month of day from held order asc", None, "asc"),
        ("sum amount by month of day from held order by amount", None, "desc"),
        ("sum amount by month of day from held order by count", "count", "desc"),
        ("sum amount by month of day from held order by day_month desc", "day_month", "desc"),
        ("sum amount by region, month of day from held", None, "desc"),
        ("sum amount by day from held", None, "desc"),
        ("sum amount from held", None, "desc"),
    ],
)
def test_what_names_an_order_or_is_cut_or_no_series_is_ordered_as_before(
    service: Service, line: str, order_by: str | None, order: str
) -> None:
    resolved = service.resolve(line)
    plan = cast(Mapping[str, Any], resolved["plan"])
    assert (plan.get("order_by"), plan["order"]) == (order_by, order)
    outcome = service.ask(line)
    assert service.resolve(outcome.card["view"]["ask"])["plan_hash"] == resolved["plan_hash"]


def older(card: Card) -> Card:
    """The card as it was before a series had an order: its line does not say that the measure orders it."""
    view = {**card["view"], "ask": card["view"]["ask"].removesuffix(" order desc")}
    assert view["ask"] != card["view"]["ask"]
    return cast(Card, sealed({**card, "view": view, "receipt": None}))


def test_older_plans_and_cards_are_verified_and_replayed_as_they_were(service: Service) -> None:
    line = "sum amount by month of day from held"
    card = service.ask(f"{line} order desc").card
    plan = json.loads(card["canonical"]["plan"])
    # What a plan of this question was before: by the hash of a plan whose members are known by heart.
    assert {key: plan[key] for key in plan if key != "schema_revision"} == {
        "aggregation": "sum",
        "metric": "amount",
        "group_by": [{"column": "day", "unit": "month"}],
        "order": "desc",
    }
    before = older(card)
    assert before["digests"]["plan_hash"] == card["digests"]["plan_hash"]
    replays: list[Any] = [service.replay(each) for each in (before, card)]
    assert [replay["status"] for replay in replays] == ["identical", "identical"]
    built()
    cards = [before, sealed({**card, "receipt": None})]
    for told in json.loads(node(VERDICTS, stdin=json.dumps(cards).encode())):
        assert told[1] == []
    for each in cards:
        checks = standalone_checks(each)
        assert checks["shown"] == "passed", checks


def test_a_line_of_another_order_is_no_older_card(service: Service) -> None:
    card = service.ask("sum amount by month of day from held").card
    ask = card["view"]["ask"].removesuffix(" order by day_month asc")
    false = sealed({**card, "view": {**card["view"], "ask": ask}, "receipt": None})
    built()
    ((_, causes),) = json.loads(node(VERDICTS, stdin=json.dumps([false]).encode()))
    assert causes == ["shown_differs"]
    assert standalone_checks(false)["shown"] == "failed"


def standalone_checks(card: Mapping[str, Any]) -> dict[str, str]:
    """What the verifier of one file says of a card."""
    return {check.name: check.status for check in standalone.check_card(dict(card))}


def test_what_a_card_leaves_out_of_a_series_is_its_end(service: Service) -> None:
    card = service.ask("sum amount by week of day from scanned").card
    rows = [row[0] for row in card["view"]["rows"]]
    weeks = sorted({str(day - datetime.timedelta(days=day.weekday())) for day in DAYS})
    assert len(weeks) > len(rows)
    assert rows == weeks[: len(rows)]
    text = write_text(compose_card(card))
    assert f"First {len(rows)} of {len(weeks)} rows; {len(weeks) - len(rows)} not shown" in text
