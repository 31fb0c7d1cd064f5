"""No question ends without a line that runs, a page among them: each refusal, each error of a line or a spec."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pytest

from service_nb.errors import ServiceError
from service_nb.notebook.session import find_magics
from service_nb.notebook.ways_on import find_ways_after
from service_nb.query import resolve
from tests.surfaces.conftest import Session

LINES = {
    "unknown_field": [
        "sum nothing from sales", "sum revenue by nothing", "sum revenue by region order by nothing",
        "sum revenue by month",
        "sum revenue where nothing = 1",
    ],
    "unknown_source": ["sum revenue from costs"],
    "type_mismatch": [
        "sum region from sales", "sum revenue where revenue = 'x'", "sum revenue where region > 3",
        "count where day = 'x'",
        "count where day = 2024-13-41", "sum revenue where paid > true", "count where revenue contains 'x'",
        "count where revenue during last_month", "count by month of region", "count by region in bins of 10",
        "sum revenue by region having sum region > 3", "sum revenue by region having sum revenue > 'x'",
    ],
    "duplicate_field": ["sum revenue, sum Revenue by region", "count by region, Region"],
    "clarification": [
        "sum from sales", "sum revenu from sales", "sum revenue from sale", "percentile revenue",
        "sum revenue having count > 3", "sum revenue by region having avg revenue > 3",
    ],
    "invalid_intent": [
        "count by region, region", "sum revenue, sum revenue", "count by revenue in bins of 0",
        "percentile 101 of revenue",
        "sum revenue limit 0", "sum revenue where revenue in ()", "sum revenue where revenue = $missing", "select 1",
        "sum revenue where revenue = $rows", "sum revenue where revenue > 007", "sum revenue during last_month",
        "count where day during last_moon", "?", "what", "drop table sales", "sum revenue where region like '%a_b%'",
        "sum revenue where region = 'north", "sum revenue by", "sum revenue where", "sum revenue order",
        "sum revenue limit", "sum revenue where (region = 'north'", "sum revenue by region having",
        "count where paid = true or day during last_month", "mode revenue", "p90(delay)", "sum(revenue + day)",
        "sum revenue by region having region = 'x' and sum revenue > 3", "avg(revenue), p90(revenue) by region",
        "sum revenue by region having revenue > 3", "sum revenue where region is north", "count by revenue in bins",
    ],
    "limit_exceeded": [
        "count by revenue in bins of 0.0000000000000000001", "percentile 90.12345678 of revenue",
        f"sum revenue {'x' * 12_000}", f"count where revenue > {'1' * 500}",
    ],
}  # fmt: skip
SPECS = [
    {"aggregation": "sum", "metrik": "revenue"},
    {"aggregation": "totals", "metric": "revenue"},
    {"aggregation": "count", "group_by": [{"column": "day"}]},
    {"aggregation": "count", "filter": {"conditions": [{"column": "region", "op": "is"}]}},
    {"aggregation": "count", "having": {"conditions": [{"op": "gt", "value": 1}]}},
    {"aggregation": "sum", "metric": "revenue", "percent": 5},
    {"measures": []},
    {"aggregation": "count", "limit": -1},
]
OF_POLICY = {"policy_denied_field", "policy_denied_source"}  # below, under a policy
WITHOUT_SOURCE = {"no_source"}  # nothing can be asked: the lines connect


@pytest.fixture
def asked(session: Session) -> Session:
    session.run("import datetime")
    session.run(
        "rows = [{'region': r, 'revenue': i + 0.5, 'day': datetime.date(2024, i % 12 + 1, 1), 'paid': i > 3}"
        " for i, r in enumerate(['north', 'south', 'east'] * 4)]"
    )
    session.run("%service_connect sales $rows --replace")
    return session


def _end(session: Session, cell: str) -> tuple[str, list[str]]:
    """Run a question that is not answered: the code that it ends in, and the lines that are offered."""
    try:
        outcome = session.run(cell)
    except ServiceError as error:
        return error.code, error.lines
    resolution = outcome["resolution"]  # type: ignore[index]
    found = [f"%service_ask {each['ask']}" for each in resolution["candidates"]]
    lines = found or list(find_ways_after(find_magics(), cell, outcome).lines)  # type: ignore[arg-type]
    return resolution["rejection_reason"] or "clarification", lines


def test_each_code_that_a_question_is_rejected_by_is_tried_here() -> None:
    source = inspect.getsource(resolve)
    codes = {code for pair in re.findall(r'_reject\(\s*"(\w+)"|code="(\w+)"', source) for code in pair if code}
    assert codes == (LINES.keys() - {"clarification", "invalid_intent", "limit_exceeded"}) | OF_POLICY | WITHOUT_SOURCE


@pytest.mark.parametrize("code", LINES)
def test_a_line_that_is_not_answered_ends_in_lines_that_are(asked: Session, code: str) -> None:
    for line in LINES[code]:
        met, offered = _end(asked, f"%service_ask {line}")
        assert f"%service_ask {line}" not in offered
        assert (met, bool(offered)) == (code, True), line
        for each in offered:
            is_question = each.startswith("%service_ask ")
            assert not is_question or asked.run(each)["status"] == "ok", (line, each)  # type: ignore[index]


def test_a_spec_that_is_not_read_ends_in_lines_that_are_answered(asked: Session) -> None:
    for spec in SPECS:
        _, offered = _end(asked, f"%%service_ask\n{json.dumps(spec)}")
        assert offered, spec
        asked.run(offered[0])


def test_what_a_policy_denies_ends_in_lines_that_it_allows(asked: Session) -> None:
    asked.run("from service_nb.notebook.session import current, use")
    asked.run("use(current().narrow({'allowed_fields': {'sales': ['region', 'revenue', 'day']}}))")
    for line in ("count by paid from sales", "sum revenue from costs", "sum revenue where paid = true"):
        _, offered = _end(asked, f"%service_ask {line}")
        assert offered, line
        assert not any("paid" in each for each in offered), offered


def test_a_question_without_a_source_ends_in_lines_that_connect_one(bare_session: Session) -> None:
    bare_session.run("%load_ext service_nb")
    Path("sales.csv").write_text("region,revenue\nnorth,1\n", encoding="utf-8")
    met, offered = _end(bare_session, "%service_ask sum revenue")
    assert (met, offered[0]) == ("no_source", "%service_connect sales sales.csv")
