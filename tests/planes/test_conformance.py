"""Clients conform: the same files, questions, policies and plans end in the same values, hashes, statuses and codes."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from conformance.__main__ import PYTHON_CLIENT, find_typescript_client
from conformance.draw import Drawing, list_capabilities
from conformance.process import Adapter
from conformance.report import Report, compare_clients
from conformance.run import Case, Runner
from service_nb.client.user_keys import login
from tests.simulators.resident import own_home

ODD_CLIENT = shlex.join([sys.executable, str(Path(__file__).parents[1] / "tools" / "odd_client.py")])


def compare_both(seed: int, cases: int) -> Report:
    report = compare_clients([PYTHON_CLIENT, find_typescript_client()], seed, cases)
    assert report.is_conforming, "\n".join(report.list_lines())
    return report


def test_both_clients_conform() -> None:
    """A sample. Whatever a client answers, the verifiers of both find its card in order."""
    counts = compare_both(20_261_122, 60).runner.counts
    assert counts["ok"] > 200
    assert counts["rejected"] > 60
    assert counts["needs_clarification"] > 6
    assert counts["source_malformed"] > 6
    assert counts["cards"] > 300


@pytest.mark.slow
def test_both_clients_compute_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample over the managed runtime, drawn calls, and each sentence about calls that may differ."""
    monkeypatch.setenv("SERVICE_PYTHON", sys.executable)
    monkeypatch.delenv("SERVICE_DEVICE_KEY", raising=False)
    more = [*[*list_capabilities()][::97], *Drawing(20_261_123).list_computations(12)]
    with own_home() as home:
        login()
        commands = [PYTHON_CLIENT, find_typescript_client()]
        report = compare_clients(commands, 20_261_123, 0, home=str(home), more=more)
    assert report.is_conforming, "\n".join(report.list_lines())
    assert report.runner.counts["ok"] > 80
    assert report.runner.counts["invalid_intent"] > 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_both_clients_conform_in_thousands_of_cases(seed: int) -> None:
    compare_both(seed, 2_000)


TABLE = {"verb": "connect", "name": "t", "format": "csv", "text": "a,b,c\n1,x,3\n2,y,4\n3,z,5\n"}
ASKED = ({"verb": "open"}, TABLE, {"verb": "ask", "question": "count by b, c from t where a > 0 order asc limit 2"})


MOMENT = {
    "verb": "connect",
    "name": "m",
    "format": "json",
    "text": '{"at": [1, null]}',
    "options": {"types": {"at": "datetime"}},
}
REAL = {"verb": "connect", "name": "r", "format": "csv", "text": "x,y\n1.5,2\n", "options": {"types": {"x": "float64"}}}
BARE = {
    "verb": "connect",
    "name": "d",
    "format": "csv",
    "text": "x,y\n.5,1\n-.25,2\n.5000,3\n1.,4\n",
    "options": {"types": {"x": "decimal(18,2)"}},
}
TOTAL = {"verb": "ask", "question": "sum x from d"}
LARGE = {"verb": "ask", "question": "mean y from r where x in (-3.5e6, 12345678901234567890)"}


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ((MOMENT,), "source_malformed"),
        (({"verb": "resolve", "question": "\ud800"},), "invalid_intent"),
        ((REAL, LARGE), "ok"),
        ((BARE, TOTAL), "ok"),
    ],
    ids=[
        "a whole number as a time",
        "a lone surrogate",
        "a whole double beyond 2**53 in a condition",
        "decimals that begin with their point",
    ],
)
def test_both_answer_what_one_or_both_once_answered_amiss(request_: tuple[Mapping[str, Any], ...], code: str) -> None:
    case = Case("found", ({"verb": "open"}, *request_))
    report = compare_clients([PYTHON_CLIENT, find_typescript_client()], 0, 0, only=[case])
    assert report.is_conforming, "\n".join(report.list_lines())
    assert report.runner.counts[code] > 0


# Columns of one file, each with its own cause, and what goes by order in both languages or in neither.
SPELLINGS = {
    "iso": ("2014-7-1", "2014-10-01", "2014-9-30", "2014-07-02"),
    "fixed": ("2014-07-01", "2014-10-01", "2014-02-30", "2014-09-30"),
    "gap": ("2014-07-01", "n/a", "2014-02-03", "2014-09-30"),
    "german": ("01.02.2024", "15.3.2024", "31.12.2023", "1.1.2024"),
    "either": ("1/2/2024", "3/4/2024", "5/6/2024", "7/8/2024"),
    "named": ("Jan 1, 2000", "Feb 12, 2001", "Dec 3, 1999", "Mar 4, 2000"),
    "month": ("1. März 2024", "12. Mai 2023", "3. Juni 2024", "4. Juli 2022"),
    "comma": ("1.000,50", "2,5", "1.234.567,00", "-3,25"),
    "thousands": ("1,234", "2,345", "10,000", "9,999"),
    "percent": ("12%", "5%", "7.5%", "100%"),
    "price": ("$1,234.50", "$9", "$12", "$5.5"),
    "missing": ("5", "12", "n/a", "100"),
    "mixed": ("5", "12", "not a number at all", "100"),
    "zip": ("00123", "01234", "99999", "10000"),
    "zeros": ("007", "12", "0123", "99999"),
    "clock": ("9:28 AM", "10:05 AM", "1:00 PM", "12:00 PM"),
    "blank": (" 12", "9 ", "100", " 3"),
    "code": ("A12", "B7", "A9", "C100"),
    "word": ("Rome", "Oslo", "Bern", "Paris"),
}
LETTERS_OF = (
    *(
        "max {}",
        "count where {} > '2014-10-01'",
        "count where {} between '00001' and '50000'",
        "count by {} order by {}",
    ),
    *(
        "sum {}",
        "count where {} > 5",
        "count by month of {}",
        "count where {} = '5'",
        "max {}, count by word having max {} > 'x'",
    ),
)


@pytest.mark.parametrize("form", ["csv", "json", "declared"])
def test_both_refuse_the_order_of_letters_and_tell_the_same_cause(form: str) -> None:
    rows = [dict(zip(SPELLINGS, row, strict=True)) for row in zip(*SPELLINGS.values(), strict=True)]
    cells = [list(SPELLINGS), *(list(row.values()) for row in rows)]
    quoted = "\n".join(",".join(f'"{cell}"' for cell in line) for line in cells)
    connect: dict[str, Any] = {"verb": "connect", "name": "t", "format": "csv", "text": quoted}
    if form == "json":
        connect |= {"format": "json", "text": json.dumps(rows)}
    if form == "declared":
        connect |= {"options": {"types": dict.fromkeys(SPELLINGS, "string")}}
    lines = [line.format(name, name) for name in SPELLINGS for line in LETTERS_OF]
    asked = [{"verb": "ask" if at % 5 == 0 else "resolve", "question": line} for at, line in enumerate(lines)]
    kept = [{"verb": "query", "plan_of": "resolve"}, {"verb": "verify", "plan_of": "resolve"}]
    case = Case("letters", ({"verb": "open"}, connect, *asked, {"verb": "resolve", "question": "max word"}, *kept))
    report = compare_clients([PYTHON_CLIENT, find_typescript_client()], 0, 0, only=[case])
    assert report.is_conforming, "\n".join(report.list_lines())
    refused = report.runner.counts["rejected"]
    assert refused > (50 if form == "declared" else 100)
    assert report.runner.counts["ok"] > (90 if form == "declared" else 30)


def test_disagreement_is_shrunk_to_what_shows_it() -> None:
    """Another client answers `max` where `min` was asked: what is left is that, on one column."""
    question = {"aggregation": "min", "metric": "a", "group_by": ["b"], "order": "asc", "limit": 2}
    odd = {"verb": "ask", "question": question}
    report = compare_clients([PYTHON_CLIENT, ODD_CLIENT], 0, 0, only=[Case("odd", (*ASKED, odd))])
    (found,) = report.shown
    assert not report.is_conforming
    opened, connected, asked = found.case.requests
    assert opened == {"verb": "open"}
    assert asked["question"] == {"aggregation": "min", "metric": "a"}
    assert "b" not in connected["text"]
    assert len(connected["text"].splitlines()) <= 2
    assert "plan_hash" in "\n".join(report.list_lines())


@pytest.mark.parametrize(("line", "fault"), [("sum a from t", "ended"), ("avg a from t", "no answer")])
def test_client_that_crashes_or_hangs_is_started_again(line: str, fault: str) -> None:
    with Adapter(PYTHON_CLIENT) as first, Adapter(ODD_CLIENT, seconds=4) as second:
        (found,) = Runner([first, second]).run(Case("odd", (*ASKED, {"verb": "ask", "question": line})))
        assert fault in str(next(each.second for each in found.differences if each.path == "crash"))
        assert Runner([first, second]).run(Case("sound", ASKED)) == []


def test_client_that_has_fewer_verbs_is_compared_in_these() -> None:
    """The odd client parses no lines."""
    case = Case("parsing", ({"verb": "open"}, {"verb": "parse", "line": "sum a"}))
    report = compare_clients([PYTHON_CLIENT, ODD_CLIENT], 0, 0, only=[case])
    assert report.is_conforming
