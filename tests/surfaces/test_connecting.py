"""What people type to connect something: it gets what it meant, or the line to type."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import service_nb
from service_nb import notebook
from service_nb.cli.main import main
from service_nb.errors import (
    InvalidIntentError,
    PolicyDeniedError,
    ServiceError,
    SourceAlreadyRegisteredError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from tests.surfaces.conftest import Session

SALES = "region,revenue\nnorth,1\nsouth,2\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which a session or the command runs, with a file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SERVICE_LEDGER", "off")
    (tmp_path / "orders.csv").write_text(SALES)
    return tmp_path


def database(path: Path, *tables: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for table in tables:
            connection.execute(f'create table "{table}" (total integer)')
            connection.execute(f'insert into "{table}" values (3), (4)')
        connection.commit()
    return path


def line_of(error: BaseException) -> str:
    """The line of a notebook that an error offers."""
    assert isinstance(error, ServiceError)
    assert error.hint is not None
    return "%service_connect" + error.hint.partition("%service_connect")[2].removesuffix(".")


# --- one word ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["orders.csv", "./orders.csv", "'orders.csv'", "orders.csv --nulls n/a"])
def test_a_path_alone_is_named_after_its_file_and_it_says_so(session: Session, folder: Path, line: str) -> None:
    source: Any = session.run(f"%service_connect {line}")
    assert (source["name"], source["row_count"]) == ("orders", 2)
    assert "Named orders" in source["notes"][0]
    assert notebook.current().source("orders")["notes"] == []


def test_a_folder_alone_is_a_path_too(session: Session, folder: Path) -> None:
    (folder / "parts").mkdir()
    pq.write_table(pa.table({"a": [1]}), folder / "parts" / "one.parquet")
    source: Any = session.run("%service_connect parts")
    assert (source["name"], source["row_count"]) == ("parts", 1)


@pytest.mark.parametrize("word", ["frame", "$frame"])
def test_a_frame_alone_is_named_after_its_variable(session: Session, word: str) -> None:
    session.shell.user_ns["frame"] = pd.DataFrame({"a": [1, 2, 3]})
    source: Any = session.run(f"%service_connect {word}")
    assert (source["name"], source["row_count"]) == ("frame", 3)


def test_a_list_of_rows_alone_is_named_after_its_variable(session: Session) -> None:
    session.run("takings = [{'shop': 'a', 'amount': 1}, {'shop': 'b', 'amount': 2}]")
    assert session.run("%service_connect takings")["name"] == "takings"  # type: ignore[index]


@pytest.mark.parametrize(
    "typed",
    ["frame as takings", "takings = frame", "takings=frame", "frame --table takings", "$frame --name takings"],
)
def test_a_variable_and_a_name_in_another_order_lead_to_the_line_that_connects_it(session: Session, typed: str) -> None:
    session.run("import pandas as pd; frame = pd.DataFrame({'amount': [1, 2]})")
    with pytest.raises(ServiceError) as caught:
        session.run(f"%service_connect {typed}")
    assert caught.value.lines[0] == "%service_connect takings frame"
    assert session.run(caught.value.lines[0])["row_count"] == 2  # type: ignore[index]


@pytest.mark.parametrize(
    ("typed", "said", "line"),
    [
        ("df, sold", "Words are separated by blanks", "%service_connect sold df"),
        ("sold, orders.csv", "Words are separated by blanks", "%service_connect sold orders.csv"),
        ("df as sold", "The name is written before", "%service_connect sold df"),
        ("orders.csv as sold", "The name is written before", "%service_connect sold orders.csv"),
        ("orders.csv --name sold", "no option --name", "%service_connect sold orders.csv"),
        ("df --name=sold", "no option --name", "%service_connect sold df"),
        ("orders.csv --name sold --types revenue=string", "no option --name", "%service_connect sold orders.csv"),
    ],
)
def test_a_name_in_another_form_is_refused_with_the_line_that_connects_it(
    session: Session, folder: Path, typed: str, said: str, line: str
) -> None:
    session.run("import pandas; df = pandas.DataFrame({'x': [1]})")
    error = session.error(f"%service_connect {typed}")
    assert isinstance(error, InvalidIntentError)
    assert said in error.message
    assert error.lines[0].startswith(line)
    session.run(error.lines[0])
    assert [each["name"] for each in session.shell.run_line_magic("service_sources", "")] == ["sales", "sold"]


@pytest.mark.parametrize(
    ("first", "second", "call"),
    [
        ("sales", "orders.csv", 'connect("orders.csv", name="sales")'),
        ("orders.csv", "sales", 'connect("orders.csv", name="sales")'),
        ("sales", [{"x": 1}], 'connect(…, name="sales")'),
        ([{"x": 1}], "sales", 'connect(…, name="sales")'),
    ],
)
def test_a_name_as_the_other_argument_of_connect_is_refused_with_the_call(
    folder: Path, first: Any, second: Any, call: str
) -> None:
    with pytest.raises(InvalidIntentError, match="takes the source first") as caught:
        service_nb.create_service().connect(first, second)
    assert caught.value.hint == f"Write: {call}"


def test_a_name_that_is_kept_wins_over_a_file_and_a_variable(session: Session, folder: Path) -> None:
    (folder / "other.csv").write_text("a\n1\n")
    session.run("%service_connect frame other.csv --persist")
    session.run("%service_disconnect frame")
    session.shell.user_ns["frame"] = pd.DataFrame({"a": [1, 2, 3]})
    source: Any = session.run("%service_connect frame")
    assert source["row_count"] == 1


def test_a_name_that_nothing_has_is_said_to_be_none(session: Session) -> None:
    assert isinstance(session.error("%service_connect nonesuch"), SourceNotFoundError)
    assert isinstance(session.error("%service_connect nonesuch.csv"), SourceNotFoundError)
    session.shell.user_ns["number"] = 5
    assert isinstance(session.error("%service_connect number"), SourceNotFoundError)


def test_the_line_that_replaces_a_file_named_after_itself_runs(session: Session, folder: Path) -> None:
    session.run("%service_connect orders.csv")
    error = session.error("%service_connect orders.csv --nulls north")
    assert isinstance(error, SourceAlreadyRegisteredError)
    source: Any = session.run(line_of(error).partition(" Another")[0].rstrip("."))
    assert source["reading"] == {"nulls": ["north"]}


# --- what is no path --------------------------------------------------------------------------------------------------


def test_an_address_on_the_web_is_to_be_downloaded_and_the_line_is_there(session: Session) -> None:
    error = session.error("%service_connect sales https://example.org/data/sales.csv")
    assert isinstance(error, UnsupportedSourceError)
    assert "curl -LO https://example.org/data/sales.csv" in str(error.hint)


@pytest.mark.parametrize("text", ['[{"a": 1}, {"a": 2}]', "'{\"a\": 1}'", '{"a":1}'])
def test_json_in_the_line_is_told_to_go_through_a_variable(session: Session, text: str) -> None:
    error = session.error(f"%service_connect sums {text}")
    assert isinstance(error, UnsupportedSourceError)
    assert "%service_connect sums $rows" in str(error.hint)
    with pytest.raises(UnsupportedSourceError) as caught:
        service_nb.create_service().connect(text.strip("'"), name="sums")
    assert "json.loads" in str(caught.value.hint)


def test_a_pattern_that_begins_with_a_bracket_is_a_path(folder: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), folder / "1.parquet")
    assert service_nb.create_service().connect("[0-9]*.parquet", name="numbers")["row_count"] == 1


@pytest.mark.parametrize("typed", ["orders.cvs", "orders.CVS", "orders", "orders.xls", "orders.csvv"])
def test_an_ending_with_a_typing_error_leads_to_the_file(folder: Path, typed: str) -> None:
    with pytest.raises(ServiceError) as caught:
        service_nb.create_service().connect(f"./{typed}")
    if typed == "orders.xls":
        assert caught.value.code == "unsupported_source"
    else:
        assert caught.value.details["did_you_mean"] == ["orders.csv"]


def test_the_line_that_mends_an_ending_runs(session: Session, folder: Path) -> None:
    source: Any = session.run(line_of(session.error("%service_connect sums orders.cvs --nulls n/a")))
    assert (source["name"], source["row_count"], source["reading"]) == ("sums", 2, {"nulls": ["n/a"]})


def test_a_file_whose_own_ending_is_a_typing_error_is_to_be_renamed(folder: Path) -> None:
    (folder / "sums.cvs").write_text(SALES)
    with pytest.raises(UnsupportedSourceError) as caught:
        service_nb.create_service().connect("sums.cvs")
    assert ".csv" in str(caught.value.hint)
    assert "rename" in str(caught.value.hint)


# --- databases --------------------------------------------------------------------------------------------------------


def test_a_database_of_one_table_is_that_table(session: Session, folder: Path) -> None:
    database(folder / "s.db", "orders")
    source: Any = session.run("%service_connect shop s.db")
    assert (source["name"], source["row_count"]) == ("shop", 2)
    alone: Any = session.run("%service_connect s.db")
    assert alone["name"] == "orders"
    kept: Any = session.run("%service_connect kept s.db --persist")
    other = service_nb.create_service(project=folder)
    assert other.connect(name="kept")["source_id"] == kept["source_id"]


def test_of_a_database_of_several_tables_the_line_names_one(session: Session, folder: Path) -> None:
    database(folder / "s.db", "order lines", "customers")
    error = session.error("%service_connect shop s.db")
    assert isinstance(error, UnsupportedSourceError)
    assert error.details["tables"] == ["order lines", "customers"]
    source: Any = session.run(line_of(error))
    assert source["row_count"] == 2


def test_under_a_policy_no_table_is_told(folder: Path) -> None:
    database(folder / "s.db", "salaries", "customers")
    limited = service_nb.create_service(project=folder, policy={"allowed_sources": ["shop"]})
    with pytest.raises(ServiceError) as caught:
        limited.connect("s.db", name="shop")
    assert "salaries" not in json.dumps(caught.value.to_dict())


def test_the_command_asks_the_one_table_of_a_database_and_names_the_option_for_several(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database(folder / "one.db", "orders")
    assert main(["ask", "one.db", "count"]) == 0
    database(folder / "two.db", "orders", "customers")
    assert main(["ask", "two.db", "count"]) == 1
    assert "Add --table orders" in capsys.readouterr().err
    assert main(["ask", "two.db", "count", "--table", "orders"]) == 0


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("https://example.org/sales.csv", "curl -LO"),
        ("orders.cvs", "orders.csv in the place of orders.cvs"),
        ('[{"a": 1}]', "ends in .json"),
    ],
)
def test_the_command_says_what_to_type(folder: Path, capsys: pytest.CaptureFixture[str], file: str, told: str) -> None:
    assert main(["ask", file, "count"]) == 1
    assert told in capsys.readouterr().err


# --- the verb ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def command(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def run(*words: str) -> tuple[int, str, str]:
        code = main(list(words))
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def test_the_verb_connect_keeps_a_file_under_the_name_of_its_file_and_says_so(command: Any, folder: Path) -> None:
    code, out, _ = command("connect", "orders.csv", "--nulls", "north")
    assert code == 0
    assert "orders, named after its file" in out
    assert 'service-nb ask orders "count"' in out
    assert service_nb.create_service(project=folder).connect(name="orders")["reading"] == {"nulls": ["north"]}
    code, out, _ = command("ask", "orders", "count where region is null")
    assert code == 0


def test_the_verb_connect_replaces_another_reading_only_when_told(command: Any, folder: Path) -> None:
    assert command("connect", "sums", "orders.csv")[0] == 0
    before = (folder / "service.toml").read_bytes()
    assert command("connect", "sums", "orders.csv")[0] == 0
    code, _, err = command("connect", "sums", "orders.csv", "--nulls", "north")
    assert code == 1
    assert "source_already_registered" in err
    assert "--replace" in err
    assert (folder / "service.toml").read_bytes() == before
    code, out, _ = command("connect", "sums", "orders.csv", "--nulls", "north", "--replace", "--json")
    assert code == 0
    assert json.loads(out)["source"]["reading"] == {"nulls": ["north"]}
    assert b"north" in (folder / "service.toml").read_bytes()


def test_the_verb_connect_takes_a_file_and_a_name_and_no_more(command: Any, folder: Path) -> None:
    assert command("connect", "a", "b", "orders.csv")[0] == 2
    assert command("connect", "orders", "--connector", "shop.toml")[0] == 2
    assert not (folder / "service.toml").exists()


# --- one spelling -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["--null-policy", "--nulls"])
def test_both_spellings_of_the_null_policy_are_read(session: Session, flag: str) -> None:
    magic: Any = session.shell.magics_manager.registry["ServiceMagics"]
    usage = __import__("service_nb.notebook.question_magics", fromlist=["COMPUTE"]).COMPUTE
    assert usage.read(f"stats.mean values=sales.revenue {flag} drop").get_text("--null-policy") == "drop"
    assert "--null-policy refuse|drop" in usage.write_page()
    assert "--nulls" not in usage.write_page()
    with pytest.raises(InvalidIntentError):
        usage.read("stats.mean values=sales.revenue --nulls drop --null-policy drop")
    assert magic is not None


def test_in_the_command_the_texts_for_null_are_none_of_the_policies(
    command: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "orders.csv").write_text("amount\n1\nn/a\n\n2\n")
    for words in (["--null-policy", "drop", "--nulls", "n/a"], ["--nulls", "drop"]):
        code, out, err = command(
            "compute", "stats.mean values=orders.amount", "--file", "orders.csv", "--in-process", *words
        )
        if words[0] == "--nulls":  # n/a makes a text of the column then, and no mean of it
            assert code == 2
            assert "n/a" in err or "expected a number" in err
        else:
            assert code == 0, err
            assert "1.5" in out


@pytest.mark.parametrize("flag", ["--output", "--out"])
def test_both_spellings_of_where_output_goes_are_read(command: Any, folder: Path, flag: str) -> None:
    (folder / "book.ipynb").write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}))
    code, _, err = command("strip", "book.ipynb", flag, "stripped.ipynb")
    assert code == 0, err
    assert (folder / "stripped.ipynb").exists()


# --- sessions and blocks ----------------------------------------------------------------------------------------------


def test_reloading_the_extension_keeps_the_sources(session: Session) -> None:
    client = notebook.current()
    session.run("%reload_ext service_nb")
    assert notebook.current() is client
    answer: Any = session.run("%service_ask count from sales")
    assert answer.rows == [{"count": 4}]
    assert len([each for each in session.shell.configurables if type(each).__name__ == "ServiceMagics"]) == 1


def test_reloading_keeps_a_client_that_was_given_with_its_policy(session: Session) -> None:
    notebook.use(service_nb.create_service(policy={"allowed_sources": ["other"]}))
    session.run("%reload_ext service_nb")
    assert isinstance(session.error("%service_connect sales $rows"), PolicyDeniedError)


def test_a_client_is_closed_at_the_end_of_its_block(folder: Path) -> None:
    with service_nb.create_service(project=folder) as service:
        service.connect("orders.csv")
        assert service.ask("count from orders").rows == [{"count": 2}]
    assert service.sources() == []
    with pytest.raises(SourceNotFoundError):
        service.source("orders")
