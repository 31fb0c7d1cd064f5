"""The TypeScript client beside Python's: the same files and questions, the same values, hashes, statuses and codes."""

from __future__ import annotations

import base64
import json
from collections import Counter
from pathlib import Path
from typing import Any

import service_nb
from service_nb.core.digest import hash_schema
from service_nb.errors import ServiceError
from service_nb.evidence.documents import check_card
from service_nb.readers.columns import TypedTable, hash_values
from service_nb.readers.dataset import Declared
from service_nb.readers.detect import read
from service_nb.schema.source import DEFAULT_LIMITS
from tests.tools import node
from tests.tools.generated_files import File, Maker, TableMaker

ADAPTER = Path(node.__file__).parent / "second_client.mjs"
IN_TYPESCRIPT = {"date_format": "dateFormat"}


def run_second(tasks: list[dict[str, Any]]) -> list[Any]:
    """Return what the TypeScript client makes of tasks."""
    node.built()
    answers: list[Any] = json.loads(node.node(ADAPTER, stdin=json.dumps(tasks).encode()))
    return answers


def describe_reading(file: File) -> dict[str, Any]:
    """Describe a file as a task."""
    options = {IN_TYPESCRIPT.get(key, key): value for key, value in file.options.items()}
    data = base64.b64encode(file.data).decode()
    return {"verb": "read", "format": file.format, "data": data, "options": options}


def read_first(file: File, folder: Path) -> dict[str, Any]:
    """Read a file with Python's client."""
    path = folder / f"file.{file.format}"
    path.write_bytes(file.data)
    declared = Declared(**file.options)
    try:
        dataset = read(path, declared.build_options(DEFAULT_LIMITS, defer=False))
    except ServiceError as error:
        return {"code": error.code}
    return {
        "fields": [[each.name, each.physical] for each in dataset.fields],
        "rows": dataset.row_count,
        "schema": hash_schema(dataset.fields),
        "values": hash_values(TypedTable(dataset.fields, dataset.table)).sha256,
        "content": dataset.content.sha256,
    }


def test_both_clients_read_the_same_types_values_and_codes(tmp_path: Path) -> None:
    maker = Maker(20261122)
    files = [maker.make_delimited() for _ in range(300)] + [maker.make_document() for _ in range(150)]
    first = [read_first(file, tmp_path) for file in files]
    second = run_second([describe_reading(file) for file in files])
    different = [(file, one, other) for file, one, other in zip(files, first, second, strict=True) if one != other]
    assert not different, different[0]
    codes = Counter(each.get("code") for each in first)
    assert codes[None] > 200
    assert codes["source_malformed"] > 20


def ask_first(table: bytes, questions: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Ask Python's client."""
    path = folder / "table.csv"
    path.write_bytes(table)
    service = service_nb.create_service(ledger="off")
    source = service.connect(path, name="table")
    answers: list[dict[str, Any]] = []
    for question in questions:
        try:
            outcome = service.ask(question)
        except ServiceError as error:
            answers.append({"code": error.code})
            continue
        if outcome["status"] != "ok":
            answers.append({"status": outcome["status"], "refusal": outcome["refusal_hash"]})
            continue
        data = outcome["data"]
        hashes = {"plan": data["plan_hash"], "result": data["result_hash"], "steps": data["plan"]}
        answers.append({"status": "ok", **hashes, "used": data["provenance"]["used_rows"]})
    return {"source": source["source_id"], "schema": source["schema_revision"], "answers": answers}


def test_both_clients_answer_with_the_same_plans_and_results(tmp_path: Path) -> None:
    maker = TableMaker(20261122)
    cases = [(maker.make_table(), [maker.make_question() for _ in range(12)]) for _ in range(40)]
    first = [ask_first(table, questions, tmp_path) for table, questions in cases]
    tasks = [
        {"verb": "ask", "data": base64.b64encode(table).decode(), "questions": questions} for table, questions in cases
    ]
    second = run_second(tasks)
    cards = [each.pop("card") for answered in second for each in answered["answers"] if "card" in each]
    for (_, questions), one, other in zip(cases, first, second, strict=True):
        assert (one["source"], one["schema"]) == (other["source"], other["schema"])
        for question, mine, theirs in zip(questions, one["answers"], other["answers"], strict=True):
            assert theirs == mine, question
    statuses = Counter(each.get("status") for answered in first for each in answered["answers"])
    assert statuses["ok"] > 250
    assert statuses["rejected"] > 50
    # Python's verifier finds the second client's cards in order, whatever they were signed with.
    verdicts = Counter(check_card(card).status for card in cards)
    assert set(verdicts) <= {"consistent", "unaltered"}, verdicts
