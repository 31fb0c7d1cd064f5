"""The magics of evidence in a session: what they speak of, what they return, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from service_nb.errors import InvalidIntentError, LedgerError, ResultNotFoundError
from service_nb.evidence.documents import check_card
from service_nb.schema.card import CARD_MIME
from tests.surfaces.conftest import Session


@pytest.fixture
def recorded(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session whose outcomes are recorded, computing in its own process."""
    monkeypatch.setenv("SERVICE_LEDGER", str(tmp_path / ".service"))
    session.run(
        "from service_nb import create_service, notebook\n"
        "notebook.use(create_service(runtime='in_process'))\n"
        "notebook.current().connect({'records': [{'region': 'north', 'revenue': 1.5}]}, name='sales')"
    )
    return session


def saved(session: Session, path: Path, *names: str) -> Path:
    """Save variables' cards as the outputs of a notebook."""
    bundles = [session[name]._repr_mimebundle_()[0] for name in names]  # type: ignore[attr-defined]
    outputs = [nbformat.v4.new_output("display_data", bundle) for bundle in bundles]
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", outputs=outputs)]), path)
    return path


def test_the_last_result_all_of_them_a_variable_and_a_stored_one_are_verified(recorded: Session) -> None:
    recorded.run("asked = %service_ask sum revenue from sales")
    recorded.run("computed = %service_compute finance.npv rate=0.1 cashflows=sales.revenue")
    last: Any = recorded.run("%service_verify")
    assert (last["status"], last["subject"]) == ("verified", recorded["computed"]["request_id"])  # type: ignore[index]
    everything: Any = recorded.run("%service_verify all")
    assert [each["status"] for each in everything] == ["verified", "verified"]
    by_name: Any = recorded.run("%service_verify $asked")
    stored: Any = recorded.run(f"%service_verify {by_name['subject']}")
    assert stored == by_name


@pytest.mark.parametrize(
    "cell",
    [
        "%service_ask sum revenue bye region",
        "%service_compute finance.npv rate=-5 cashflows=sales.revenue",
        "%service_compute finance.npv rate=0.1",
        "%service_compute npv",
        "%%service_compute\nfinance.npv(rate=0.1, cashflows=[)",
    ],
)
def test_the_card_of_the_last_error_is_the_recorded_one_and_is_signed(recorded: Session, cell: str) -> None:
    error: Any = recorded.error(cell)
    card = recorded.run("%service_last_error")._repr_mimebundle_()[0][CARD_MIME]  # type: ignore[attr-defined]
    assert card == error.card
    assert card["digests"]["error_hash"]
    assert {check.name: check.status for check in check_card(card).checks}["signature"] == "passed"


def test_a_forged_file_is_found_out_and_the_report_says_so(recorded: Session, tmp_path: Path) -> None:
    recorded.run("asked = %service_ask sum revenue from sales")
    path = saved(recorded, tmp_path / "claims.ipynb", "asked")
    genuine: Any = recorded.run("%service_verify claims.ipynb --report good.html")
    assert [each["status"] for each in genuine] == ["verified"]
    document = json.loads(path.read_text(encoding="utf-8"))
    document["cells"][0]["outputs"][0]["data"][CARD_MIME]["view"]["rows"] = [["2.5", "1"]]
    path.write_text(json.dumps(document), encoding="utf-8")
    forged: Any = recorded.run("%service_verify claims.ipynb --report bad.xml")
    assert [check["cause"] for check in forged[0]["checks"] if check["status"] == "failed"] == [
        *("rows_hash_mismatch", "shown_differs", "face_differs")
    ]
    assert "rows_hash_mismatch" in (tmp_path / "bad.xml").read_text(encoding="utf-8")
    assert "<html" in (tmp_path / "good.html").read_text(encoding="utf-8")


def test_results_and_files_are_replayed_and_recorded(recorded: Session, tmp_path: Path) -> None:
    recorded.run("asked = %service_ask sum revenue from sales")
    recorded.run("refused = %service_ask sum nothing from sales")
    saved(recorded, tmp_path / "claims.ipynb", "asked", "refused")
    one: Any = recorded.run("%service_replay $asked")
    assert (one["status"], one["digest"]) == ("identical", "result_hash")
    several: Any = recorded.run("%service_replay all --report replays.json")
    assert [each["status"] for each in several] == ["identical", "identical"]
    told = json.loads((tmp_path / "replays.json").read_text(encoding="utf-8"))
    assert told["is_identical"] is True
    of_file: Any = recorded.run("%service_replay claims.ipynb")
    assert [each["status"] for each in of_file] == ["identical", "identical"]
    log: Any = recorded.run("%service_log --limit 3")
    assert [line["kind"] for line in log] == ["replay"] * 3
    assert [line["kind"] for line in recorded.run("%service_log --kind query")] == ["query"]  # type: ignore[attr-defined]


def test_a_moved_source_is_named(recorded: Session, tmp_path: Path) -> None:
    (tmp_path / "budget.csv").write_text("flow\n1.5\n", encoding="utf-8")
    recorded.run("%service_connect budget budget.csv")
    recorded.run("asked = %service_ask sum flow from budget")
    saved(recorded, tmp_path / "claims.ipynb", "asked")
    (tmp_path / "budget.csv").rename(tmp_path / "moved.csv")
    recorded.run("notebook.use(create_service(runtime='in_process'))")
    lost: Any = recorded.run("%service_replay claims.ipynb")
    assert [each["cause"] for each in lost] == ["source_missing"]
    found: Any = recorded.run("%service_replay claims.ipynb --source budget=moved.csv")
    assert [each["status"] for each in found] == ["identical"]


def test_every_page_has_every_face(recorded: Session) -> None:
    recorded.run("asked = %service_ask sum revenue from sales")
    for line in ("%service_verify", "%service_verify all", "%service_replay", "%service_replay all", "%service_log"):
        page: Any = recorded.run(line)
        assert {"text/html", "text/markdown", "text/plain"} <= page._repr_mimebundle_()[0].keys()


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("%service_verify", InvalidIntentError),  # nothing was asked
        ("%service_replay all", InvalidIntentError),
        ("%service_verify query_0000000000000000", ResultNotFoundError),
        ("%service_verify $nothing", InvalidIntentError),
        ("%service_verify one two", InvalidIntentError),
        ("%service_verify missing.ipynb", InvalidIntentError),
        ("%service_log --limit many", InvalidIntentError),
        ("%service_log word", InvalidIntentError),
        ("%service_check", InvalidIntentError),
    ],
)
def test_what_cannot_be_done_is_refused(recorded: Session, line: str, error: type[Exception]) -> None:
    assert isinstance(recorded.error(line), error)


def test_a_report_of_an_unknown_form_is_refused(recorded: Session) -> None:
    recorded.run("asked = %service_ask sum revenue from sales")
    assert isinstance(recorded.error("%service_verify --report report.docx"), InvalidIntentError)


def test_without_a_ledger_the_session_is_verified_and_the_log_says_that_there_is_none(session: Session) -> None:
    session.run("asked = %service_ask sum revenue from sales")
    page: Any = session.run("%service_verify")
    assert page["status"] == "consistent"
    assert isinstance(session.error("%service_log"), LedgerError)


def test_unloading_takes_these_magics_away_too(session: Session) -> None:
    session.run("%unload_ext service_nb")
    assert not {"service_verify", "service_replay"} & session.shell.magics_manager.magics["line"].keys()
