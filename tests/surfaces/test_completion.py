"""Tab inside the magics, as IPython's own completer answers it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import service_nb
from service_nb import notebook
from tests.simulators.steps import steps
from tests.surfaces.conftest import Session

WIDE = 2_000  # columns of a wide source


@pytest.fixture(autouse=True)
def provisional() -> Iterator[None]:
    """IPython calls its completer provisional, in a warning at every call."""
    with warnings.catch_warnings():
        from IPython.core.completer import ProvisionalCompleterWarning

        warnings.simplefilter("ignore", ProvisionalCompleterWarning)
        yield


def ours(offers: dict[str, str]) -> dict[str, str]:
    kinds = ("aggregation", "number", "string", "boolean", "source", "keyword", "value", "option", "period")
    return {text: kind for text, kind in offers.items() if kind in kinds}


@pytest.mark.parametrize(
    "form",
    ["%service_ask {}", "x = %service_ask {}", "  %service_explain {}", "%%service_ask\n{}", "y=1\n%service_ask {}"],
)
@pytest.mark.parametrize(
    ("typed", "offers"),
    [
        ("", {"sum": "aggregation", "avg": "aggregation", "count": "aggregation", "min": "aggregation"}),
        ("su", {"sum": "aggregation"}),
        ("sum r", {"revenue": "number"}),
        ("count by reg", {"region": "string"}),
        ("count by `Or", {"`Order Year`": "number"}),
        ("count by region, pa", {"paid": "boolean"}),
        ("count from ", {"sales": "source"}),
        ("count from sales wh", {"where": "keyword"}),
        ("count from sales where region ", {"=": "keyword", "is not null": "keyword", "contains": "keyword"}),
        ("count from sales where region = ", {"'north'": "value", "'south'": "value", "'east'": "value"}),
        ("count from sales where region in ('north', 'so", {"'south'": "value"}),
        ("count where region = 'n", {"'north'": "value"}),
        ("count from sales where paid = ", {"true": "keyword", "false": "keyword"}),
        ("count from sales order ", {"asc": "keyword", "desc": "keyword"}),
        ("count from sales where revenue = 1 ", {"and": "keyword", "limit": "keyword", "order": "keyword"}),
    ],
)
def test_questions_are_completed_in_every_form(session: Session, form: str, typed: str, offers: dict[str, str]) -> None:
    found = session.complete(form.format(typed))
    assert offers.items() <= found.items()


def test_an_offer_fits_its_place(session: Session) -> None:
    assert "region" not in session.complete("%service_ask sum ")  # text has no sum
    assert "contains" not in session.complete("%service_ask count from sales where revenue ")
    assert "during" not in session.complete("%service_ask count from sales where revenue ")
    assert "true" not in session.complete("%service_ask count from sales where region = ")
    assert ours(session.complete("%service_ask count from sales where revenue = ")) == {}


@pytest.mark.parametrize(
    ("typed", "offers", "others"),
    [
        ("count where revenue = $", {"$least": "variable", "$name": "variable"}, {"$many", "$frame", "$os"}),
        ("count where region = $n", {"$name": "variable"}, {"$least"}),
        ("count where region in $", {"$many": "variable"}, {"$least"}),
        ("top 5 ", {"sum": "aggregation", "region": "string"}, set()),
        ("top 5 re", {"region": "string", "revenue": "number"}, set()),
        ("top 5 region ", {"by": "keyword"}, {"where", "revenue"}),
        ("top 5 region by ", {"sum": "aggregation"}, {"region"}),
        ("top 5 region by sum ", {"revenue": "number"}, {"region"}),
        ("bottom 3 sum revenue by ", {"region": "string"}, {"sum"}),
        ("sum revenue by region having ", {"sum revenue": "aggregation", "count": "aggregation"}, {"revenue"}),
        ("sum revenue by region having sum ", {"revenue": "number"}, {"Order Year", "`Order Year`", "region"}),
        ("max region, sum revenue by paid having max ", {"region": "string"}, {"revenue"}),
        ("percentile 90 of revenue by paid having percentile 90 of ", {"revenue": "number"}, {"region"}),
    ],
)  # fmt: skip
def test_variables_rankings_and_measures_are_completed(
    session: Session, typed: str, offers: dict[str, str], others: set[str]
) -> None:
    session.run("import os; least, name, many, frame = 3, 'north', ['north'], {'a': 1}")
    found = session.complete(f"%service_ask {typed}")
    assert found.items() >= offers.items()
    assert not others & found.keys()


def test_periods_are_offered_for_dates(session: Session) -> None:
    session.run("import datetime")
    session.run("days = [{'day': datetime.date(2013, 1, 1)}]")
    session.run("%service_connect days $days")
    assert session.complete("%service_ask count from days where day d") == {"during": "keyword"}
    assert session.complete("%service_ask count from days where day during last_m") == {"last_month": "period"}


def test_the_source_behind_the_cursor_counts(session: Session) -> None:
    session.shell.user_ns["others"] = [{"region_code": 1}]
    session.run("%service_connect other $others")
    line = "%service_ask sum reg from other"
    assert session.complete(line, len("%service_ask sum reg")) == {"region_code": "number"}
    assert session.complete("%service_ask --from other sum re") == {"region_code": "number"}


def test_options_and_their_values_are_completed(session: Session) -> None:
    assert session.complete("%service_ask --ro") == {"--rows": "option"}
    assert session.complete("%%service_ask --rows ") == {"all": "value", "none": "value"}
    assert session.complete("x = %service_ask count --from s") == {"sales": "source"}
    assert "--rows" not in session.complete("%service_ask --rows none --")
    assert session.complete("%service_connect a b --sh") == {"--sheet": "option"}
    assert session.complete("%service_last_error --f") == {"--full": "option"}


def test_options_do_not_disturb_the_question(session: Session) -> None:
    assert session.complete("%service_ask --rows none --chart sum rev") == {"revenue": "number"}


def test_sources_and_variables_with_tables_are_completed(session: Session) -> None:
    session.run("import pandas")
    session.run("frame = pandas.DataFrame({'a': [1]})")
    assert session.complete("%service_sources sa") == {"sales": "source"}
    assert session.complete("%service_connect new $fr") == {"$frame": "variable"}


def test_nothing_is_offered_where_the_line_is_broken_or_not_ours(session: Session) -> None:
    # IPython then offers what it has; a matcher without an offer cannot keep it from that.
    assert ours(session.complete("%service_ask sum revenue bye re")) == {}
    assert ours(session.complete("%service_ask 'open")) == {}
    assert ours(session.complete("%time reve")) == {}
    assert ours(session.complete("reve")) == {}


def test_nothing_denied_is_ever_offered(session: Session) -> None:
    client = service_nb.create_service(
        policy={"allowed_sources": ["sales"], "allowed_fields": {"sales": ["region", "paid"]}}
    )
    client.connect(session["rows"], name="sales")
    notebook.use(client)
    beginnings = [
        "",
        "sum ",
        "max ",
        "count by ",
        "count from ",
        "count from sales where ",
        "count from sales where secret = ",
        "count from sales where secret = 's",
        "max s",
        "count by s",
        "max `",
    ]
    offered = [offer for beginning in beginnings for offer in session.complete(f"%service_ask {beginning}")]
    assert "region" in offered
    assert not {"secret", "`secret`", "revenue", "'s1'", "'s2'"} & set(offered)


def test_names_with_hostile_characters_are_offered_in_backticks(session: Session) -> None:
    session.shell.user_ns["odd"] = [{"a`b": 1, "from": 2, "x; drop": 3}]
    session.run("%service_connect odd $odd")
    offers = session.complete("%service_ask sum from odd", len("%service_ask sum "))
    assert {"`a``b`", "`from`", "`x; drop`"} <= set(offers)


def test_completion_makes_no_client(bare_session: Session) -> None:
    bare_session.shell.run_line_magic("load_ext", "service_nb")
    assert "sum" in bare_session.complete("%service_ask ")
    assert bare_session.shell.magics_manager.registry["ServiceMagics"].connected is None


def test_completion_of_a_wide_source_is_not_felt(session: Session) -> None:
    session.shell.user_ns["wide"] = [{f"column_{i}": i for i in range(WIDE)}]
    session.run("%service_connect wide $wide")
    session.complete("%service_ask su")  # builds the grammar's tables once
    line, place = "%service_ask sum column_1 by column_19 from wide", len("%service_ask sum column_1")
    assert session.complete(line, place)
    assert steps(lambda: session.complete(line, place)) < 90_000  # 31,000; some hundredths of a second


def test_paths_are_completed_as_the_magic_takes_them(session: Session, tmp_path: Path) -> None:
    (tmp_path / "my data").mkdir()
    (tmp_path / "my data" / "orders 2024.csv").write_text("a\n1\n")
    (tmp_path / "plain.csv").write_text("a\n1\n")
    assert session.complete("%service_connect x pl") == {"plain.csv": "path"}
    assert session.complete("%service_connect x my") == {'"my data/': "path"}
    assert session.complete('%service_connect x "my data/or') == {'"my data/orders 2024.csv"': "path"}
    assert session.run('%service_connect x "my data/orders 2024.csv"')["row_count"] == 1  # type: ignore[index]


def test_a_name_with_blanks_is_completed_in_backticks_from_its_first_letters(session: Session) -> None:
    assert session.complete("%service_ask max Ord")["`Order Year`"] == "number"
