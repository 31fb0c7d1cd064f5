"""`pytest --service-nb`: notebooks in, a test for each card, the cause in the failure; nothing at all without it."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from defusedxml import ElementTree

import service_nb
import service_nb.client.verification  # what pytester sees loaded first it unloads, and not all can be loaded twice
from tests.simulators.evidence import AUTHOR, FORGER, MIME, cards, notebook, sealed_notebook, signed

pytest_plugins = ["pytester"]

PLUGIN = ("-p", "service_nb.cli.pytest_plugin")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def book(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A sealed notebook of eight signed cards, written to notebooks/report.ipynb."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the installed plugin would be there twice
    made = sealed_notebook(signed(cards()))
    save(pytester, made)
    return made


def save(pytester: pytest.Pytester, made: Any, name: str = "report.ipynb") -> Path:
    path = pytester.path / "notebooks" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess(*PLUGIN, "-p", "no:cacheprovider", *arguments, "notebooks")


def first_card(made: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = made["cells"][1]["outputs"][0]["data"][MIME]
    return found


@pytest.mark.usefixtures("book")
def test_each_card_and_the_index_is_a_test(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--service-nb", "-v")
    result.assert_outcomes(passed=len(cards()) + 1)
    result.stdout.fnmatch_lines(["*report.ipynb::cell 2, output 1 PASSED*", "*report.ipynb::index PASSED*"])


@pytest.mark.usefixtures("book")
def test_without_the_option_nothing_is_collected(pytester: pytest.Pytester) -> None:
    result = run(pytester)
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_forged_card_fails_with_its_cause_and_no_traceback(pytester: pytest.Pytester, book: dict[str, Any]) -> None:
    changed = copy.deepcopy(book)
    first_card(changed)["view"]["rows"][0][1] = "9.5"
    save(pytester, changed)
    result = run(pytester, "--service-nb", "--junit-xml=out.xml")
    result.assert_outcomes(passed=len(cards()), failed=1)
    assert "rows_hash_mismatch" in result.stdout.str()
    assert "pytest_plugin.py" not in result.stdout.str()
    failures = ElementTree.fromstring((pytester.path / "out.xml").read_bytes()).findall(".//failure")
    assert ["rows_hash_mismatch" in (each.text or "") for each in failures] == [True]


@pytest.mark.usefixtures("book")
def test_with_a_key_every_card_must_be_the_authors(pytester: pytest.Pytester) -> None:
    run(pytester, "--service-nb", "--service-nb-key", AUTHOR.public_key).assert_outcomes(passed=len(cards()) + 1)
    of_others = run(pytester, "--service-nb", "--service-nb-key", FORGER.public_key)
    of_others.assert_outcomes(failed=len(cards()) + 1)
    assert "unknown_signer" in of_others.stdout.str()
    save(pytester, notebook(cards()))
    unsigned = run(pytester, "--service-nb", "--service-nb-key", AUTHOR.public_key)
    unsigned.assert_outcomes(failed=len(cards()))
    assert "unsigned" in unsigned.stdout.str()


def test_unsigned_cards_fail_if_a_signature_is_demanded(pytester: pytest.Pytester, book: dict[str, Any]) -> None:
    save(pytester, notebook(cards()))
    run(pytester, "--service-nb").assert_outcomes(passed=len(cards()))
    run(pytester, "--service-nb", "--service-nb-require-signature").assert_outcomes(failed=len(cards()))


@pytest.mark.usefixtures("book")
def test_strict_fails_what_cannot_be_checked(pytester: pytest.Pytester) -> None:
    of_another_contract = sum(card["kind"] == "computation" for card in cards())
    result = run(pytester, "--service-nb", "--service-nb-strict", "--service-nb-key", AUTHOR.public_key)
    result.assert_outcomes(passed=len(cards()) + 1 - of_another_contract, failed=of_another_contract)
    assert "contract_unknown" in result.stdout.str()


@pytest.mark.parametrize("content", ["", "[]", '{"nbformat": 4}', '{"nbformat": 4, "nbformat": 4}', "\ufeff{}"])
@pytest.mark.usefixtures("book")
def test_a_broken_notebook_is_a_failed_test(pytester: pytest.Pytester, content: str) -> None:
    (pytester.path / "notebooks" / "broken.ipynb").write_text(content, encoding="utf-8")
    run(pytester, "--service-nb").assert_outcomes(passed=len(cards()) + 1, failed=1)


@pytest.mark.usefixtures("book")
def test_what_jupyter_kept_of_earlier_saves_is_left_out(pytester: pytest.Pytester) -> None:
    save(pytester, notebook(cards()), ".ipynb_checkpoints/report-checkpoint.ipynb")
    run(pytester, "--service-nb").assert_outcomes(passed=len(cards()) + 1)


@pytest.mark.usefixtures("book")
def test_a_malformed_key_is_a_fault_of_usage(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--service-nb", "--service-nb-key", "nobody")
    assert result.ret != pytest.ExitCode.OK
    assert "nobody" in result.stdout.str() + result.stderr.str()


@pytest.mark.usefixtures("book")
def test_some_cards_are_picked_as_other_tests_are(pytester: pytest.Pytester) -> None:
    run(pytester, "--service-nb", "-k", "index").assert_outcomes(passed=1, deselected=len(cards()))


def test_the_plugin_loads_nothing_of_ours_without_the_option(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import sys\n"
        "def test_it():\n"
        "    heavy = {'cryptography', 'numpy', 'service_nb.client.verification', 'service_nb.client.service'}\n"
        "    assert heavy & set(sys.modules) == set()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", *PLUGIN, "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", "."]
    done = subprocess.run(
        [*command, "test_it.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout


# --- replay -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file, and a notebook of an answer, a refusal and a computation that were asked for of it."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "sales.csv").write_text("region,revenue\nnorth,1.5\nsouth,0.1\nsouth,0.2\n", encoding="utf-8")
    client = service_nb.create_service(runtime="in_process", project=folder, ledger=folder / ".service")
    client.connect(folder / "sales.csv")
    outcomes = [client.ask("sum revenue by region from sales"), client.ask("sum region from sales")]
    outcomes.append(client.compute("stats.median values=sales.revenue"))
    client.close()
    (folder / "report.ipynb").write_text(json.dumps(notebook([each.card for each in outcomes])), encoding="utf-8")
    return folder


@pytest.fixture
def asked(project: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project's folder, copied to notebooks/."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "kernels")]))
    return Path(shutil.copytree(project, pytester.path / "notebooks"))


REPLAY = ("--service-nb", "--service-nb-replay", "--service-nb-in-process", "-k", "replay")


@pytest.mark.usefixtures("asked")
def test_a_notebook_whose_results_come_out_again_passes_one_more_test(pytester: pytest.Pytester) -> None:
    run(pytester, *REPLAY).assert_outcomes(passed=1, deselected=3)


def test_a_replay_on_other_data_fails_and_names_the_cause(pytester: pytest.Pytester, asked: Path) -> None:
    (asked / "sales.csv").write_text("region,revenue\nnorth,1.5\nsouth,0.1\nsouth,0.3\n", encoding="utf-8")
    result = run(pytester, *REPLAY)
    result.assert_outcomes(failed=1, deselected=3)
    assert "source_content_mismatch" in result.stdout.str()
