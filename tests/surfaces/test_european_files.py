"""An ordinary European file: what it says when it is connected, and the one line that reads it, here and everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pytest

import service_nb
from service_nb import notebook
from service_nb.cards.card_blocks import describe_source
from service_nb.cli.main import main
from service_nb.client.replay.find import RefusedError
from service_nb.client.replay.read import read_reading
from service_nb.client.service import Service
from service_nb.errors import InvalidIntentError, PolicyDeniedError, SourceAlreadyRegisteredError, SourceMalformedError

TEXT = (
    "datum;kunde;betrag;anteil\n22.12.2024;Bonn;1.143,22;10%\n01.02.2025; Köln;-0,50;7,5 %\n05.03.2025;Köln;7,00;0%\n"
)
FORM: dict[str, Any] = {"decimal": ",", "thousands": ".", "date_format": "%d.%m.%Y", "percent": True, "trim": True}
LINE = "--decimal , --thousands . --date-format %d.%m.%Y --percent --trim --replace"
ASKED = "sum betrag by kunde from umsatz where datum >= '2025-01-01'"
ROWS = [{"kunde": "Köln", "betrag": Decimal("6.50"), "count": 2}]


@pytest.fixture
def umsatz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SERVICE_LEDGER", "off")
    path = tmp_path / "umsatz.csv"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def service(umsatz: Path) -> Iterator[Service]:
    made = service_nb.create_service(project=umsatz.parent, ledger="off")
    yield made
    made.close()


def test_connected_without_options_it_says_what_it_looks_like_and_the_line_that_reads_it(
    service: Service, umsatz: Path
) -> None:
    source = service.connect(umsatz)
    assert [field["physical"] for field in source["typed_fields"]] == ["string"] * 4
    assert (
        "'1.143,22' (line 2) looks like numbers with decimal comma and points between thousands" in source["notes"][2]
    )
    assert source["notes"][-1] == f"Reconnect: %service_connect umsatz {umsatz} {LINE}"
    assert source["advice"]["options"] == FORM
    assert source["reasons"]["kunde"] == {
        "code": "blanks",
        "text": "1 value has blanks around it, first ' Köln' (line 3); trim removes them",
        "count": 1,
        "line": 3,
        "value": "' Köln'",
        "options": {"trim": True},
    }


def test_read_as_it_says_it_is_exact_and_asks_for_nothing_more(service: Service, umsatz: Path) -> None:
    advice = service.connect(umsatz)["advice"]["options"]
    source = service.connect(umsatz, replace=True, **advice)
    assert [field["physical"] for field in source["typed_fields"]] == [
        "date",
        "string",
        "decimal(18,2)",
        "decimal(18,3)",
    ]
    assert (source["reading"], source["advice"]) == (FORM, None)
    assert service.ask(ASKED).rows == ROWS
    assert service.ask("sum anteil from umsatz").rows == [{"anteil": Decimal("0.175"), "count": 3}]


def test_the_line_of_the_notes_runs_in_a_notebook(session: Any, umsatz: Path) -> None:
    source = session.run("%service_connect umsatz umsatz.csv")
    line = source["advice"]["line"]
    assert line == f"%service_connect umsatz umsatz.csv {LINE}"
    assert session.run(line)["reading"] == FORM
    assert notebook.current().ask(ASKED).rows == ROWS


def test_the_command_keeps_the_form_and_a_later_session_reads_it_equally(
    umsatz: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["connect", "umsatz.csv"]) == 0
    assert f"service-nb connect umsatz umsatz.csv {LINE}" in capsys.readouterr().out
    assert main(["connect", "umsatz", "umsatz.csv", *LINE.split()]) == 0
    with service_nb.create_service(project=umsatz.parent) as later:
        assert later.connect(name="umsatz")["reading"] == FORM
        assert later.ask(ASKED).rows == ROWS
    capsys.readouterr()
    assert main(["ask", "umsatz.csv", "sum betrag", "--json", "--decimal", ",", "--thousands", ".", "--trim"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["result"] == [{"betrag": "1149.72", "count": 3}]


def test_a_sign_that_a_shell_takes_for_itself_has_a_word(umsatz: Path, capsys: pytest.CaptureFixture[str]) -> None:
    umsatz.write_text("a;b\n1'143.22;1 000,5\n", encoding="utf-8")
    assert main(["ask", "umsatz.csv", "sum a", "--json", "--thousands", "apostrophe"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["result"] == [{"a": "1143.22", "count": 1}]
    assert main(["ask", "umsatz.csv", "sum b", "--json", "--thousands", "space", "--decimal", "comma"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["result"] == [{"b": 1000.5, "count": 1}]


def test_a_card_says_the_form_and_replays_over_the_same_file(tmp_path: Path, umsatz: Path) -> None:
    here = service_nb.create_service(project=tmp_path, ledger="off")
    here.connect(umsatz, **FORM)
    card = here.ask(ASKED).card
    assert card["view"]["source"]["reading"] == FORM
    lines = " ".join(span.text for line in describe_source(card["view"]["source"]) for span in line)
    assert "decimal , · thousands . · date_format %d.%m.%Y · percent · trim" in lines
    fresh = service_nb.create_service(project=tmp_path, ledger="off")
    assert fresh.replay(card)["status"] == "identical"


@pytest.mark.parametrize(
    "reading", [{"decimal": 5}, {"percent": "yes"}, {"trim": False}, {"thousands": ["."]}, {"colour": "red"}]
)
def test_a_card_with_a_form_that_nobody_can_have_given_is_malformed(reading: dict[str, Any]) -> None:
    with pytest.raises(RefusedError, match="of a reading is unknown or of another type"):
        read_reading(reading)


def test_another_form_under_the_same_name_is_refused_until_it_replaces(service: Service, umsatz: Path) -> None:
    first = service.connect(umsatz)
    card = service.ask("count from umsatz").card
    with pytest.raises(SourceAlreadyRegisteredError, match="decimal, thousands"):
        service.connect(umsatz, decimal=",", thousands=".")
    assert service.connect(umsatz, decimal=",", thousands=".", replace=True)["source_id"] != first["source_id"]
    assert card["view"]["source"]["source_id"] == first["source_id"]


@pytest.mark.parametrize("option", FORM)
def test_an_option_of_text_is_refused_where_it_means_nothing(service: Service, option: str) -> None:
    value = "'" if option == "thousands" else FORM[option]
    with pytest.raises(InvalidIntentError, match=f"{option} does not apply"):
        service.connect(pa.table({"a": ["1,5"]}), name="typed", **{option: value})


def test_a_policy_shows_reasons_of_listed_fields_only_and_no_line(umsatz: Path) -> None:
    policy = {"allowed_fields": {"umsatz": ["betrag", "kunde"]}}
    with service_nb.create_service(project=umsatz.parent, ledger="off", policy=policy) as limited:
        source = limited.connect(umsatz)
        assert set(source["reasons"]) == {"betrag", "kunde"}
        assert source["advice"] is None
        assert not any("options" in reason for reason in source["reasons"].values())
        assert not any(
            hidden in json.dumps(source, ensure_ascii=False) for hidden in ("datum", "anteil", "22.12", "%d")
        )
        with pytest.raises(PolicyDeniedError):
            limited.connect(umsatz, replace=True, **FORM)


@pytest.mark.parametrize("make", [lambda path: path, str])
def test_a_path_with_blanks_and_quotes_stands_in_the_line_as_the_magic_takes_it(
    session: Any, umsatz: Path, make: Callable[[Path], object]
) -> None:
    path = umsatz.with_name('my "old" sales.csv')
    path.write_text("x;y\n1,5;2\n", encoding="utf-8")
    line = notebook.current().connect(make(path), name="old sales")["advice"]["line"]
    assert session.run(line)["typed_fields"][0]["physical"] == "float64"


PRICES = {
    "€ 1.143,22;-€ 0,50;€ -3,10": ({"decimal": ",", "thousands": ".", "currency": "€"}, ["1143.22", "-0.50", "-3.10"]),
    "12,50 €;7,00€;-1,25 €": ({"decimal": ",", "currency": "€"}, ["12.50", "7.00", "-1.25"]),
    "$1,143.22;-$0.50;0.10": ({"thousands": ",", "currency": "$"}, ["1143.22", "-0.50", "0.10"]),
    "CHF 1'143.20;CHF 5.00": ({"thousands": "'", "currency": "CHF"}, ["1143.20", "5.00"]),
    "1\u00a0100,00 kr;2,50 kr": ({"decimal": ",", "thousands": " ", "currency": "kr"}, ["1100.00", "2.50"]),
}


@pytest.mark.parametrize("prices", PRICES)
def test_a_currency_sign_is_told_and_the_line_reads_it(session: Any, umsatz: Path, prices: str) -> None:
    options, values = PRICES[prices]
    umsatz.write_text("preis\n" + prices.replace(";", "\n") + "\n", encoding="utf-8")
    told = session.run("%service_connect umsatz umsatz.csv --delimiter tab")
    assert told["reasons"]["preis"]["code"] == "currency"
    assert f"the currency sign {options['currency']}" in told["notes"][0]
    read = session.run(told["advice"]["line"])
    assert read["reading"] == {**options, "delimiter": "\t"}
    assert [str(row["preis"]) for row in notebook.current().preview("umsatz").rows] == values
    assert f"currency {options['currency']}" in read._repr_mimebundle_()[0]["text/plain"]


@pytest.mark.parametrize(
    ("prices", "told"),
    [
        ("€ 1.143;€ 2.500", "has the currency sign €, and may be 1.143 or 1143"),
        ("€ 5;$ 6;€ 7", "mixes numbers with the currency sign € with other text: '$ 6' (line 3)"),
        ("EUR 5 voucher;EUR 6 rebate", "has the currency sign EUR"),
    ],
)
def test_a_price_that_may_mean_two_things_stays_text(service: Service, umsatz: Path, prices: str, told: str) -> None:
    umsatz.write_text("preis\n" + prices.replace(";", "\n") + "\n", encoding="utf-8")
    source = service.connect(umsatz)
    assert told in source["notes"][0]
    assert (source["typed_fields"][0]["physical"], source["advice"]) == ("string", None)


@pytest.mark.parametrize("sign", ["5", "€ ", "", "-", ".", "a-b", "%", "€" * 9, 5])
def test_what_is_no_currency_sign_is_refused(service: Service, umsatz: Path, sign: Any) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        service.connect(umsatz, currency=sign)
    assert caught.value.details["path"] == "currency"


def test_texts_of_workbooks_and_json_are_read_in_the_same_form(service: Service, umsatz: Path) -> None:
    rows = [("22.12.2024", "1.143,22", "Bonn", 1.5), ("01.02.2025", "-0,50", "007", 2)]
    names = ("datum", "betrag", "name", "zahl")
    book = openpyxl.Workbook()
    for row in (names, *rows):
        book.active.append(row)
    book.save(umsatz.parent / "umsatz.xlsx")
    records = [dict(zip(names, row, strict=True)) for row in rows]
    (umsatz.parent / "umsatz.json").write_text(json.dumps(records), encoding="utf-8")
    (umsatz.parent / "umsatz.ndjson").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    for ending in ("xlsx", "json", "ndjson"):
        told = service.connect(umsatz.with_suffix(f".{ending}"), name=ending)
        options = {"decimal": ",", "thousands": ".", "date_format": "%d.%m.%Y"}
        assert told["advice"]["options"] == options
        assert f"umsatz.{ending} --decimal , --thousands . --date-format %d.%m.%Y --replace" in told["advice"]["line"]
        read = service.connect(umsatz.with_suffix(f".{ending}"), name=ending, replace=True, **options)
        kinds = [field["physical"] for field in read["typed_fields"]]
        assert kinds == ["date", "decimal(18,2)", "string", "float64"]
        assert service.ask(f"sum betrag from {ending}").rows == [{"betrag": Decimal("1142.72"), "count": 2}]
    assert service.connect(records, name="rows", **options)["typed_fields"] == read["typed_fields"]
    with pytest.raises(InvalidIntentError, match="does not apply") as caught:
        service.connect(pa.table({"a": [1]}), name="typed", decimal=",")
    assert "leave the option out" in str(caught.value.hint)


def test_a_file_of_one_column_with_decimal_commas_is_refused_with_what_reads_it(session: Any, umsatz: Path) -> None:
    umsatz.write_text("betrag\n1,50\n2,25\n", encoding="utf-8")
    with pytest.raises(SourceMalformedError) as caught:
        service_nb.create_service(ledger="off").connect(umsatz)
    assert "--delimiter ; --decimal ," in str(caught.value.hint)
    assert session.run("%service_connect umsatz umsatz.csv --delimiter ; --decimal ,")["row_count"] == 2
    assert notebook.current().ask("sum betrag from umsatz").rows == [{"betrag": Decimal("3.75"), "count": 2}]
