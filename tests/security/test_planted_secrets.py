"""Secrets that lie about where results are made: in no card, entry, export, error or report is there a byte of them."""

from __future__ import annotations

import base64
import gzip
import json
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import service_nb
from service_nb.cli.main import main
from service_nb.errors import ServiceError

ENVIRONMENT = {
    "AWS_SECRET_ACCESS_KEY": "cnr01wJalrXUtnFEMI",
    "DATABASE_URL": "postgres://cnr02user:cnr03password@cnr04host/cnr05database",
    "SERVICE_API_KEY": "cnr06bearer",
    "PGPASSWORD": "cnr07pgpassword",
    "HF_TOKEN": "cnr08token",
    "SMTP_PASSWORD": "cnr09smtp",
    "JUPYTER_TOKEN": "cnr10jupyter",
    "USER": "cnr11user",
    "LOGNAME": "cnr12login",
    "HOSTNAME": "cnr13machine",
    "SSH_AUTH_SOCK": "/tmp/cnr14agent",
}
DESCRIPTORS: tuple[dict[str, Any], ...] = (
    {"type": "postgres", "host": "cnr15host", "user": "cnr16user", "password": "cnr17password", "database": "cnr18db"},
    {"type": "snowflake", "connection_string": "snowflake://cnr19user:cnr20password@cnr21account/db"},
    {"type": "rest", "host": "https://cnr22key@api.invalid", "password": "cnr23password"},
    {"type": "redis", "connection_string": "rediss://:cnr24password@cnr25cache:6379/0"},
)
FOLDERS = ("cnr26home", "cnr27client", "cnr28merger", "cnr29case", "cnr30kernel")
DENIED = {"cnr31salary": "cnr32value", "cnr33iban": "cnr34DE0012345678", "cnr35note": "cnr36diagnosis"}
HOME = "cnr37service"
SHEET_FOLDER, SQLITE_FOLDER, MISSING = "cnr38sheet", "cnr39sqlite", "cnr40missing"
SECRETS = [f"cnr{number:02}" for number in range(1, 41)]
FORMATS = ("ro-crate", "prov-json", "in-toto", "openlineage", "csv", "xlsx", "card")


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project below folders that nobody shall hear of, in an environment that nobody shall hear of."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / HOME))
    project = tmp_path.joinpath(*FOLDERS)
    project.mkdir(parents=True)
    monkeypatch.chdir(project)
    monkeypatch.setenv("SERVICE_LEDGER", str(project / ".service"))
    return project


def sources(project: Path) -> Iterator[tuple[str, Any]]:
    """Every kind of source that is a file, in places that are secret."""
    rows = [{"region": region, "revenue": revenue, **DENIED} for region, revenue in (("north", 1.5), ("south", 2.5))]
    outside = project.parents[2]
    (outside / SHEET_FOLDER).mkdir()
    (outside / SQLITE_FOLDER).mkdir()
    (outside / SHEET_FOLDER / "budget.csv").write_text("region,revenue\nnorth,1.5\nsouth,2.5\n", encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(rows), outside / "sales.parquet")
    with sqlite3.connect(outside / SQLITE_FOLDER / "shop.sqlite") as database:
        database.execute("CREATE TABLE orders (region TEXT, revenue REAL)")
        database.executemany("INSERT INTO orders VALUES (?, ?)", [("north", 1.5), ("south", 2.5)])
    database.close()
    yield "budget", outside / SHEET_FOLDER / "budget.csv"
    yield "sales", outside / "sales.parquet"
    yield "orders", {"provider": "sqlite", "path": str(outside / SQLITE_FOLDER / "shop.sqlite"), "table": "orders"}
    yield "frame", pa.Table.from_pylist(rows)


def outcomes(service: service_nb.Service, project: Path) -> Iterator[Any]:
    """Answers, refusals and computations, from every source; and calls that end in errors."""
    for name, origin in sources(project):
        service.connect(origin, name=name)
        yield service.ask(f"sum revenue by region from {name}")
        yield service.ask(f"sum nothing from {name}")
        yield service.compute(f"stats.median values={name}.revenue")
    for column in DENIED:
        yield service.ask({"metric": "revenue", "aggregation": "sum", "source_name": "sales"})
        yield service.ask(f"count by {column[5:]} from sales")


def faults(service: service_nb.Service, project: Path) -> Iterator[Callable[[], Any]]:
    for descriptor in DESCRIPTORS:
        yield lambda descriptor=descriptor: service.connect(None, name="live", connector=descriptor)
    yield lambda: service.connect(project.parent / MISSING / "gone.csv")
    yield lambda: service.compute("finance.npv rate=-2 cashflows=[1]")
    yield lambda: service.ask("sum ((")
    yield lambda: service.get_result("query_0000000000000000")


def notebook(cards: list[Any]) -> Any:
    cells = [
        nbformat.v4.new_code_cell("", outputs=[nbformat.v4.new_output("display_data", bundle)]) for bundle in cards
    ]
    return nbformat.v4.new_notebook(cells=cells)


def written(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every byte below a folder: as it stands, and what containers hold."""
    for path in sorted(folder.rglob("*")):
        yield "a name", path.name.encode()
        if path.is_file():
            content = path.read_bytes()
            yield path.name, content
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    yield from ((f"{path.name}/{name}", archive.read(name)) for name in archive.namelist())


def unpacked(content: bytes) -> Iterator[bytes]:
    """The bytes, and what stands in them as base64: payloads of receipts do."""
    yield content
    for word in content.replace(b'"', b" ").replace(b"\\n", b" ").split():
        if len(word) > 40:
            try:
                yield base64.b64decode(word, validate=True)
            except ValueError:
                continue


def found_in(artefacts: list[tuple[str, bytes]]) -> list[tuple[str, str]]:
    return [
        (name, secret)
        for name, content in artefacts
        for text in unpacked(content)
        for secret in SECRETS
        if secret.encode() in text
    ]


@pytest.mark.filterwarnings("ignore:The policy lists fields of")  # of sources that are connected after others are asked
def test_no_planted_secret_is_in_any_artefact(
    planted: Path, capfd: pytest.CaptureFixture[str], record_property: Any
) -> None:
    policy = {"allowed_fields": {"sales": ["region", "revenue"], "frame": ["region", "revenue"]}}
    service = service_nb.create_service(policy=policy, runtime="in_process")
    artefacts: list[tuple[str, bytes]] = []
    bundles = []
    for outcome in outcomes(service, planted):
        bundles.append(outcome._repr_mimebundle_()[0])
        artefacts.append(("card", json.dumps([outcome, outcome.card, bundles[-1]], default=str).encode()))
        artefacts.append(("replay", json.dumps(outcome.replay(), default=str).encode()))
    for fault in faults(service, planted):
        with pytest.raises(ServiceError) as caught:
            fault()
        error = caught.value
        artefacts.append(("error", json.dumps([error.to_dict(), str(error), error.card], default=str).encode()))
    artefacts.append(("log", json.dumps(service.log(100)).encode()))
    service.close()

    out = planted.parents[len(FOLDERS)] / "out"
    out.mkdir()
    nbformat.write(notebook(bundles), out / "made.ipynb")
    for ending in ("html", "xml"):
        option = "--report" if ending == "html" else "--junit"
        main(["verify", str(out / "made.ipynb"), option, str(out / f"verified.{ending}")])
    main(["verify", ".service", "--json"])
    for ending in ("html", "json", "txt"):
        main(["replay", str(out / "made.ipynb"), "--in-process", "--report", str(out / f"replayed.{ending}")])
    main(["seal", str(out / "made.ipynb")])
    main(["strip", str(out / "made.ipynb"), "--output", str(out / "stripped.ipynb")])
    for form in FORMATS:
        main(["export", str(out / "made.ipynb"), "--card", "1", "--format", form, "--output", str(out / f"as-{form}")])
    main(["export", "--format", "ledger", "--output", str(out / "ledger.json")])
    main(["log"])
    for line in service_nb.create_service(runtime="in_process").log(100):
        main(["show", line["id"]])
    artefacts += written(out)
    artefacts += [(name, content) for name, content in written(planted / ".service") if name != "ledger.sqlite-shm"]
    printed = capfd.readouterr()
    artefacts.append(("printed", (printed.out + printed.err).encode()))

    record_property("bad_inputs", len(SECRETS))
    assert len(artefacts) > 60
    assert {path.name for path in out.iterdir()} >= {f"as-{form}" for form in FORMATS} | {
        "verified.html",
        "stripped.ipynb",
    }
    assert found_in(artefacts) == []


def test_the_search_finds_what_is_hidden_as_receipts_hide_it() -> None:
    payload = base64.b64encode(json.dumps({"path": f"/home/{SECRETS[0]}"}).encode() * 3)
    assert found_in([("receipt", b'{"payload": "' + payload + b'"}')]) != []
    assert found_in([("zipped", gzip.compress(b"x") + zlib.compress(b"y"))]) == []
