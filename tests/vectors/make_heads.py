"""Write the vectors of heads: `python -m tests.vectors.make_heads`, from the repository's root.

Each case is the text of a plan, columns, and the heads that `service_nb.cards.heads` writes of them. What is right is
held by `tests/unit/cards/test_heads.py`; these hold the two languages to the same words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from service_nb.cards.heads import write_heads
from service_nb.core.canonical import write_canonical_text
from service_nb.query.aggregations import RECORDS
from service_nb.schema.card import Card

FILE = Path(__file__).with_name("heads.json")

Json = dict[str, Any]
DAY = {"column": "t", "unit": "month"}


def plan(**form: Any) -> str:
    return write_canonical_text({"order": "desc", "schema_revision": "0" * 64} | form)


def columns(*names: str, **zones: str) -> list[Json]:
    return [{"name": name} | ({"zone": zones[name]} if name in zones else {}) for name in names]


def build_card(text: str | None, told: list[Json]) -> Card:
    canonical = {} if text is None else {"plan": text}
    return cast(Card, {"kind": "query", "canonical": canonical, "view": {"columns": told}})


def case(name: str, text: str | None, told: list[Json]) -> Json:
    return {"name": name, "plan": text, "columns": told, "heads": write_heads(build_card(text, told))}


def one(aggregation: str, metric: str | None = "wage", **more: Any) -> str:
    return plan(aggregation=aggregation, **({} if metric is None else {"metric": metric}), **more)


def cases() -> Iterator[Json]:
    for name, record in RECORDS.items():
        percent = {"percent": "99.9"} if record.takes_percent else {}
        yield case(name, one(name, **percent), columns("wage", "count"))
    yield case("rows", one("count", None), columns("count"))
    several = [{"aggregation": "sum", "metric": "wage"}, {"aggregation": "count"}]
    several.append({"aggregation": "percentile", "metric": "wage", "percent": "90"})
    yield case("several", plan(measures=several), columns("sum_wage", "p90_wage", "count"))
    keys = [DAY, {"column": "t", "unit": "day", "zone": "Europe/Berlin"}, {"column": "wage", "width": "0.5"}, "city"]
    names = columns("t_month", "t_day", "wage_bin", "city", "wage", "count", t_month="UTC", t_day="Europe/Berlin")
    yield case("keys", one("sum", group_by=keys), names)
    yield case("an instant", one("max", "t"), columns("t", "count", t="UTC"))
    yield case("a key called rows", one("count", group_by=["rows"]), columns("rows", "wage", "count"))
    yield case("a measure of rows", one("sum", "rows"), columns("rows", "count"))
    yield case("a key called count", one("count", None, group_by=["count"]), columns("count", "row_count"))
    yield case("a key called as a head", one("sum", group_by=["sum of wage"]), columns("sum of wage", "wage", "count"))
    taken = ["'rows'", "rows", "rows (2)"]
    yield case("keys called as heads in quotes", one("count", None, group_by=taken), columns(*taken, "count"))
    period = "month of t (UTC)"
    told = columns(period, "t_month", "wage", "count", t_month="UTC")
    yield case("a key called as a period", one("sum", group_by=[period, DAY]), told)
    long = [f"{'x' * 70}{end}" for end in "abc"]
    yield case("long names", one("sum", group_by=long), columns(*long, "wage", "count"))
    odd = ["=1+1", " a ", "—", "a\u202eb", "<b>"]
    yield case("odd names", one("sum", "$&", group_by=odd), columns(*odd, "$&", "count"))
    shown = plan(inspect="preview", limit=5)
    yield case("a preview", shown, columns("rows", "count", *long))
    yield case("another plan", one("sum"), columns("salary", "count"))
    yield case("a column too many", one("sum"), columns("wage", "count", "rows"))
    for text in (None, "", "[]", "{", plan(), one("mode"), one("sum", "")):
        yield case(f"no plan: {text}", text, columns("wage", "count", t="UTC"))


def main() -> None:
    lines = ",\n".join(json.dumps(each, ensure_ascii=True) for each in cases())
    FILE.write_text(f'{{"cases": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
