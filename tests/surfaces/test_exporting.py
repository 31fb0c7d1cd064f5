"""`export`, `import` and `strip` as people use them: with a project, its ledger, and files of others."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import openpyxl
import pyarrow.parquet
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from prov.model import ProvDocument
from rocrate.rocrate import ROCrate
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

import service_nb
from service_nb.cards.faces import to_bundle
from service_nb.cli import strip as strip_module
from service_nb.cli.main import build_parser, run_verb
from service_nb.client.user_keys import require_device
from service_nb.errors import EvidenceError, InvalidIntentError, LedgerError, LimitExceededError, ResultNotFoundError
from service_nb.evidence.documents import check_document
from tests.simulators.signing import Key, signed_card

Run = Callable[..., str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two answers and a refusal in its ledger, which is the working folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("SERVICE_LEDGER")
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    (folder / "sales.csv").write_text("region,revenue\nNorth,10.5\nSouth,-3.25\n=1+1,2\n")
    return folder


@pytest.fixture
def asked(project: Path) -> list[Any]:
    """The outcomes."""
    service = service_nb.create_service()
    service.connect("sales.csv")
    outcomes = [service.ask(line) for line in ("sum revenue by region", "avg revenue", "sum revenu by region")]
    for outcome in outcomes:
        assert outcome.card["receipt"] is not None
    service.close()
    return outcomes


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a verb with its arguments, and return what it printed."""

    def ran(verb: str, *arguments: str | os.PathLike[str]) -> str:
        parsed = build_parser().parse_args([verb, *map(os.fspath, arguments)])
        capfdbinary.readouterr()
        assert run_verb(parsed) == 0
        return capfdbinary.readouterr().out.decode()

    return ran


def id_of(outcome: Any) -> str:
    return str(outcome["data"]["query_id"])


def notebook_of(path: Path, *cards: Any) -> Path:
    cells = [new_code_cell("%service_ask", outputs=[new_output("display_data", data=to_bundle(c)[0])]) for c in cards]
    nbformat.write(new_notebook(cells=cells), path)
    return path


# --- export -----------------------------------------------------------------------------------------------------------


def test_a_recorded_result_is_exported_by_its_id_in_every_format(asked: list[Any], run: Run) -> None:
    result = id_of(asked[0])
    for form in (
        "ro-crate", "prov-json", "in-toto", "openlineage", "csv", "xlsx", "card", "json", "markdown", "parquet",
    ):  # fmt: skip
        assert form in run("export", result, "--format", form)

    rows = list(csv.reader(io.StringIO(Path(f"{result}.csv").read_text(), newline="")))
    assert rows == [
        ["region", "revenue", "count"],
        ["North", "10.5", "1"],
        ["'=1+1", "2", "1"],
        ["South", "-3.25", "1"],
    ]
    assert openpyxl.load_workbook(f"{result}.xlsx")["rows"]["A3"].data_type == "s"
    hashed = json.loads(Path(f"{result}.json").read_text())
    assert hashed["result"] == json.loads(asked[0].card["canonical"]["result"])
    assert hashed["result_hash"] == asked[0]["data"]["result_hash"]
    assert Path(f"{result}.md").read_text().endswith(f"`{hashed['result_hash']}`\n")
    table = pyarrow.parquet.read_table(f"{result}.parquet")
    assert table.to_pylist() == asked[0].rows
    assert table.schema.metadata[b"service_nb.result_hash"].decode() == hashed["result_hash"]
    [action] = ROCrate(f"{result}-crate").root_dataset["mentions"]
    assert [source["alternateName"] for source in action["object"]] == ["sales.csv"]
    assert ProvDocument.deserialize(f"{result}.prov.json", format="json").get_provn()
    device = require_device()
    key = SSlibKey(device.id, "ed25519", "ed25519", {"public": base64.b64decode(device.public_key).hex()})
    Envelope.from_dict(json.loads(Path(f"{result}.intoto.jsonl").read_text())).verify([key], 1)
    start, end = Path(f"{result}.openlineage.ndjson").read_text().splitlines()
    assert json.loads(start)["run"]["runId"] == json.loads(end)["run"]["runId"]
    card = Path(f"{result}.servicecard.json").read_bytes()
    assert json.loads(card) == asked[0].card
    assert check_document(card, keys=[device.public_key])[0].status == "verified"


def test_what_is_there_is_not_written_over_unless_told(asked: list[Any], run: Run) -> None:
    result = id_of(asked[0])
    Path("mine.csv").write_text("precious")

    with pytest.raises(InvalidIntentError):
        run("export", result, "--format", "csv", "--output", "mine.csv")
    assert Path("mine.csv").read_text() == "precious"
    Path("mine.csv").chmod(0o640)
    run("export", result, "--format", "csv", "--output", "mine.csv", "--force")
    assert Path("mine.csv").read_text().startswith('"region"')
    assert Path("mine.csv").stat().st_mode & 0o777 == 0o640
    Path("full").mkdir()
    Path("full/precious").write_text("precious")
    with pytest.raises(InvalidIntentError):
        run("export", result, "--format", "ro-crate", "--output", "full", "--force")
    assert [path.name for path in Path("full").iterdir()] == ["precious"]


def test_nothing_is_written_through_a_link(asked: list[Any], run: Run, tmp_path: Path) -> None:
    result = id_of(asked[0])
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "target.csv").write_text("precious")
    Path("link.csv").symlink_to(outside / "target.csv")
    Path("folder").symlink_to(outside)

    for output in ("link.csv", "folder/new.csv", "folder", "missing/new.csv"):
        with pytest.raises(InvalidIntentError) as caught:
            run("export", result, "--format", "csv", "--output", output, "--force")
        assert str(tmp_path) not in str(caught.value.to_dict())
    with pytest.raises(InvalidIntentError):
        run("export", result, "--format", "ro-crate", "--output", "folder/crate")
    assert [path.name for path in outside.iterdir()] == ["target.csv"]
    assert (outside / "target.csv").read_text() == "precious"
    run("export", result, "--format", "csv", "--output", outside / "new.csv")  # a place that was named as it is
    assert (outside / "new.csv").exists()


def test_no_part_of_a_file_is_left_where_it_could_not_be_written(
    asked: list[Any], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidIntentError):
        run("export", id_of(asked[0]), "--format", "csv", "--output", "x.csv")
    assert not [path for path in Path().iterdir() if "x.csv" in path.name]


def test_a_disk_without_links_takes_files_too(asked: list[Any], run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    run("export", id_of(asked[0]), "--format", "csv", "--output", "x.csv")
    content = Path("x.csv").read_bytes()
    with pytest.raises(InvalidIntentError):
        run("export", id_of(asked[1]), "--format", "csv", "--output", "x.csv")
    assert Path("x.csv").read_bytes() == content
    assert content.startswith(b'"region"')


def test_a_notebook_becomes_one_crate_of_all_its_cards(asked: list[Any], run: Run, project: Path) -> None:
    notebook_of(project / "report.ipynb", *(outcome.card for outcome in asked))

    run("export", "report.ipynb", "--format", "ro-crate", "--output", "report.zip")
    crate = ROCrate("report.zip")
    assert len(crate.root_dataset["mentions"]) == 3
    assert zipfile.ZipFile("report.zip").testzip() is None
    run("export", "report.ipynb", "--format", "csv", "--card", "2")
    assert Path("report.csv").read_text().startswith('"revenue","count"')
    for wrong in ("0", "4"):
        with pytest.raises(InvalidIntentError):
            run("export", "report.ipynb", "--format", "xlsx", "--card", wrong)
    with pytest.raises(InvalidIntentError):
        run("export", "report.ipynb", "--format", "xlsx")


def test_what_does_not_hold_is_not_exported(asked: list[Any], run: Run, project: Path) -> None:
    card = json.loads(json.dumps(asked[0].card))
    card["canonical"]["result"] = card["canonical"]["result"].replace("10.5", "99.5")
    (project / "forged.json").write_text(json.dumps(card))

    for form in ("ro-crate", "csv", "card", "in-toto"):
        with pytest.raises(EvidenceError) as caught:
            run("export", "forged.json", "--format", form)
        assert caught.value.reason == "result_hash_mismatch"
    assert sorted(path.name for path in project.iterdir()) == [".service", "forged.json", "sales.csv"]


def test_values_stay_at_home_when_told(asked: list[Any], run: Run, project: Path) -> None:
    result = id_of(asked[0])
    run("export", result, "--format", "ro-crate", "--without-values")
    run("export", "--format", "ledger", "--without-values")

    content = b"".join(path.read_bytes() for path in Path(f"{result}-crate").rglob("*") if path.is_file())
    assert b"North" not in content
    assert asked[0]["data"]["result_hash"].encode() in content
    assert b"10.5" not in Path("ledger.serviceledger.json").read_bytes()
    [verdict] = check_document(Path("ledger.serviceledger.json").read_bytes(), keys=[require_device().public_key])
    assert verdict.status == "verified"
    with pytest.raises(EvidenceError) as caught:
        run("export", result, "--format", "csv", "--without-values")
    assert caught.value.reason == "text_not_kept"


def test_the_whole_ledger_as_a_document_proves_its_root(asked: list[Any], run: Run) -> None:
    run("export", "--format", "ledger")

    content = Path("ledger.serviceledger.json").read_bytes()
    [verdict] = check_document(content, keys=[require_device().public_key])
    assert verdict.status == "verified"
    document = json.loads(content)
    assert len(document["entries"]) == len(asked)
    assert asked[0].card["canonical"]["result"] in document["texts"].values()
    with pytest.raises(InvalidIntentError):
        run("export", id_of(asked[0]), "--format", "ledger", "--output", "one.json")


def test_a_ledger_that_no_document_can_state_is_refused(
    asked: list[Any], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("service_nb.cli.export.DEFAULT_MAX_BYTES", 4_000)
        with pytest.raises(LimitExceededError):
            run("export", "--format", "ledger")
    monkeypatch.setenv("SERVICE_DEVICE_KEY", base64.b64encode(b"another key of the same ledger!!").decode())
    service = service_nb.create_service()
    service.connect("sales.csv")
    service.ask("count")
    service.close()
    with pytest.raises(EvidenceError) as caught:
        run("export", "--format", "ledger")
    assert caught.value.reason == "several_keys"


def test_a_result_that_is_not_there_and_a_ledger_that_is_not_kept(
    asked: list[Any], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ResultNotFoundError):
        run("export", "query_0000000000000000", "--format", "csv")
    with pytest.raises(InvalidIntentError):
        run("export", "--format", "csv")
    for missing in ("missing.ipynb", "."):
        with pytest.raises(InvalidIntentError):
            run("export", missing, "--format", "csv")
    monkeypatch.setenv("SERVICE_LEDGER", "off")
    with pytest.raises(LedgerError):
        run("export", id_of(asked[0]), "--format", "csv")
    with pytest.raises(LedgerError):
        run("export", "--format", "ledger")


def test_files_go_to_the_terminal_and_folders_do_not(asked: list[Any], run: Run) -> None:
    printed = run("export", id_of(asked[0]), "--format", "card", "--output", "-")

    assert json.loads(printed) == asked[0].card
    with pytest.raises(InvalidIntentError):
        run("export", id_of(asked[0]), "--format", "ro-crate", "--output", "-")
    told = json.loads(run("export", id_of(asked[0]), "--format", "csv", "--json"))
    assert told == {"status": "ok", "format": "csv", "file": f"{id_of(asked[0])}.csv", "results": 1}


# --- import -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(asked: list[Any], tmp_path: Path) -> dict[str, Path]:
    """What a colleague hands on: a card, a forged one, and a signed statement, of another key."""
    card = signed_card({**asked[0].card, "receipt": None}, Key(9))
    forged = json.loads(json.dumps(card))
    forged["view"]["rows"][0][1] = "11.5"
    files = {"card": card, "forged": forged, "statement": card["receipt"]["envelope"]}
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return {name: tmp_path / f"{name}.json" for name in files}


def test_a_card_of_another_key_is_kept_as_it_is_and_is_no_entry_of_this_ledger(
    elsewhere: dict[str, Path], asked: list[Any], run: Run, project: Path
) -> None:
    before = service_nb.create_service().log()
    told = json.loads(run("import", elsewhere["card"], "--json"))

    [document] = told["imported"]
    assert document["status"] == "unaltered"
    assert document["new"] is True
    assert [result["signer"] for result in document["results"]] == ["unknown"]
    assert document["results"][0]["signed"] == Key(9).id
    [kept] = (project / ".service" / "imported").iterdir()
    assert kept.name == f"{document['sha256']}.json"
    assert kept.read_bytes() == elsewhere["card"].read_bytes()
    assert service_nb.create_service().log() == before
    assert len(before) == len(asked)


def test_with_the_key_of_its_author_a_card_is_verified(elsewhere: dict[str, Path], run: Run) -> None:
    [document] = json.loads(run("import", elsewhere["card"], "--key", Key(9).public_key, "--json"))["imported"]

    assert document["status"] == "verified"
    assert document["results"][0]["signer"] == "trusted"
    assert "trusted key" in run("import", "--key", Key(9).public_key)


def test_a_statement_by_itself_needs_the_key_of_its_author(elsewhere: dict[str, Path], run: Run) -> None:
    for keys in ((), ("--key", Key(8).public_key)):
        with pytest.raises(EvidenceError) as caught:
            run("import", elsewhere["statement"], *keys)
        assert caught.value.reason == "key_unknown"
    assert "Nothing" in run("import")

    [document] = json.loads(run("import", elsewhere["statement"], "--key", Key(9).public_key, "--json"))["imported"]
    assert document["status"] == "verified"
    [listed] = json.loads(run("import", "--json"))["imported"]  # the key is not known any more, and nothing breaks
    assert listed["status"] == "not_checkable"


def test_of_several_documents_all_are_kept_or_none(elsewhere: dict[str, Path], run: Run, project: Path) -> None:
    with pytest.raises(EvidenceError) as caught:
        run("import", elsewhere["card"], elsewhere["forged"])

    assert caught.value.reason == "rows_hash_mismatch"
    assert not (project / ".service" / "imported").exists()


def test_what_one_project_exports_another_imports(
    asked: list[Any], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("export", "--format", "ledger", "--output", tmp_path / "theirs.json")
    run("export", id_of(asked[0]), "--format", "in-toto", "--output", tmp_path / "theirs.jsonl")
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)

    told = json.loads(run("import", tmp_path / "theirs.json", tmp_path / "theirs.jsonl", "--json"))["imported"]
    assert [document["status"] for document in told] == ["verified", "verified"]
    assert [len(document["results"]) for document in told] == [3, 1]
    assert {result["signer"] for document in told for result in document["results"]} == {"own"}
    assert told[0]["results"][0]["id"] == id_of(asked[0])
    assert (other / ".service" / ".gitignore").read_text() == "*\n"
    again = json.loads(run("import", tmp_path / "theirs.json", "--json"))["imported"]
    assert [document["new"] for document in again] == [False]
    assert len(json.loads(run("import", "--json"))["imported"]) == 2


def test_a_document_that_was_changed_after_it_was_imported_is_noticed(
    elsewhere: dict[str, Path], run: Run, project: Path
) -> None:
    run("import", elsewhere["card"])
    [kept] = (project / ".service" / "imported").iterdir()
    kept.chmod(0o600)
    kept.write_bytes(kept.read_bytes() + b" ")

    with pytest.raises(LedgerError) as caught:
        run("import")
    assert caught.value.reason == "damaged"
    run("import", elsewhere["card"])  # again, and it is whole
    assert len(json.loads(run("import", "--json"))["imported"]) == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "malformed_json"),
        (b"[]", "unknown_document"),
        (b'{"nbformat": 4, "cells": []}', "unknown_document"),
        (b'{"payloadType": 1}', "receipt_malformed"),
        (b'{"payloadType": 1}\n{', "malformed_json"),
        (b'{"service_nb_ledger": 1}', "malformed_ledger"),
        (b'{"kind": "query"}', "malformed_card"),
        (b"\xff\xfe", "malformed_json"),
    ],
)
def test_what_is_no_evidence_is_refused(content: bytes, reason: str, project: Path, run: Run) -> None:
    (project / "x.json").write_bytes(content)

    with pytest.raises(EvidenceError) as caught:
        run("import", "x.json")
    assert caught.value.reason == reason
    assert not (project / ".service").exists()


def test_nothing_is_imported_through_a_link_or_from_a_device(
    elsewhere: dict[str, Path], run: Run, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (project / ".service" / "imported").symlink_to(tmp_path / "outside")
    with pytest.raises(LedgerError):
        run("import", elsewhere["card"])
    assert list((tmp_path / "outside").iterdir()) == []
    with pytest.raises(InvalidIntentError):
        run("import", "/dev/zero")
    os.mkfifo(project / "pipe")
    with pytest.raises(InvalidIntentError):
        run("import", "pipe")
    (project / "large.json").write_bytes(b" " * (32 * 1024**2 + 1))
    with pytest.raises(LimitExceededError):
        run("import", "large.json")


# --- strip ------------------------------------------------------------------------------------------------------------


def test_a_notebook_is_stripped_into_another_file_or_in_place(asked: list[Any], run: Run, project: Path) -> None:
    path = notebook_of(project / "report.ipynb", *(outcome.card for outcome in asked))
    before = path.read_bytes()

    assert "2 cards" in run("strip", "report.ipynb", "--output", "public.ipynb")
    assert path.read_bytes() == before
    assert "North" not in Path("public.ipynb").read_text()
    verdicts = check_document(Path("public.ipynb").read_bytes(), keys=[require_device().public_key])
    assert [verdict.status for verdict in verdicts] == [*["verified"] * 3, "not_checkable"]  # the last is of the faces
    assert {check.cause for verdict in verdicts for check in verdict.checks if check.cause} == {
        *("text_not_kept", "rows_not_kept", "not_sealed", "faces_not_compared")
    }
    path.chmod(0o640)
    told = json.loads(run("strip", "report.ipynb", "--in-place", "--json"))
    assert told == {"status": "ok", "file": "report.ipynb", "cards": 2, "outputs": 0}
    assert path.read_bytes() == Path("public.ipynb").read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    nbformat.validate(nbformat.read(path, 4))


def test_a_notebook_that_is_saved_meanwhile_is_left_alone(
    asked: list[Any], run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = notebook_of(project / "report.ipynb", asked[0].card)
    strip_file = strip_module.strip_file

    def saved_meanwhile(*arguments: Any, **options: Any) -> Any:
        path.write_text("saved by Jupyter")
        return strip_file(*arguments, **options)

    monkeypatch.setattr(strip_module, "strip_file", saved_meanwhile)
    with pytest.raises(EvidenceError) as caught:
        run("strip", "report.ipynb", "--in-place")
    assert caught.value.reason == "notebook_changed"
    assert path.read_text() == "saved by Jupyter"


def test_strip_wants_to_be_told_where_to_write(asked: list[Any], run: Run, project: Path) -> None:
    notebook_of(project / "report.ipynb", asked[0].card)

    for arguments in ((), ("--in-place", "--output", "x.ipynb"), ("--output", "report.ipynb")):
        with pytest.raises(InvalidIntentError):
            run("strip", "report.ipynb", *arguments)
    assert "North" not in run("strip", "report.ipynb", "--output", "-")


def test_a_stripped_notebook_can_still_be_exported_but_for_its_rows(asked: list[Any], run: Run, project: Path) -> None:
    notebook_of(project / "report.ipynb", asked[0].card)
    run("strip", "report.ipynb", "--in-place")

    run("export", "report.ipynb", "--format", "ro-crate")
    assert len(ROCrate("report-crate").root_dataset["mentions"]) > 0
    with pytest.raises(EvidenceError):
        run("export", "report.ipynb", "--format", "csv")
