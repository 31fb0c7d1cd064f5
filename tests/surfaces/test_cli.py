"""The command `service-nb`, run as a user runs it: in a process of its own."""

from __future__ import annotations

import functools
import hashlib
import json
import operator
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

import service_nb
from service_nb.client.health import HARD_TO_ADD
from tests.simulators.commands import OWN, run_command

ROOT = Path(__file__).parents[2]
PYTHONPATH = os.pathsep.join([str(ROOT), str(ROOT / "kernels")])
SALES = "region,year,revenue\nnorth,2024,1.5\nsouth,2024,0.1\nnorth,2023,0.2\nsouth,2024,0.2\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    return tmp_path


def service_nb_command(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, arguments, {**os.environ, **OWN, **environment})


def test_the_script_is_the_module() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"service-nb": "service_nb.cli.main:main"}


def test_ask_prints_the_answer_as_a_card(folder: Path) -> None:
    run = service_nb_command(folder, "ask", "sales.csv", "sum revenue by region where year = 2024")
    assert (run.returncode, run.stderr) == (0, "")
    lines = [line.split() for line in run.stdout.splitlines()]
    assert ["north", "1.5", "1"] in lines
    assert ["south", "0.3", "2"] in lines  # rounded for reading: of the double nearest 0.1 + 0.2, as IEEE 754 has it


def test_ask_takes_the_question_unquoted(folder: Path) -> None:
    quoted = service_nb_command(folder, "ask", "sales.csv", "sum revenue by region", "--json")
    unquoted = service_nb_command(folder, "ask", "sales.csv", "sum", "revenue", "by", "region", "--json")
    hashes = [json.loads(run.stdout)["data"]["plan_hash"] for run in (quoted, unquoted)]
    assert hashes[0] == hashes[1]


def test_ask_with_json_prints_the_outcome_of_the_client(folder: Path) -> None:
    run = service_nb_command(folder, "ask", "sales.csv", "sum revenue by region", "--json")
    service = service_nb.create_service()
    service.connect(folder / "sales.csv")
    expected, met = service.ask("sum revenue by region"), json.loads(run.stdout)
    assert run.returncode == 0
    assert met["status"] == "ok"
    assert met.keys() == expected.keys()
    for key in ("result", "plan_hash", "result_hash", "schema_revision"):
        assert met["data"][key] == expected["data"][key]


@pytest.mark.parametrize(
    ("question", "status"), [("sum revenu by region", "needs_clarification"), ("sum region", "rejected")]
)
def test_a_refusal_is_printed_and_fails(folder: Path, question: str, status: str) -> None:
    as_json = service_nb_command(folder, "ask", "sales.csv", question, "--json")
    as_text = service_nb_command(folder, "ask", "sales.csv", question)
    assert as_json.returncode == as_text.returncode == 1
    assert json.loads(as_json.stdout)["status"] == status
    assert as_text.stdout
    assert as_text.stderr == ""


def test_what_a_refusal_offers_runs_in_the_same_shell(folder: Path) -> None:
    (folder / "my sales.csv").write_text(SALES.replace(",", ";"), encoding="utf-8")
    asked = ["my sales.csv", "sum revenu by region where region != '$x'", "--delimiter", ";", "--types", "year=string"]
    offered = [
        line[line.index("service-nb ask") :]
        for line in service_nb_command(folder, "ask", *asked).stdout.splitlines()
        if "service-nb ask" in line and "revenue" in line
    ]
    assert offered
    run = service_nb_command(folder, *shlex.split(offered[0])[1:], "--json")
    assert (run.returncode, json.loads(run.stdout)["status"]) == (0, "ok")


@pytest.mark.parametrize("arguments", [[], ["--rows", "1"], ["--rows", "300"]])
def test_rows_says_how_many_are_shown(tmp_path: Path, arguments: list[str]) -> None:
    lines = "".join(f"key{i:03},{i}\n" for i in range(200))
    (tmp_path / "many.csv").write_text("key,n\n" + lines, encoding="utf-8")
    run = service_nb_command(tmp_path, "ask", "many.csv", "sum n by key", *arguments)
    shown = len(re.findall(r"^  key\d", run.stdout, re.MULTILINE))
    assert shown == {"[]": 20, "['--rows', '1']": 1, "['--rows', '300']": 200}[str(arguments)]
    assert "200" in run.stdout


def test_types_replace_inference_also_with_a_comma_in_a_type(folder: Path) -> None:
    run = service_nb_command(folder, "sources", "sales.csv", "--types", "revenue=decimal(12,2),year=string", "--json")
    fields = {field["name"]: field["physical"] for field in json.loads(run.stdout)["sources"][0]["typed_fields"]}
    assert fields == {"region": "string", "year": "string", "revenue": "decimal(12,2)"}


def test_ask_reads_a_table_of_sqlite(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shop.sqlite") as database:
        database.execute("CREATE TABLE orders (city TEXT, total INTEGER)")
        database.execute("INSERT INTO orders VALUES ('Graz', 9007199254740993), ('Graz', 1)")
    database.close()
    run = service_nb_command(tmp_path, "ask", "shop.sqlite", "sum total by city", "--table", "orders", "--json")
    assert json.loads(run.stdout)["data"]["result"] == [{"city": "Graz", "total": "9007199254740994", "count": 2}]


def test_sources_describes_each_file(folder: Path) -> None:
    (folder / "other.json").write_text('[{"x": 1}]', encoding="utf-8")
    run = service_nb_command(folder, "sources", "sales.csv", "other.json", "--json")
    sales, other = json.loads(run.stdout)["sources"]
    assert run.returncode == 0
    assert (sales["name"], sales["row_count"], sales["fields"]) == ("sales", 4, ["region", "year", "revenue"])
    assert sales["content"]["sha256"] == hashlib.sha256(SALES.encode()).hexdigest()
    assert (other["name"], other["row_count"]) == ("other", 1)


def test_sources_tells_of_the_good_and_of_the_broken(folder: Path) -> None:
    run = service_nb_command(folder, "sources", "missing.csv", "sales.csv")
    assert run.returncode == 1
    assert "sales" in run.stdout
    assert run.stderr.startswith("error[source_not_found]: ")


def test_sources_without_files_reads_what_the_project_keeps(folder: Path) -> None:
    service_nb.create_service(project=folder).connect(folder / "sales.csv", name="kept", persist=True)
    run = service_nb_command(folder, "sources", "--json")
    assert run.returncode == 0
    assert [source["name"] for source in json.loads(run.stdout)["sources"]] == ["kept"]


def test_sources_without_files_and_project_is_empty(tmp_path: Path) -> None:
    run = service_nb_command(tmp_path, "sources", "--json")
    assert (run.returncode, json.loads(run.stdout)) == (0, {"sources": [], "errors": []})


def test_an_error_is_one_line_on_stderr_and_json_on_stdout(folder: Path) -> None:
    run = service_nb_command(folder, "ask", "missing.csv", "count", "--json")
    assert run.returncode == 1
    assert run.stderr.startswith("error[source_not_found]: ")
    assert json.loads(run.stdout)["error"]["code"] == "source_not_found"
    assert "Traceback" not in run.stderr
    assert str(folder) not in run.stderr + run.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["aks", "sales.csv", "count"],
        ["ask", "sales.csv"],
        ["ask", "sales.csv", "sum sum sum"],
        ["ask", "sales.csv", "count", "--rows", "0"],
        ["ask", "sales.csv", "count", "--timeout", "-1"],
        ["ask", "sales.csv", "count", "--timeout", "nan"],
        ["ask", "sales.csv", "count", "--types", "zip"],
        ["ask", "sales.csv", "count", "--ro", "5"],
        ["version", "--no-such-option"],
    ],
)
def test_a_malformed_command_or_question_exits_with_two(folder: Path, arguments: list[str]) -> None:
    run = service_nb_command(folder, *arguments)
    assert run.returncode == 2
    assert run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    "arguments", [["--help"], *([verb, "--help"] for verb in ("ask", "sources", "doctor", "version"))]
)
def test_help_has_examples(tmp_path: Path, arguments: list[str]) -> None:
    run = service_nb_command(tmp_path, *arguments)
    assert run.returncode == 0
    assert "examples:\n  service-nb " in run.stdout


def test_version_is_that_of_the_package(tmp_path: Path) -> None:
    told = service_nb_command(tmp_path, "version").stdout
    found = json.loads(service_nb_command(tmp_path, "version", "--json").stdout)
    contract = json.loads((ROOT / "kernels" / "service_nb_kernels" / "contract.json").read_bytes())
    assert told.splitlines()[0] == f"service-nb {service_nb.__version__}"
    assert service_nb_command(tmp_path, "--version").stdout == f"service-nb {service_nb.__version__}\n"
    assert found["version"] == service_nb.__version__
    assert found["contract_hash"] == contract["contract_hash"]
    assert found["contract_hash"] in told


def test_doctor_finds_this_machine_well(tmp_path: Path) -> None:
    run = service_nb_command(tmp_path, "doctor", "--json")
    report = json.loads(run.stdout)
    assert [check for check in report["checks"] if not check["ok"]] == []
    assert (run.returncode, report["ok"]) == (0, True)
    names = {check["name"] for check in report["checks"]}
    assert {"python", "platform", "memory", "duckdb", "engine: read a file", "exact sum: direct"} <= names


def test_doctor_sums_what_plain_addition_gets_wrong() -> None:
    plain = functools.reduce(operator.add, HARD_TO_ADD)  # from Python 3.12 on, `sum` compensates
    assert plain != float(sum(map(Fraction, HARD_TO_ADD)))


def test_nothing_is_left_behind(folder: Path) -> None:
    before = sorted(path.name for path in folder.iterdir())
    service_nb_command(folder, "ask", "sales.csv", "sum revenue by region")
    service_nb_command(folder, "doctor")
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_reader_that_stops_reading_is_no_error(folder: Path) -> None:
    command = [sys.executable, "-m", "service_nb.cli.main", "ask", "sales.csv", "sum revenue by region", "--json"]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, errors = process.communicate(timeout=300)
    assert b"Traceback" not in errors


def test_a_terminal_without_unicode_is_served(folder: Path) -> None:
    run = service_nb_command(folder, "ask", "sales.csv", "count", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert run.returncode == 0
    assert "Traceback" not in run.stderr


NPV = "finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]"


def test_compute_prints_the_value_as_a_card_or_as_json(folder: Path) -> None:
    run = service_nb_command(folder, "compute", NPV)
    assert (run.returncode, run.stderr) == (0, "")
    assert "505.0201488969332" in run.stdout
    found = json.loads(service_nb_command(folder, "compute", *NPV.split(" ", 2), "--json").stdout)
    assert found["value"] == 505.0201488969332
    assert found["determinism"]["tier"] == "certified"


def test_compute_binds_columns_of_files(folder: Path) -> None:
    line = "stats.mean values=sales.revenue where region = 'south'"
    found = json.loads(service_nb_command(folder, "compute", line, "--file", "sales.csv", "--json").stdout)
    assert found["value"] == float(Fraction(0.1) + Fraction(0.2)) / 2
    assert found["provenance"]["bindings"][0]["row_count"] == 2


@pytest.mark.parametrize(
    ("line", "code", "exit_code"),
    [
        ("finance.npw rate=1", "unsupported_operation", 1),
        ("finance.npv rate=1", "invalid_intent", 2),
        ("finance.npv rate=-2 cashflows=[1]", "domain_error", 1),
        ("finance.npv rate=$r cashflows=[1]", "invalid_intent", 2),
        ("finance.npv", "invalid_intent", 2),
    ],
)
def test_compute_refuses_with_code_and_exit_code(folder: Path, line: str, code: str, exit_code: int) -> None:
    run = service_nb_command(folder, "compute", line, "--json")
    assert run.returncode == exit_code
    assert json.loads(run.stdout)["error"]["code"] == code


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["compute", NPV, "--nulls", "NA"], "invalid_intent"),
        (["ask", "nothing", "count"], "source_not_found"),
        (["ask", "kept", "count", "--sheet", "1"], "invalid_intent"),
        (["sources", "live", "--connector", "shop.toml", "--delimiter", ";"], "invalid_intent"),
    ],
)
def test_an_option_without_use_and_a_name_that_nobody_has_are_refused(
    folder: Path, arguments: list[str], code: str
) -> None:
    (folder / "shop.toml").write_text('type = "postgres"\n', encoding="utf-8")
    service_nb.create_service(project=folder).connect(folder / "sales.csv", name="kept", persist=True)
    run = service_nb_command(folder, *arguments)
    assert run.returncode != 0
    assert f"error[{code}]" in run.stderr


def test_search_and_capabilities_list_what_the_contract_has(folder: Path) -> None:
    hits = json.loads(service_nb_command(folder, "search", "net", "present", "value", "--json").stdout)
    assert hits[0]["name"] == "finance.npv"
    assert service_nb_command(folder, "search", "zzzzqqqq").returncode == 1
    fields = json.loads(service_nb_command(folder, "capabilities", "--json").stdout)
    assert {"finance", "stats", "option_pricing"} <= fields.keys()
    assert "finance.npv" in service_nb_command(folder, "capabilities", "finance").stdout
    assert "cashflows" in service_nb_command(folder, "capabilities", "finance.npv").stdout
    assert service_nb_command(folder, "capabilities", "finanse").returncode == 1
