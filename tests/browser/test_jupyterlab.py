"""Cards, sidebar and panel in a real JupyterLab, with a real kernel where one is needed, driven by a browser."""

from __future__ import annotations

import copy
import html
import json
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import pytest

from service_nb.cli.main import main
from service_nb.schema.card import Card
from tests.browser import documents, hostile
from tests.browser.conftest import Specs
from tests.browser.jupyter import DEVICE, Server
from tests.faces import to_html
from tests.simulators.evidence import AUTHOR

UNALTERED = 3  # what `service-nb verify` ends with where a signer is not trusted


def test_a_notebook_made_in_jupyterlab_proves_its_numbers_to_whoever_opens_it(
    jupyterlab: Server, deployment: Mapping[str, str], run_specs: Specs
) -> None:
    (jupyterlab.project / "sales.csv").write_text(documents.SALES_CSV, encoding="utf-8")
    away = {**deployment, "SERVICE_DEPLOYMENT_URL": "http://127.0.0.1:9"}  # nothing listens there
    for name, variables in (("deployment.json", deployment), ("away.json", away)):
        documents.write(jupyterlab.project / name, variables)
    run_specs("journey", jupyterlab)


@pytest.mark.slow
def test_controls_ask_again_and_leave_an_ordinary_card(
    jupyterlab: Server, run_specs: Specs, capsys: pytest.CaptureFixture[str]
) -> None:
    (jupyterlab.project / "sales.csv").write_text(documents.SALES_CSV, encoding="utf-8")
    run_specs("explorer", jupyterlab)
    assert main(["verify", str(jupyterlab.project / "explorer.ipynb"), "--strict", "--key", DEVICE]) == 0


def test_what_a_panel_or_a_slider_asks_in_a_notebook_opened_again_stands_below_it(
    jupyterlab: Server, run_specs: Specs
) -> None:
    (jupyterlab.project / "sales.csv").write_text(documents.SALES_CSV, encoding="utf-8")
    run_specs("reopened", jupyterlab)


@pytest.mark.slow
def test_a_card_loads_the_rows_that_it_does_not_keep(jupyterlab: Server, run_specs: Specs) -> None:
    rows = "".join(f"c{at:04},{at % 977}.25\n" for at in range(5_000))
    (jupyterlab.project / "orders.csv").write_text(f"customer,amount\n{rows}", encoding="utf-8")
    run_specs("tables", jupyterlab)


def test_files_are_connected_by_their_menu_and_lines_run_by_a_button(jupyterlab: Server, run_specs: Specs) -> None:
    (jupyterlab.project / "sales 2024.csv").write_text(documents.SALES_CSV, encoding="utf-8")
    run_specs("lines", jupyterlab)


def test_each_state_of_a_card_is_told_apart_without_configuration(
    jupyterlab: Server, run_specs: Specs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (jupyterlab.project / "sales.csv").write_text(documents.SALES_CSV, encoding="utf-8")
    documents.write(jupyterlab.project / "states.ipynb", documents.states(tmp_path))
    run_specs("states", jupyterlab)
    monkeypatch.chdir(jupyterlab.project)
    assert main(["verify", "states.ipynb", "--report", "command.html"]) == 1
    page, command = ((jupyterlab.project / name).read_text("utf-8") for name in ("states.audit.html", "command.html"))
    assert _told(page) == _told(command)


def _told(page: str) -> list[str]:
    """The lines of a report, without its time and without what each verifier found in words of its own."""
    found = r'<br><span class="soft">.*?</span>'
    return [line for line in re.sub(rf"<dt>verified</dt><dd>[^<]*</dd>|{found}", "", page).splitlines() if line]


def test_every_face_can_be_read_by_all_and_used_by_keyboard(
    jupyterlab: Server, run_specs: Specs, tmp_path: Path
) -> None:
    kinds = documents.kinds(tmp_path)
    documents.write(jupyterlab.project / "kinds.ipynb", documents.notebook(kinds.values()))
    documents.write(jupyterlab.project / "answer.servicecard.json", kinds["table"])
    run_specs("faces", jupyterlab)


def test_what_jupyterlab_saves_verifies(
    jupyterlab: Server, run_specs: Specs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cards = documents.odd_cards(tmp_path)
    path = documents.write(jupyterlab.project / "numbers.ipynb", documents.notebook(cards))
    before = path.read_bytes()
    run_specs("round-trip", jupyterlab)
    assert path.read_bytes() != before
    assert main(["verify", str(path), "--json", "--strict", "--key", DEVICE, "--key", AUTHOR.public_key]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == {
        "verified": len(cards),
        **dict.fromkeys(("unaltered", "consistent", "not_checkable", "altered"), 0),
    }


def test_nothing_of_a_forged_card_is_more_than_text(
    jupyterlab: Server, run_specs: Specs, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    count = _forge(jupyterlab.project, tmp_path, each_kind=False)  # the others of each payload are in the slow set
    run_specs("hostile", jupyterlab, "-g", "forged card")
    assert count >= 200
    record_property("bad_inputs", count)


@pytest.mark.slow
def test_nor_of_any_kind_of_card(jupyterlab: Server, run_specs: Specs, tmp_path: Path) -> None:
    _forge(jupyterlab.project, tmp_path, each_kind=True)
    run_specs("hostile", jupyterlab, "-g", "forged card")


@pytest.mark.slow
def test_nor_of_the_html_of_a_forged_card_where_the_extension_is_absent(
    jupyterlab: Server, run_specs: Specs, tmp_path: Path
) -> None:
    _forge(jupyterlab.project, tmp_path, each_kind=False)
    run_specs("hostile", jupyterlab, "-g", "extension is not")


@pytest.mark.slow
def test_cards_verify_in_any_window_theme_and_colours(jupyterlab: Server, run_specs: Specs, tmp_path: Path) -> None:
    kinds = documents.kinds(tmp_path)
    forged: documents.Json = copy.deepcopy(dict(kinds["table"]))
    forged["view"]["rows"][0][1] = "9999.5"
    documents.write(jupyterlab.project / "looks.ipynb", documents.notebook([forged, *kinds.values()]))
    run_specs("elsewhere", jupyterlab)


@pytest.mark.slow
def test_cards_verify_on_a_plain_http_host_whose_browser_has_no_cryptography(
    jupyterlab: Server, run_specs: Specs, tmp_path: Path
) -> None:
    document = documents.with_panel(documents.notebook(documents.kinds(tmp_path).values()))
    documents.write(jupyterlab.project / "kinds.ipynb", document)
    host = f"http://notebooks.corp.test:{jupyterlab.port}"
    run_specs("notebook", jupyterlab, E2E_URL=host, E2E_PATH="/lab/tree/kinds.ipynb?reset", E2E_PLAIN_HTTP="1")


@pytest.mark.slow
def test_notebook_7_shows_and_verifies_the_same_cards(notebook7: Server, run_specs: Specs, tmp_path: Path) -> None:
    document = documents.with_panel(documents.notebook(documents.kinds(tmp_path).values()))
    documents.write(notebook7.project / "kinds.ipynb", document)
    run_specs("notebook", notebook7)


@pytest.mark.slow
def test_settings_reports_and_commands_do_what_they_say(
    jupyterlab: Server,
    run_specs: Specs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    cards = [*documents.kinds(tmp_path).values(), documents.query_card_of_a_stranger()]
    documents.write(jupyterlab.project / "kinds.ipynb", documents.notebook(cards))
    run_specs("evidence", jupyterlab)
    report = (jupyterlab.project / "kinds.audit.html").read_text(encoding="utf-8")
    command = re.search(r"<pre><code>service-nb (.*?)</code></pre>", report)
    assert command
    monkeypatch.chdir(jupyterlab.project)
    assert main([*shlex.split(html.unescape(command[1])), "--json"]) == UNALTERED
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert counts == {"verified": len(cards) - 1, "unaltered": 1, "consistent": 0, "not_checkable": 0, "altered": 0}


@pytest.mark.slow
def test_what_needs_a_kernel_waits_for_it_and_comes_back_after_a_restart(jupyterlab: Server, run_specs: Specs) -> None:
    (jupyterlab.project / "sales.csv").write_text(documents.SALES_CSV, encoding="utf-8")
    run_specs("kernel", jupyterlab)


def _forge(project: Path, folder: Path, *, each_kind: bool) -> int:
    """Write forged cards for the specs, and return how many."""
    kinds = documents.kinds(folder)
    chosen = ("table", "clarification", "rejection", "computation", "failed computation", "replay")
    genuine = [dict(kinds[name]) for name in chosen]
    forged = list(hostile.cards(genuine, hostile.payloads(), each_kind=each_kind))
    malformed = list(hostile.malformed(genuine))
    hostile.write(project / "hostile.jsonl", forged)
    hostile.write(project / "hostile-html.jsonl", [to_html(cast(Card, card)) for card in forged])
    documents.write(project / "hostile.ipynb", documents.notebook(malformed))
    documents.write(project / "plain.ipynb", documents.notebook(genuine[:1]))
    return len(forged) + len(malformed)


@pytest.mark.parametrize("looks", ["two", pytest.param("all", marks=pytest.mark.slow)])
def test_every_kind_of_output_can_be_read_by_all(jupyterlab: Server, run_specs: Specs, looks: str) -> None:
    (jupyterlab.project / "sales.csv").write_text(documents.SALES_CSV, encoding="utf-8")
    run_specs("outputs", jupyterlab, E2E_ALL="1" if looks == "all" else "0")
