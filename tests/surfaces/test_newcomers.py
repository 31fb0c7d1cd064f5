"""What people type before they have read anything: in a session of IPython, and in the command.

Each line gets what was meant, or an error whose hint has the line to type. That line is then typed, and runs.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from service_nb.errors import InvalidIntentError, ServiceError
from tests.simulators.commands import OWN, run_command
from tests.surfaces.conftest import Session
from tests.tools.sampling import sample

ROOT = Path(__file__).parents[2]
NPV = 505.0201488969332  # of rate 0.1 and -1000, 300, 420, 560, 680: exact fractions of Python, rounded once
CALL = "finance.npv(rate=0.1, cashflows=[-1000, 300, 420, 560, 680])"
SALES = "region,year,revenue,customer\nnorth,2024,1.5,a\nsouth,2024,0.25,b\nnorth,2023,0.5,a\nsouth,2024,0.75,c\n"
PROJECT = (
    "import service_nb\nfrom service_nb import notebook\nnotebook.use(service_nb.create_service(runtime='in_process'))"
)


class Typed(NamedTuple):
    """A line, and what comes of it: a value, or the words of the line that its error offers."""

    line: str
    gets: object  # the value
    offers: str | None = None  # the line to type, as it stands behind the magic


ASKED = [
    Typed("average revenue by region", {"north": 1.0, "south": 0.5}),
    Typed("mean revenue by region", {"north": 1.0, "south": 0.5}),
    Typed("sum revenue group by region", {"north": 2.0, "south": 1.0}, "sum revenue by region"),
    Typed("sum revenue per region", {"north": 2.0, "south": 1.0}, "sum revenue by region"),
    Typed("sum(revenue) by region", {"north": 2.0, "south": 1.0}, "sum revenue by region"),
    Typed("sum of revenue", {"": 3.0}),
    Typed("total revenue", {"": 3.0}),
    Typed("count(*)", {"": 4}, "count"),
    Typed("count distinct year", {"": 2}),
    Typed("count(distinct year)", {"": 2}, "count_distinct year"),
    Typed("unique year by region", {"north": 2, "south": 1}),
    Typed("std revenue where region = 'north'", {"": 0.5**0.5}),
    Typed("median revenue by region", {"north": 1.0, "south": 0.5}),
    Typed("sum revenue where region = north", {"": 2.0}, "sum revenue where region = 'north'"),
    Typed("sum revenue from sales by region", {"north": 2.0, "south": 1.0}, "sum revenue by region from sales"),
    Typed(
        "select sum(revenue) from sales where year = 2024 group by region order by revenue desc",
        {"north": 1.5, "south": 1.0},
        "sum revenue by region from sales where year = 2024 order by revenue desc",
    ),
    Typed("smu revenue", {"": 3.0}, "sum revenue"),
    Typed("smu revenu bye region", {"north": 2.0, "south": 1.0}, "sum revenue by region"),
    Typed("top 1 region by sum revenue", {"north": 2.0}),
    Typed("top 1 sum revenue by region", {"north": 2.0}),
    Typed("bottom 1 region by total revenue", {"south": 1.0}),
    Typed("sum revenue where region like 'n%'", {"": 2.0}),
    Typed("sum revenue where region like '%out%' or year = 2023", {"": 1.5}),
    Typed("count where revenue > 50%", {"": 2}),
]
COMPUTED = [
    Typed(CALL, NPV),
    Typed("finance.npv(rate=0.1,cashflows=[-1000,300,420,560,680])", NPV),
    Typed("finance.npv rate=0.1, cashflows=[-1000, 300, 420, 560, 680]", NPV),
    Typed("stats.median(values=sales.revenue) where year = 2024", 0.75),
    Typed("stats.median values=revenue", 0.625, "stats.median values=sales.revenue"),
    Typed("stats.median values=Revenue where year = 2024", 0.75, "stats.median values=sales.revenue where year = 2024"),
    Typed(
        "stats.covariance x=revenue, y=year",
        0.08333333333333333,
        "stats.covariance x=sales.revenue y=sales.year",
    ),
    Typed("npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]", NPV, CALL.replace("(", " ").replace(",", "", 1)[:-1]),
]
NAMED = [  # too little to know the call: the names that may be meant, with what they take
    ("npv", "finance.npv"),
    ("finance.nvp rate=0.1", "finance.npv"),
    ("median", "stats.median"),
    ("medain", "stats.median"),
    ("finance.npv(0.1, [-1000, 1100])", "In this order? %service_compute finance.npv rate=0.1 cashflows=[-1000, 1100]"),
    ("finance.npv", "rate"),
]


@pytest.fixture
def newcomer(bare_session: Session, tmp_path: Path) -> Session:
    """A session with the file `sales.csv` connected, which computes in its own process."""
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    bare_session.shell.run_line_magic("load_ext", "service_nb")
    bare_session.run(PROJECT)
    bare_session.run("%service_connect sales sales.csv")
    return bare_session


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    return tmp_path


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, words, {**os.environ, **OWN, "SERVICE_LEDGER": str(folder / ".service")})


def offered(hint: str | None, *, bare: bool = False) -> str:
    """Return the line to type that a hint ends with."""
    assert hint is not None
    told, *lines = re.split(r"(?:Write|Try|Did you mean): ", hint)
    assert lines, told
    return re.sub(r"^(?:%service_\w+ |service-nb \w+ \S+ )", "", lines[-1]) if bare else lines[-1]


def values(outcome: Any) -> object:
    """Return what an outcome says: the value, or the metric of each group."""
    if "value" in outcome:
        return outcome["value"]
    rows = outcome["data"]["result"] if "data" in outcome else outcome.rows
    columns = [name for name in rows[0] if name not in ("region", "customer")]
    return {next((row[key] for key in ("region", "customer") if key in row), ""): row[columns[0]] for row in rows}


# --- a notebook -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("magic", "typed"),
    [*(("%service_ask", each) for each in ASKED), *(("%service_compute", each) for each in COMPUTED)],
    ids=lambda each: getattr(each, "line", ""),
)
def test_a_line_of_a_notebook_gets_what_it_meant_or_the_line_to_type(
    newcomer: Session, magic: str, typed: Typed
) -> None:
    if typed.offers is not None:
        error = newcomer.error(f"{magic} {typed.line}")
        assert isinstance(error, InvalidIntentError)
        assert offered(error.hint, bare=True) == typed.offers
    outcome: Any = newcomer.run(f"{magic} {typed.offers or typed.line}")
    assert values(outcome) == typed.gets


def test_a_statistic_that_is_no_aggregation_is_offered_as_a_computation(newcomer: Session) -> None:
    for line in ("%service_ask midrange revenue by region", "%service_compute midrange revenue by region"):
        error: Any = newcomer.error(line)
        assert offered(error.hint) == "%service_compute stats.midrange values=sales.revenue --over region"
    newcomer.run(offered(error.hint))
    filtered: Any = newcomer.error("%service_ask midrange(revenue) where year = 2024 group by region")
    assert offered(filtered.hint) == (
        "%service_compute stats.midrange values=sales.revenue where year = 2024 --over region"
    )


def test_a_question_and_a_computation_behind_each_other_s_magic_are_sent_to_their_own(newcomer: Session) -> None:
    asked: Any = newcomer.error("%service_compute sum revenue by region")
    assert values(newcomer.run(offered(asked.hint))) == {"north": 2.0, "south": 1.0}
    middle: Any = newcomer.error("%service_compute median revenue by region")
    assert offered(middle.hint) == "%service_ask median revenue by region"
    computed: Any = newcomer.error(f"%service_ask {CALL}")
    assert values(newcomer.run(offered(computed.hint))) == NPV


@pytest.mark.parametrize(("line", "names"), NAMED)
def test_a_name_that_is_not_whole_is_answered_with_the_nearest(newcomer: Session, line: str, names: str) -> None:
    error = newcomer.error(f"%service_compute {line}")
    assert isinstance(error, ServiceError)
    assert names in str(error)


def test_a_word_that_two_sources_have_a_column_of_is_offered_with_both(newcomer: Session) -> None:
    newcomer.run("%service_connect more sales.csv")
    error: Any = newcomer.error("%service_compute stats.median values=revenue")
    assert error.heading == "Which column is `revenue`?"
    assert error.details["candidates"] == ["stats.median values=more.revenue", "stats.median values=sales.revenue"]


def test_nothing_that_the_policy_hides_is_offered(newcomer: Session) -> None:
    rules = "{'allowed_fields': {'sales': ['region']}, 'allowed_functions': ['finance.*']}"
    newcomer.run(f"notebook.use(notebook.current().narrow({rules}))")
    for line in (
        *("%service_compute stats.median values=revenue", "%service_compute stats.median values=revenu"),
        *("%service_compute median", "%service_compute median revenue", "%service_ask midrange region"),
    ):
        error: Any = newcomer.error(line)
        told = json.dumps({**error.to_dict(), "message": "", "details": error.details.get("did_you_mean")})
        assert "stats." not in told.replace("`stats.median`", "")  # as it was typed
        assert "sales.revenue" not in told


def test_a_call_is_typed_again_as_its_card_prints_it(newcomer: Session) -> None:
    newcomer.run("text = 'a \"quoted\" \\\\ word'")
    for line in (
        *(
            CALL,
            "stats.median values=sales.revenue",
            "number_theory.is_prime n=170141183460469231731687303715884105727",
        ),
        *("simulation.random_walk steps=10 probability=0.5 seed=7", "optimization.edit_distance a=$text b='it''s'"),
    ):
        computed: Any = newcomer.run(f"%service_compute {line}")
        again: Any = newcomer.run(f"%%service_compute\n{computed.card['view']['question']}")
        assert again["computation_hash"] == computed["computation_hash"]


# --- sources, options, sessions ---------------------------------------------------------------------------------------


def test_a_path_alone_is_connected_under_the_name_of_its_file(newcomer: Session) -> None:
    newcomer.run("notebook.use(service_nb.create_service())")
    assert newcomer.run("%service_connect sales.csv")["name"] == "sales"  # type: ignore[index]
    assert values(newcomer.run("%service_ask sum revenue")) == {"": 3.0}


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("%service_connect more sales.cvs", "%service_connect more sales.csv"),
        ("%service_connect more https://example.org/more.csv", "curl -LO https://example.org/more.csv"),
        ('%service_connect more [{"a": 1}]', "%service_connect more $rows"),
    ],
)
def test_what_is_no_file_is_answered_with_the_line_that_connects_it(newcomer: Session, line: str, offers: str) -> None:
    error: Any = newcomer.error(line)
    assert offers in error.hint


@pytest.mark.parametrize("option", ["--nulls", "--null-policy"])
def test_either_name_of_an_option_about_nulls_is_taken(newcomer: Session, option: str) -> None:
    newcomer.run("gaps = [{'x': 1.0}, {'x': None}, {'x': 3.0}]")
    newcomer.run("%service_connect gaps $gaps")
    assert values(newcomer.run(f"%service_compute stats.median values=gaps.x {option} drop")) == 2.0


def test_the_extension_loaded_again_keeps_the_sources(newcomer: Session) -> None:
    newcomer.run("%reload_ext service_nb")
    assert values(newcomer.run("%service_ask sum revenue from sales")) == {"": 3.0}


def test_a_client_is_closed_at_the_end_of_a_with_block(newcomer: Session) -> None:
    newcomer.run(
        "with service_nb.create_service() as s:\n    s.connect('sales.csv'); total = s.ask('sum revenue').rows"
    )
    assert newcomer["total"] == [{"revenue": 3.0, "count": 4}]
    assert newcomer.run("s.sources()") == []


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", sample(ASKED, 3), ids=lambda each: each.line)
def test_a_question_of_the_command_gets_what_it_meant_or_the_line_to_type(folder: Path, typed: Typed) -> None:
    if typed.offers is not None:
        met = command(folder, "ask", "sales.csv", typed.line, "--json")
        assert met.returncode == 2
        assert f'"{typed.offers}"' in offered(json.loads(met.stdout)["error"]["hint"])
        assert f'"{typed.offers}"' in offered(met.stderr.strip())
    again = command(folder, "ask", "sales.csv", typed.offers or typed.line, "--json")
    assert values(json.loads(again.stdout)) == typed.gets


@pytest.mark.parametrize("typed", sample(COMPUTED, 2), ids=lambda each: each.line)
def test_a_computation_of_the_command_gets_what_it_meant_or_the_line_to_type(folder: Path, typed: Typed) -> None:
    more = ("--file", "sales.csv", "--in-process", "--json")
    if typed.offers is not None:
        met = command(folder, "compute", typed.line, *more)
        assert met.returncode == 2
        assert f'"{typed.offers}"' in offered(met.stderr.strip())
    again = command(folder, "compute", typed.offers or typed.line, *more)
    assert values(json.loads(again.stdout)) == typed.gets


def test_a_statistic_is_offered_as_a_line_of_the_shell_and_it_runs(folder: Path) -> None:
    met = command(folder, "ask", "sales.csv", "midrange revenue by region")
    line = offered(met.stderr.strip())
    assert line == 'service-nb compute "stats.midrange values=sales.revenue" --file sales.csv --over region'
    again = command(folder, *shlex.split(line)[1:], "--in-process", "--json")
    assert [each["value"] for each in json.loads(again.stdout)] == [1.0, 0.5]
    cards = command(folder, *shlex.split(line)[1:], "--in-process")
    assert (cards.returncode, cards.stdout.count("stats.midrange(values=sales.revenue")) == (0, 4)


def test_a_name_alone_is_answered_with_the_nearest_in_the_command(folder: Path) -> None:
    met = command(folder, "compute", "npv")
    assert met.returncode == 2
    assert "finance.npv rate=… cashflows=…" in met.stderr


def test_a_database_of_one_table_is_a_file_like_others_in_the_command(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "s.db")) as connection:
        connection.execute("create table orders (total integer)")
        connection.execute("insert into orders values (3), (4)")
        connection.commit()
    met = command(folder, "ask", "s.db", "sum total", "--json")
    assert json.loads(met.stdout)["data"]["result"] == [{"total": 7, "count": 2}]


@pytest.mark.parametrize("option", ["--nulls", "--null-policy"])
def test_either_name_of_an_option_about_nulls_is_taken_by_the_command(folder: Path, option: str) -> None:
    (folder / "gaps.csv").write_text("x,y\n1,a\n,b\n3,c\n", encoding="utf-8")
    line = ("compute", "stats.median values=gaps.x", "--file", "gaps.csv", option, "drop", "--in-process", "--json")
    met = command(folder, *line)
    assert json.loads(met.stdout)["value"] == 2.0


@pytest.mark.parametrize("option", ["--output", "--out"])
def test_either_name_of_the_option_for_what_is_written_is_taken(folder: Path, option: str) -> None:
    met = command(folder, "ask", "sales.csv", "sum revenue", "--json")
    identifier = json.loads(met.stdout)["data"]["query_id"]
    assert command(folder, "export", identifier, "--format", "csv", option, "rows.csv").returncode == 0
    assert (folder / "rows.csv").read_text(encoding="utf-8").splitlines()[1].startswith("3")
