"""`service-nb verify` and `seal`, as people and CI use them: documents in; codes, text, JSON, JUnit and a page out."""

from __future__ import annotations

import base64
import copy
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from defusedxml import ElementTree

import service_nb
from service_nb.cards.faces import to_bundle
from service_nb.cli.main import main
from service_nb.client.user_keys import require_device
from service_nb.evidence.standalone import DOCUMENT_BYTES
from tests.simulators.evidence import AUTHOR, FORGER, MIME, cards, log_of, notebook, sealed, sealed_notebook, signed

ROOT = Path(__file__).parents[2]
DONE, FAILED, USAGE, UNALTERED, CONSISTENT, NOT_CHECKABLE = 0, 1, 2, 3, 4, 5
Verify = Callable[..., tuple[int, dict[str, Any]]]


def written(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with documents of an author; the working folder."""
    monkeypatch.chdir(tmp_path)
    shown = signed(plain())
    written(tmp_path / "report.ipynb", sealed_notebook(shown))
    written(tmp_path / "computed.ipynb", sealed_notebook(signed(cards())))
    written(tmp_path / "card.json", shown[0])
    written(tmp_path / "ledger.json", log_of(plain()).document())
    written(tmp_path / "forged.ipynb", forged(sealed_notebook(shown)))
    written(tmp_path / "unsigned.ipynb", notebook(plain()))
    return tmp_path


def plain() -> list[dict[str, Any]]:
    """The cards that stand under no contract: the shipped one does not have the samples' capabilities."""
    return [card for card in cards() if card["kind"] != "computation"]


def forged(book: dict[str, Any]) -> dict[str, Any]:
    """The notebook with one figure changed in the first answer, and its hashes left as they are."""
    changed = copy.deepcopy(book)
    first = next(card for card in cards_of(changed) if card["kind"] == "query")
    first["canonical"]["result"] = first["canonical"]["result"].replace("1.5", "9.5")
    return changed


def cards_of(book: dict[str, Any]) -> list[dict[str, Any]]:
    outputs = [output for cell in book["cells"] for output in cell.get("outputs", [])]
    return [output["data"][MIME] for output in outputs if MIME in output.get("data", {})]


@pytest.fixture
def verify(folder: Path, capsys: pytest.CaptureFixture[str]) -> Verify:
    """Run `verify --json` and return its exit code and what it prints."""

    def run(*arguments: str) -> tuple[int, dict[str, Any]]:
        capsys.readouterr()
        code = main(["verify", *arguments, "--json"])
        return code, json.loads(capsys.readouterr().out)

    return run


def statuses(told: dict[str, Any], file: int = 0) -> list[str]:
    return [verdict["status"] for verdict in told["files"][file]["verdicts"]]


def causes(told: dict[str, Any], status: str = "failed") -> set[str]:
    checks = [check for file in told["files"] for verdict in file["verdicts"] for check in verdict["checks"]]
    return {check["cause"] for check in checks if check["status"] == status}


# --- exit codes and trust -----------------------------------------------------------------------------------------


def test_a_genuine_notebook_of_a_stranger_is_unaltered_and_not_verified(verify: Verify) -> None:
    code, told = verify("report.ipynb")
    assert (code, set(statuses(told))) == (UNALTERED, {"unaltered"})
    assert causes(told) == set()
    assert causes(told, "not_checkable") == {"unknown_signer"}
    assert told["files"][0]["verdicts"][-1]["subject"] == "index"


def test_with_the_authors_key_it_is_verified(verify: Verify) -> None:
    code, told = verify("report.ipynb", "--key", AUTHOR.public_key)
    assert (code, set(statuses(told))) == (DONE, {"verified"})
    assert causes(told, "not_checkable") == set()


def test_a_computation_under_a_contract_that_is_not_known_here_is_not_checkable(verify: Verify) -> None:
    code, told = verify("computed.ipynb", "--key", AUTHOR.public_key)
    assert code == NOT_CHECKABLE
    assert causes(told, "not_checkable") == {"contract_unknown"}
    assert sorted(set(statuses(told))) == ["not_checkable", "verified"]
    assert statuses(told).count("not_checkable") == 2


def test_a_forged_figure_fails_with_its_cause(verify: Verify) -> None:
    code, told = verify("forged.ipynb")
    assert code == FAILED
    assert statuses(told).count("altered") == 1
    assert "result_hash_mismatch" in causes(told)
    assert "result_hash_mismatch" in told["causes"]


def test_a_forgery_among_good_files_fails_them_all(verify: Verify) -> None:
    code, told = verify("report.ipynb", "forged.ipynb", "card.json")
    assert code == FAILED
    assert [file["status"] for file in told["files"]] == ["unaltered", "altered", "unaltered"]


def test_under_a_key_of_somebody_else_what_the_author_signed_is_not_verified(verify: Verify) -> None:
    code, told = verify("card.json", "--key", FORGER.public_key)
    assert (code, statuses(told)) == (UNALTERED, ["unaltered"])
    assert causes(told, "not_checkable") == {"unknown_signer"}
    assert verify("card.json", "--key", FORGER.public_key, "--strict")[0] == FAILED


def test_one_of_several_keys_is_enough(verify: Verify) -> None:
    assert verify("card.json", "--key", FORGER.public_key, "--key", AUTHOR.public_key, "--strict")[0] == DONE


def test_unsigned_cards_are_consistent_and_fail_where_a_signature_is_demanded(verify: Verify) -> None:
    for arguments in ([], ["--key", AUTHOR.public_key]):
        code, told = verify("unsigned.ipynb", *arguments)
        assert (code, set(statuses(told))) == (CONSISTENT, {"consistent"})
        assert causes(told, "not_checkable") == {"unsigned", "not_sealed"}
    code, told = verify("unsigned.ipynb", "--require-signature")
    assert code == FAILED
    assert causes(told) == {"receipt_missing"}


def test_the_worst_file_gives_the_exit_code(verify: Verify) -> None:
    own = ("--key", AUTHOR.public_key)
    assert verify("report.ipynb", "unsigned.ipynb", *own)[0] == CONSISTENT
    assert verify("unsigned.ipynb", "computed.ipynb", *own)[0] == NOT_CHECKABLE
    assert verify("computed.ipynb", "forged.ipynb", *own)[0] == FAILED


def test_a_seal_that_was_taken_out_is_missed_where_one_is_demanded(verify: Verify, folder: Path) -> None:
    document = json.loads((folder / "report.ipynb").read_text(encoding="utf-8"))
    del document["metadata"]["service_nb"]
    written(folder / "unsealed.ipynb", document)
    own = ("--key", AUTHOR.public_key)
    assert verify("unsealed.ipynb", *own)[0] == DONE
    assert verify("report.ipynb", "card.json", "--require-seal", *own)[0] == DONE
    code, told = verify("unsealed.ipynb", "--require-seal", *own)
    assert code == FAILED
    assert causes(told) == {"seal_missing"}


def test_strict_lets_nothing_pass_that_is_not_verified(verify: Verify) -> None:
    assert verify("card.json")[0] == UNALTERED
    assert verify("unsigned.ipynb", "--strict")[0] == FAILED
    assert verify("card.json", "--strict")[0] == FAILED
    assert verify("card.json", "--strict", "--key", AUTHOR.public_key)[0] == DONE


def test_the_key_of_this_machine_is_known(verify: Verify, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed = AUTHOR.private.private_bytes_raw()
    monkeypatch.setenv("SERVICE_DEVICE_KEY", base64.b64encode(seed).decode())
    code, told = verify("card.json", "--strict")
    assert code == DONE
    assert told["conditions"]["key_of_this_machine"] == [AUTHOR.public_key]


def test_a_machine_without_a_key_verifies_all_the_same(
    verify: Verify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SERVICE_DEVICE_KEY")
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    code, told = verify("card.json")
    assert code == UNALTERED
    assert told["conditions"]["key_of_this_machine"] == []
    assert not (tmp_path / "home").exists()


def test_a_notebook_without_cards_has_nothing_to_check_and_fails_strictly(verify: Verify, folder: Path) -> None:
    written(folder / "empty.ipynb", notebook([]))
    assert verify("empty.ipynb")[0] == NOT_CHECKABLE
    code, told = verify("empty.ipynb", "--strict")
    assert code == FAILED
    assert causes(told, "not_checkable") == {"no_cards"}


# --- keys ---------------------------------------------------------------------------------------------------------


def test_keys_come_as_a_list_or_as_pem(verify: Verify, folder: Path) -> None:
    listed = f"# authors\n{FORGER.public_key}  # one\n\n{AUTHOR.public_key} # another\n"
    (folder / "authors.keys").write_text(listed)
    pem = AUTHOR.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (folder / "author.pem").write_bytes(pem)
    for file in ("authors.keys", "author.pem"):
        assert verify("card.json", "--strict", "--key", file)[0] == DONE


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"# nobody\n",
        b"no key at all\n",
        AUTHOR.public_key.encode() + b"\nand a word\n",
        base64.b64encode(b"x" * 31),
        AUTHOR.public_key.encode()[:-1] + b"\n",
        b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        b"\xff\xfe\x00",
    ],
)
def test_a_file_that_is_not_wholly_keys_is_refused(verify: Verify, folder: Path, content: bytes) -> None:
    (folder / "keys").write_bytes(content)
    code, told = verify("card.json", "--key", "keys")
    assert (code, told["error"]["code"]) == (USAGE, "invalid_intent")


# --- usage --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [[], ["nothing.ipynb"], ["."], ["card.json", "--key", "nobody"], ["card.json", "--junit", "no/x.xml"]]
)
def test_what_cannot_be_meant_is_usage(folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(["verify", *arguments]) == USAGE
    told = capsys.readouterr()
    assert "invalid_intent" in told.err
    assert str(folder) not in told.err


def test_a_device_is_never_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(folder / "pipe")
    assert main(["verify", "pipe"]) == USAGE
    assert "invalid_intent" in capsys.readouterr().err


def test_absolute_paths_are_not_told(verify: Verify, folder: Path) -> None:
    _, told = verify(str(folder / "card.json"))
    assert str(folder) not in json.dumps(told)
    assert told["files"][0]["file"] == "card.json"


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "malformed_json"),
        (b"\xef\xbb\xbf{}", "malformed_json"),
        (b'{"kind": 1, "kind": 2}', "malformed_json"),
        (b"[]", "unknown_document"),
        (b'{"nbformat": 4}', "malformed_notebook"),
        (b'{"kind": "query"}', "malformed_card"),
        (b'{"service_nb_ledger": 1}', "malformed_ledger"),
        (b" " * (DOCUMENT_BYTES + 1), "too_large"),
        (b"SQLite format 3\0", None),
    ],
)
def test_a_broken_file_is_told_by_its_cause(verify: Verify, folder: Path, content: bytes, cause: str | None) -> None:
    (folder / "broken").write_bytes(content)
    code, told = verify("broken", "card.json")
    if cause is None:  # a database that is no ledger is a mistake of who calls
        assert code == USAGE
        return
    assert code == FAILED
    assert causes(told) == {cause}


# --- against a ledger ---------------------------------------------------------------------------------------------


def test_receipts_are_found_in_the_ledger_that_is_given(verify: Verify) -> None:
    code, told = verify("report.ipynb", "ledger.json", "--key", AUTHOR.public_key)
    assert code == DONE
    checks = [check for verdict in told["files"][0]["verdicts"] for check in verdict["checks"]]
    assert sum((check["check"], check["status"]) == ("ledger", "passed") for check in checks) == len(plain())


def test_receipts_are_found_in_a_ledger_that_went_on(verify: Verify, folder: Path) -> None:
    written(folder / "ledger.json", log_of(plain() * 3).document())
    assert causes(verify("report.ipynb", "ledger.json", "--key", AUTHOR.public_key)[1]) <= {"duplicate_id"}


def test_a_ledger_that_is_shorter_than_a_receipt_saw_was_rolled_back(verify: Verify, folder: Path) -> None:
    written(folder / "ledger.json", log_of(plain()[:3]).document())
    code, told = verify("report.ipynb", "ledger.json", "--key", AUTHOR.public_key)
    assert code == FAILED
    assert causes(told) == {"rolled_back"}


def test_a_ledger_that_was_written_anew_is_not_the_one_that_was_seen(verify: Verify, folder: Path) -> None:
    shown = plain()
    other = copy.deepcopy(shown[2])
    other["view"]["question"] = "another"
    written(folder / "ledger.json", log_of([*shown[:2], sealed(other), *shown[3:], *shown]).document())
    code, told = verify("card.json", "ledger.json", "--key", AUTHOR.public_key)
    assert code == FAILED
    assert "rolled_back" in causes(told)


def test_a_card_of_another_ledger_is_not_in_this_one(verify: Verify, folder: Path) -> None:
    written(folder / "ledger.json", log_of(plain(), ledger="0" * 32).document())
    code, told = verify("card.json", "ledger.json", "--key", AUTHOR.public_key)
    assert code == FAILED
    assert causes(told) == {"entry_not_in_ledger"}


# --- reports ------------------------------------------------------------------------------------------------------


def test_text_names_file_card_cause_and_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "forged.ipynb", "--key", AUTHOR.public_key]) == FAILED
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "forged.ipynb"
    assert any(line.startswith("  ✗ cell 2, output 1") for line in lines)
    assert any("result_hash_mismatch" in line for line in lines)


def test_junit_and_the_page_are_written_whatever_the_verdict(verify: Verify, folder: Path) -> None:
    for file in ("report.ipynb", "forged.ipynb"):
        code, told = verify(file, "--junit", "out.xml", "--report", "out.html")
        suite = ElementTree.fromstring((folder / "out.xml").read_bytes())[0]
        assert int(suite.get("tests")) == len(statuses(told))
        assert int(suite.get("failures")) == statuses(told).count("altered") == (code == FAILED)
        assert told["files"][0]["sha256"] in (folder / "out.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", ["--junit", "--report"])
def test_a_report_is_never_written_over_what_is_verified(verify: Verify, folder: Path, option: str) -> None:
    before = (folder / "report.ipynb").read_bytes()
    assert verify("card.json", "report.ipynb", option, "./report.ipynb")[0] == USAGE
    assert (folder / "report.ipynb").read_bytes() == before


def test_a_process_says_the_same_and_loads_no_driver(folder: Path) -> None:
    code = (
        "import sys; from service_nb.cli.main import main\n"
        "code = main(['verify', 'forged.ipynb', '--report', 'out.html'])\n"
        "print(sorted({'duckdb', 'pandas', 'sqlite3', 'IPython', 'grpc'} & set(sys.modules)))\n"
        "raise SystemExit(code)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kernels")]), "PYTHONUTF8": "1"}
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (run.returncode, run.stderr) == (FAILED, "")
    assert run.stdout.splitlines()[-1] == "[]"


# --- seal ---------------------------------------------------------------------------------------------------------


def test_a_seal_is_all_that_changes_in_the_file(
    verify: Verify, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(folder / "plain.ipynb", notebook(signed(plain())))
    path.chmod(0o640)
    before = nbformat.read(path, as_version=4)
    assert main(["seal", "plain.ipynb", "--json"]) == DONE
    assert json.loads(capsys.readouterr().out)["cards"] == len(plain())
    after = nbformat.read(path, as_version=4)
    assert after["metadata"].pop("service_nb")["public_key"] == require_device().public_key
    assert after == before
    assert nbformat.writes(nbformat.read(path, as_version=4)) + "\n" == path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [each.name for each in folder.glob(".plain*")] == []
    code, told = verify("plain.ipynb", "--key", AUTHOR.public_key, "--key", require_device().public_key)
    assert code == DONE
    assert told["files"][0]["verdicts"][-1]["status"] == "verified"


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda cells: cells.pop(), "card_missing"),
        (lambda cells: cells.append(cells[-1]), "card_added"),
        (lambda cells: cells.__setitem__(-1, cells[-2]), "card_replaced"),
        (lambda cells: cells.reverse(), "card_moved"),
    ],
)
def test_a_seal_tells_what_became_of_the_cards(
    verify: Verify, folder: Path, change: Callable[[list[Any]], object], cause: str
) -> None:
    path = written(folder / "plain.ipynb", notebook(signed(plain())))
    assert main(["seal", "plain.ipynb"]) == DONE
    book = json.loads(path.read_text(encoding="utf-8"))
    change(book["cells"])
    written(path, book)
    code, told = verify("plain.ipynb")
    assert code == FAILED
    assert causes(told) == {cause}
    assert main(["seal", "plain.ipynb"]) == DONE  # again, and over the old one


def test_a_forged_card_is_never_sealed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (folder / "forged.ipynb").read_bytes()
    assert main(["seal", "forged.ipynb", "--json"]) == FAILED
    told = json.loads(capsys.readouterr().out)["error"]
    assert (told["code"], told["details"]["reason"]) == ("evidence_invalid", "result_hash_mismatch")
    assert (folder / "forged.ipynb").read_bytes() == before


def with_faces(folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """A notebook of one genuine card with its faces, whose output was changed."""
    service = service_nb.create_service(ledger=folder / "faces")
    service.connect({"records": [{"region": "north", "revenue": 1.5}]}, name="sales")
    data = to_bundle(service.ask("sum revenue by region").card)[0]
    service.close()
    change(data)
    output = {"output_type": "display_data", "metadata": {}, "data": data}
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": [], "execution_count": 1, "outputs": [output]}
    return written(folder / "faces.ipynb", {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda data: data.update({"text/html": data["text/html"].replace("1.5", "9.5")}), "face_differs"),
        (lambda data: data.update({"application/json": {"revenue": 9.5}}), "face_differs"),
        (lambda data: data.pop(MIME), "card_missing"),
    ],
)
def test_an_output_that_shows_something_else_fails_and_is_never_sealed(
    verify: Verify, folder: Path, change: Any, cause: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = with_faces(folder, change).read_bytes()
    code, told = verify("faces.ipynb")
    assert (code, causes(told)) == (FAILED, {cause})
    assert main(["seal", "faces.ipynb", "--json"]) == FAILED
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["code"], error["details"]["reason"]) == ("evidence_invalid", cause)
    assert (folder / "faces.ipynb").read_bytes() == before


def test_genuine_faces_are_sealed(verify: Verify, folder: Path) -> None:
    with_faces(folder, lambda data: data)
    assert main(["seal", "faces.ipynb"]) == DONE
    assert verify("faces.ipynb")[0] == DONE


def test_a_seal_needs_a_key(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("SERVICE_DEVICE_KEY")
    monkeypatch.setenv("SERVICE_HOME", str(folder / "home"))
    assert main(["seal", "report.ipynb", "--json"]) == FAILED
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "login_required"


@pytest.mark.parametrize("given", ["card.json", "nothing.ipynb", "."])
def test_only_a_notebook_can_be_sealed(folder: Path, given: str) -> None:
    assert main(["seal", given]) in (FAILED, USAGE)


# --- self-check ---------------------------------------------------------------------------------------------------


def test_the_shipped_forgeries_are_all_refused_for_what_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--self-check", "--json"]) == DONE
    results = json.loads(capsys.readouterr().out)["results"]
    assert sum(each["expected"] != "verified" for each in results) >= 40
    assert sum(each["expected"] == "verified" for each in results) >= 6
    assert all(each["is_right"] for each in results)


def test_a_verifier_that_believes_everything_fails_its_self_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("service_nb.evidence.standalone.verify_ed25519", lambda *_: True)
    assert main(["verify", "--self-check"]) == FAILED
    assert "✗" in capsys.readouterr().out


def test_the_self_check_takes_no_file(folder: Path) -> None:
    assert main(["verify", "--self-check", "card.json"]) == USAGE
