"""The magics, as a user types them."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
import pytest

import service_nb
from service_nb import notebook
from service_nb.errors import (
    InvalidIntentError,
    PolicyDeniedError,
    ServiceError,
    SourceAlreadyRegisteredError,
    SourceNotFoundError,
)
from service_nb.notebook.extension import list_magics
from service_nb.notebook.run_lines import LINES_MIME
from service_nb.schema.card import CARD_MIME
from tests.surfaces.conftest import Session

MAGICS = [usage.magic.lstrip("%") for usage in list_magics()]
YAML = """
aggregation: sum
metric: revenue
group_by: [region]
source_name: sales
filter:
  conditions:
    - {column: region, op: eq, value: north}
"""
NORTH = [{"region": "north", "revenue": 1.5, "count": 1}]


def test_loading_shows_how_to_begin_and_adds_the_magics(bare_session: Session, tmp_path: Path) -> None:
    (tmp_path / "my sales.csv").write_text("a\n1\n")
    (greeting,), printed = bare_session.outputs("%load_ext service_nb")
    connect, ask = [each["line"] for each in greeting.data[LINES_MIME]["lines"]]
    assert (connect, printed) == ('%service_connect my_sales "my sales.csv"', "")
    assert connect in greeting.data["text/plain"]
    bare_session.run(connect)
    assert bare_session.run(ask)["status"] == "ok"
    assert bare_session.outputs("%reload_ext service_nb") == ([], "")
    assert set(MAGICS) <= set(bare_session.shell.magics_manager.magics["line"])


def test_unloading_leaves_no_trace(bare_session: Session) -> None:
    def traces() -> tuple[Any, ...]:
        shell = bare_session.shell
        return (
            {kind: sorted(names) for kind, names in shell.magics_manager.magics.items()},
            sorted(shell.magics_manager.registry),
            list(shell.configurables),
            list(shell.Completer.custom_matchers),
            {event: list(callbacks) for event, callbacks in shell.events.callbacks.items()},
            list(shell.display_formatter.ipython_display_formatter.deferred_printers),
            list(shell.display_formatter.ipython_display_formatter.type_printers),
            sorted(name for name in shell.user_ns if not name.startswith("_")),
        )

    bare_session.run("1")  # IPython's own first marks …
    bare_session.shell.run_line_magic("load_ext", "service_nb")  # … and those of its magic that loads
    bare_session.shell.run_line_magic("unload_ext", "service_nb")
    before = traces()
    bare_session.shell.run_line_magic("load_ext", "service_nb")
    assert traces() != before
    bare_session.shell.run_line_magic("unload_ext", "service_nb")
    assert traces() == before


def test_unloading_after_use_leaves_no_formatter(session: Session) -> None:
    session.run("%service_ask count from sales")
    session.shell.run_line_magic("unload_ext", "service_nb")
    formatter = session.shell.display_formatter.ipython_display_formatter
    assert "service_nb" not in str([*formatter.deferred_printers, *formatter.type_printers])


@pytest.mark.parametrize("magic", MAGICS)
def test_every_magic_has_help_and_a_page_with_three_examples(session: Session, magic: str) -> None:
    outputs, printed = session.outputs(f"%{magic} --help")
    assert outputs == []
    page = session.shell.magics_manager.magics["line"][magic].__doc__
    assert printed == page
    assert page.partition("Examples:")[2].count(f"%{magic}") >= 3


def test_every_example_of_asking_is_well_formed(session: Session) -> None:
    ask = next(usage for usage in list_magics() if usage.magic == "%service_ask")
    session.shell.user_ns["flights"] = [
        {"carrier": "AA", "origin": "JFK", "month": 7, "dep_delay": 61.0, "arr_delay": 3.0}
    ]
    session.run("%service_connect flights flights")
    for example in ask.examples:
        session.run(example)
    assert session["late"]["status"] == "ok"


def test_a_line_returns_its_outcome(session: Session) -> None:
    outcome: Any = session.run("%service_ask sum revenue by region from sales where region = 'north'")
    assert outcome["status"] == "ok"
    assert outcome.rows == NORTH


def test_an_assignment_gets_the_outcome_and_shows_nothing(session: Session) -> None:
    outputs, printed = session.outputs("answer = %service_ask sum revenue by region where region = 'north'")
    assert (outputs, printed) == ([], "")
    assert session["answer"].rows == NORTH


def test_a_semicolon_silences_the_card_but_not_the_assignment(session: Session) -> None:
    assert session.run("%service_ask count from sales;") is None
    assert session.run("%%service_ask\ncount from sales;") is None
    session.run("answer = %service_ask count from sales;")
    session.run("%service_ask count from sales --as other;")
    assert session["answer"].rows == session["other"].rows == [{"count": 4}]


@pytest.mark.parametrize(
    "body",
    [
        "sum revenue\nby region\nfrom sales\nwhere region = 'north'",
        YAML,
        json.dumps(
            {
                "aggregation": "sum",
                "metric": "revenue",
                "group_by": ["region"],
                "source_name": "sales",
                "filter": {"conditions": [{"column": "region", "op": "eq", "value": "north"}]},
            },
            indent=2,
        ),
    ],
)
def test_a_cell_holds_a_line_yaml_or_json_of_one_plan(session: Session, body: str) -> None:
    outcome: Any = session.run(f"%%service_ask --as bound\n{body}\n")
    line: Any = session.run("%service_ask sum revenue by region from sales where region = 'north'")
    assert outcome.rows == NORTH
    assert outcome["data"]["plan_hash"] == line["data"]["plan_hash"]
    assert session["bound"] is outcome


@pytest.mark.parametrize(
    "body",
    [
        "metric: a\nmetric: b",
        "metric: &x a\nsource_name: *x",
        "metric: !!python/name:os.system a",
        "metric: !!str a",
        "aggregation: sum\n---\naggregation: avg",
        "group_by: " + "[" * 5_000 + "]" * 5_000,
        "metric: [",
        "metric: \x07",
        "1: 2\nmetric: x",
        "metric:\n\t- x",
        '{"metric": "a", "metric": "b"}',
        '{"metric": NaN}',
        '{"metric": ' + "[" * 500 + "]" * 500 + "}",
        "{metric: a}",
        "{}{}",
    ],
)
def test_a_malformed_cell_is_refused_with_a_code(session: Session, body: str) -> None:
    error = session.error(f"%%service_ask\n{body}")
    assert isinstance(error, ServiceError)
    assert error.code in ("invalid_intent", "limit_exceeded")


def test_yaml_takes_only_plain_numbers_and_true_and_false_for_more_than_text(session: Session) -> None:
    session.shell.user_ns["codes"] = [{"zip": "00123", "answer": "no", "day": "2013-01-01"}]
    session.run("%service_connect codes codes")
    where = "\n".join(
        f"    - {{column: {column}, op: eq, value: {value}}}"
        for column, value in [("zip", "00123"), ("answer", "no"), ("day", "2013-01-01")]
    )
    answer: Any = session.run(f"%%service_ask\naggregation: count\nsource_name: codes\nfilter:\n  conditions:\n{where}")
    assert answer.rows == [{"count": 1}]


def test_refusals_are_outcomes_and_the_run_goes_on(session: Session) -> None:
    unclear: Any = session.run("%service_ask sum revenu from sales")
    rejected: Any = session.run("%service_ask sum region from sales")
    assert unclear["status"] == "needs_clarification"
    assert unclear["resolution"]["candidates"][0]["ask"] == "sum revenue from sales"
    assert rejected["status"] == "rejected"


@pytest.mark.parametrize(
    ("line", "met", "meant"),
    [
        ("%service_ask --chrt count from sales", "--chrt", ["--chart"]),
        ("%service_ask --rows nine count from sales", "nine", ["none"]),
        ("%service_connect a b --tipes x=y", "--tipes", ["--types"]),
        ("%service_ask summ revenue from sales", "summ", ["sum"]),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(session: Session, line: str, met: str, meant: list[str]) -> None:
    error = session.error(line)
    assert isinstance(error, InvalidIntentError)
    assert (error.details["met"], error.details["did_you_mean"]) == (met, meant)


@pytest.mark.parametrize(
    "line",
    [
        "%service_ask",
        "%service_ask --as 1x count from sales",
        "%service_ask --as a --as b count from sales",
        "%service_ask count from sales --as",
        "%service_ask --chart=yes count from sales",
        "%service_ask count from sales --timeout never",
        "%service_ask count from sales --timeout -1",
        "%service_ask count from sales --from other",
        "%%service_ask count from sales\ncount from sales",
        "%service_connect",
        "%service_connect a b c",
        "%service_connect a b --types zip",
        "%service_connect a $missing",
        "%service_policy now",
        "%service_last_error please",
        "%service_explain $missing",
    ],
)
def test_a_malformed_magic_is_an_error(session: Session, line: str) -> None:
    assert isinstance(session.error(line), InvalidIntentError)


def test_columns_in_errors_count_from_where_the_user_counts(session: Session) -> None:
    # "--chart sum x bye y": the options stay in place as blanks.
    assert session.error("%service_ask --chart sum x bye y").details["column"] == 15


def test_variables_of_a_question_are_the_notebooks_and_only_those_it_names(session: Session) -> None:
    session.shell.user_ns.update(wanted="north", both=["north", "south"], _hidden="x", table=pandas.DataFrame())
    line = "%service_ask sum revenue by region from sales where region = $wanted"
    assert session.run(line).rows == NORTH
    assert session.run(line.replace("= $wanted", "in $both limit 1")).rows == NORTH
    assert session.run("%%service_ask\n" + YAML.replace("value: north", "value: {variable: wanted}")).rows == NORTH
    assert session.run(line.replace("ask", "explain"))["status"] == "ok"
    for name in ("wantd", "_hidden", "In"):
        error = str(session.error(line.replace("wanted", name)))
        assert f"No variable is called `${name}`." in error
        assert [word in error for word in ("$both", "$wanted", "There is $_", "$table")] == [True, True, False, False]


def test_options_inside_quotes_are_text(session: Session) -> None:
    outcome: Any = session.run("%service_ask count from sales where region = 'a --chart b'")
    assert outcome.rows == [{"count": 0}]


def test_from_names_the_source_of_a_question_that_names_none(session: Session) -> None:
    session.run("%service_connect more rows")
    assert session.run("%service_ask count")["status"] == "needs_clarification"
    assert session.run("%service_ask count --from more")["status"] == "ok"


def test_a_second_word_is_a_variable_if_it_is_bound_and_unquoted(session: Session, tmp_path: Path) -> None:
    (tmp_path / "rows").write_text("a\n1\n", encoding="utf-8")
    assert session.run("%service_connect one rows")["row_count"] == 4
    assert session.run("%service_connect two $rows")["row_count"] == 4
    assert isinstance(session.error("%service_connect three 'rows.csv'"), SourceNotFoundError)
    assert isinstance(session.error("%service_connect four rows.csv"), SourceNotFoundError)


def test_connect_takes_a_path_with_blanks_types_and_aliases(session: Session, tmp_path: Path) -> None:
    (tmp_path / "my file.csv").write_text("zip;amount\n00123;1.10\n", encoding="utf-8")
    source: Any = session.run(
        "%service_connect shop 'my file.csv' --delimiter ';' --types zip=string,amount=decimal(12,2) --alias net=amount"
    )
    assert [field["physical"] for field in source["typed_fields"]] == ["string", "decimal(12,2)"]
    answer: Any = session.run("%service_ask sum net from shop")
    assert answer.rows[0]["amount"] == Decimal("1.10")


def test_connect_sees_the_variables_of_the_function_it_runs_in(session: Session) -> None:
    session.run(
        "def connect():\n"
        "    inner = [{'a': 1}]\n"
        "    return get_ipython().run_line_magic('service_connect', 'inner $inner')"
    )
    assert session.run("connect()")["row_count"] == 1


def test_variables_are_never_pasted_into_a_question(session: Session) -> None:
    session.shell.user_ns["region"] = "north' or 1 = 1"
    for condition in ("region = '{region}'", "region = $region", "region in ($region)", "region contains $region"):
        assert session.run(f"%service_ask count from sales where {condition}").rows == [{"count": 0}]
    error = session.error("%service_ask count by $region from sales")
    assert error.details["met"] == "$region"


def test_sources_lists_and_shows_with_values(session: Session) -> None:
    assert [source["name"] for source in session.run("%service_sources")] == ["sales"]
    page: Any = session.run("%service_sources sales")
    assert "north" in page._repr_mimebundle_()[0]["text/plain"]
    assert isinstance(session.error("%service_sources nothing"), SourceNotFoundError)


def test_explain_runs_nothing(session: Session) -> None:
    found: Any = session.run("%service_explain sum revenue by region from sales")
    assert (found["status"], len(found["plan_hash"])) == ("ok", 64)
    assert session.run("%service_explain sum revenu from sales")["candidates"]
    assert session.run("%service_explain sum region from sales")["status"] == "rejected"


def test_explain_checks_a_stored_plan(session: Session) -> None:
    session.run("found = %service_explain sum revenue from sales")
    session.run("plan = dict(found['plan'])")
    assert session.run("%service_explain $plan")["valid"] is True
    session.run("plan['plan_hash'] = '0' * 64")
    assert session.run("%service_explain $plan")["valid"] is False


@pytest.mark.parametrize(
    "cell",
    [
        "%service_sources",
        "%service_sources sales",
        "%service_policy",
        "%service_explain count from sales",
        "%service_explain sum revenu from sales",
        "%service_explain sum region from sales",
        "%service_explain $plan",
        "%service_last_error",
    ],
)
def test_every_value_has_a_face_for_notebooks_and_for_consoles(session: Session, cell: str) -> None:
    session.run("plan = get_ipython().run_line_magic('service_explain', 'count from sales')['plan']")
    session.error("%service_ask")
    value: Any = session.run(cell)
    data, _ = value._repr_mimebundle_()
    card = {CARD_MIME} if cell == "%service_last_error" else set()  # errors are outcomes, and outcomes have cards
    assert set(data) == {"text/html", "text/latex", "text/markdown", "text/plain"} | card
    assert session.shell.display_formatter.formatters["text/plain"](value) == data["text/plain"]


def test_an_error_is_one_readable_line_and_a_real_error(session: Session) -> None:
    error = session.error("%service_ask sum revenue bye region")
    lines = error._render_traceback_()
    assert lines[0].startswith("invalid_intent: ")
    assert lines[1:] == ["  Did you mean:", "    %service_ask sum revenue by region"]


def test_the_last_error_is_kept_with_its_facts(session: Session) -> None:
    _, printed = session.outputs("%service_last_error")
    assert printed.strip()
    session.error("%service_ask sum revenue bye region")
    assert session.run("%service_last_error")["details"]["met"] == "bye"
    _, full = session.outputs("%service_last_error --full")
    assert "Traceback" in full


def test_rows_none_keeps_values_out_of_the_card(session: Session) -> None:
    session.run("answer = %service_ask max secret by region from sales --rows none")
    card: Any = session["answer"].card
    assert "s3" not in json.dumps(card)
    session.run('%config ServiceMagics.rows = "none"')
    session.run("answer = %service_ask max secret by region from sales")
    assert "s3" not in json.dumps(session["answer"].card)


def test_display_rows_bounds_what_a_card_shows(session: Session) -> None:
    session.run("%config ServiceMagics.display_rows = 1")
    answer: Any = session.run("%service_ask sum revenue by region from sales")
    assert len(answer.card["view"]["rows"]) == 1
    assert len(answer.rows) == 3


def test_a_chart_follows_its_card(session: Session) -> None:
    outputs, _ = session.outputs("%service_ask sum revenue by region from sales --chart")
    assert [CARD_MIME in output.data for output in outputs] == [True, False]
    assert "image/png" in outputs[1].data
    assert outputs[1].metadata["image/png"]["alt"]


def test_the_kind_of_a_chart_may_follow_its_option(session: Session) -> None:
    for line in ("--chart bar sum revenue by region from sales", "sum revenue by region from sales --chart=bar"):
        outputs, _ = session.outputs(f"%service_ask {line}")
        assert outputs[1].metadata["image/png"]["alt"].startswith("Sum of revenue by region in sales. Bar chart")
    assert "make no line" in str(session.error("%service_ask sum revenue by region from sales --chart line"))


def test_a_chart_never_shows_values_that_are_kept_out(session: Session) -> None:
    for line in ("--chart --rows none", "--rows=none --chart"):
        assert session.error(f"%service_ask sum revenue by region from sales {line}").code == "invalid_intent"
    session.run("%config ServiceMagics.rows = 'none'")
    assert session.error("%service_ask sum revenue by region from sales --chart").code == "invalid_intent"


def test_a_refusal_has_no_chart(session: Session) -> None:
    outputs, _ = session.outputs("x = %service_ask sum revenu from sales --chart")
    assert outputs == []


def test_a_notebook_may_use_a_client_of_its_own(session: Session) -> None:
    client = service_nb.create_service(policy={"allowed_fields": {"sales": ["region"]}})
    client.connect(pandas.DataFrame({"region": ["a"], "secret": ["x"]}), name="sales")
    notebook.use(client)
    assert notebook.current() is client
    assert session.run("%service_policy")["allowed_fields"] == {"sales": ["region"]}
    assert session.run("%service_sources sales")["fields"] == ["region"]
    assert session.run("%service_ask max secret from sales")["status"] == "rejected"
    with pytest.raises(InvalidIntentError):
        notebook.use("sales")


def test_a_source_outside_the_policy_is_an_error_to_connect(session: Session) -> None:
    notebook.use(service_nb.create_service(policy={"allowed_sources": ["other"]}))
    assert isinstance(session.error("%service_connect sales $rows"), PolicyDeniedError)


def test_without_the_extension_there_is_no_current_client(bare_session: Session) -> None:
    with pytest.raises(InvalidIntentError):
        notebook.current()


def test_connect_reads_a_table_and_a_query_of_sqlite(session: Session, tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "shop.sqlite")) as database, database:
        database.execute("CREATE TABLE orders (id INTEGER, total REAL)")
        database.execute("INSERT INTO orders VALUES (1, 2.5), (2, 4.0)")
    assert session.run("%service_connect orders shop.sqlite --table orders")["row_count"] == 2
    query = "SELECT total FROM orders WHERE id = 2"
    assert session.run(f'%service_connect second shop.sqlite --query "{query}"')["row_count"] == 1


def test_a_kept_source_is_connected_by_its_name_alone(session: Session, tmp_path: Path) -> None:
    (tmp_path / "kept.csv").write_text("a\n1\n", encoding="utf-8")
    session.run("%service_connect kept kept.csv --persist")
    notebook.use(service_nb.create_service(project=tmp_path))
    assert session.run("%service_connect kept")["row_count"] == 1


def test_a_file_connected_again_with_other_nulls_is_replaced_by_the_line_that_the_error_names(
    session: Session, tmp_path: Path
) -> None:
    (tmp_path / "orders.csv").write_text("city,amount\nOslo,1\nBonn,n/a\nRom,\n")
    nulls = "%service_ask count from orders where amount is null"

    def told(line: str) -> Any:
        return session.run(line)

    told("%service_connect orders orders.csv")
    assert told(nulls).rows == [{"count": 1}]
    error = session.error("%service_connect orders orders.csv --nulls n/a;  # as the note says")
    assert isinstance(error, SourceAlreadyRegisteredError)
    line = re.search(r"%service_connect .*--replace", error.hint or "")
    assert line is not None
    assert told(line[0])["reading"] == {"nulls": ["n/a"]}
    assert told(nulls).rows == [{"count": 2}]
    assert told("%service_connect orders orders.csv --nulls n/a")["reading"] == {"nulls": ["n/a"]}
