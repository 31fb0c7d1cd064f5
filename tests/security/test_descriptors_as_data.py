"""A descriptor that is given as data is refused before anything of it is kept: its password is found nowhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.connectors import catalog
from service_nb.errors import ServiceError, UnsupportedSourceError
from service_nb.readers.descriptor import ALIASES, LIVE, LOCAL
from tests.surfaces.conftest import Session, bare_session, session

__all__ = ["bare_session", "session"]  # fixtures

SECRET = "hunter2-correct-horse"
POSTGRES = {"type": "postgres", "host": "db.example", "database": "shop", "user": "ann", "password": SECRET}
UNTYPED = {"host": "db.example", "user": "ann", "password": SECRET}
URL = f"postgresql://ann:{SECRET}@db.example/shop"

# What somebody may pass who means a connector: mappings, and lists of one.
MEANT: dict[str, Any] = {
    "descriptor": POSTGRES,
    "with a table": POSTGRES | {"table": "orders"},
    "alias": POSTGRES | {"type": "postgresql"},
    "other case": POSTGRES | {"type": "Postgres"},
    "no secret": {"type": "s3", "database": "bucket", "table": "orders.csv"},
    "a reference": POSTGRES | {"password": "env:PASSWORD"},
    "of a file": {"type": "file", "path": "sales.csv"},
    "of SQLite": {"type": "sqlite", "path": "shop.db", "table": "orders"},
    "a provider": {"provider": "postgres", "host": "db.example", "password": SECRET},
    "a provider of no type": {"provider": "nonesuch", "user": "ann", "password": SECRET},
    "under connector": {"connector": POSTGRES},
    "under a name": {"shop": POSTGRES},
    "a list of connectors": {"connectors": [POSTGRES]},
    "deep": {"production": {"database": {"primary": UNTYPED}}},
    "without a type": UNTYPED,
    "secret below": {"host": "db.example", "auth": {"password": SECRET}},
    "a connection string": {"connection_string": URL},
    "an address": {"name": "shop", "where": URL},
    "a token": {"url": "https://api.example/v1", "token": SECRET},
    "camel case": {"accountName": "shop", "accountKey": SECRET},
    "a list of one": [POSTGRES],
    "records of one": {"records": [POSTGRES]},
    "records of one below": {"records": [{"connector": POSTGRES}]},
    "JSON in a text": [{"config": json.dumps(POSTGRES)}],
    "two of them": [POSTGRES, POSTGRES | {"type": "mysql", "host": "other.example"}],
    "a tuple": (POSTGRES,),
}
STRINGS = [
    URL,
    f"postgres://ann:{SECRET}@db.example/shop.csv",
    f"jdbc:postgresql://db.example/shop?user=ann&password={SECRET}",
    f"mysql+pymysql://ann:{SECRET}@db.example/shop",
    f"mongodb+srv://ann:{SECRET}@cluster.example/shop",
    f"redis://:{SECRET}@cache.example:6379/0",
    f"s3://{SECRET}:{SECRET}@bucket/orders.csv",
    f"https://ann:{SECRET}@api.example/orders.csv",
    f"https://api.example/orders.csv?token={SECRET}",
    f"host=db.example user=ann password={SECRET} dbname=shop",
    f"Server=db.example;Database=shop;Uid=ann;Pwd={SECRET};",
    f"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={SECRET};EndpointSuffix=core.windows.net",
    f"ann/{SECRET}@db.example:1521/shop",
    f"ann/{SECRET}@db",
]
DATA: list[Any] = [
    {"region": "north", "revenue": 1.5},
    {"type": "rest", "minutes": 5},
    {"type": "savings", "user": "ann", "balance": 3},
    {"user": "ann", "tokens": 512},
    {"user": "ann", "token": 512},
    {"region": "north", "secret": "x"},
    {"project": "apollo", "account": "7", "token": "t"},
    {"host": "db.example", "port": 5432, "load": 0.5},
    {"password": "x"},
    {"url": "https://example.org/a:b@c", "clicks": 3},
    {"note": "host=db password=x"},
    [{"user": "ann", "password": "a1"}, {"user": "bo", "password": "b2"}],
    [{"type": "mysql", "host": "a"}, {"type": "postgres", "host": "b"}],
    {"type": ["postgres"], "host": ["db.example"], "password": ["given as columns"]},
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.chdir(tmp_path)
    made = service_nb.create_service(project=tmp_path, ledger=tmp_path / ".service")
    yield made
    made.close()


def kept(folder: Path, *given: Path) -> list[str]:
    """The files below a folder, beside those that were given, that hold the secret."""
    files = [path for path in folder.rglob("*") if path.is_file() and path not in given]
    return [str(path) for path in files if SECRET.encode() in path.read_bytes()]


def refused(here: Service, source: Any, **options: Any) -> UnsupportedSourceError:
    """Connect what is to be refused, and ask a question all the same, whose refusal is recorded."""
    with pytest.raises(UnsupportedSourceError) as caught:
        here.connect(source, name="shop", **options)
    assert here.sources() == []
    here.ask("count from shop")
    told = json.dumps([caught.value.to_dict(), here.log()], default=str)
    assert SECRET not in told + str(caught.value) + str(caught.value.hint)
    return caught.value


# --- in memory --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("persist", [False, True])
@pytest.mark.parametrize("given", MEANT.values(), ids=MEANT)
def test_what_is_meant_as_a_connector_is_refused_and_kept_nowhere(
    here: Service, tmp_path: Path, given: Any, *, persist: bool
) -> None:
    error = refused(here, given, persist=persist)
    assert "connector=" in str(error.hint)
    assert error.code == "unsupported_source"
    assert kept(tmp_path) == []
    assert not (tmp_path / "service.toml").exists()


@pytest.mark.parametrize("type_", [*LOCAL, *LIVE, *ALIASES])
def test_a_descriptor_of_every_type_and_alias_is_refused_by_each_of_its_keys(here: Service, type_: str) -> None:
    kind = ALIASES.get(type_, type_)
    described = catalog.find_connector(kind).kind if kind in LIVE else None
    keys = ("path",) if described is None else (*described.keys, *described.options)
    for key in keys:
        with pytest.raises(UnsupportedSourceError) as caught:
            here.connect({"type": type_, key: "x"}, name="shop")
        assert f'"type": "{kind}"' in str(caught.value.hint), key
    with pytest.raises(UnsupportedSourceError):
        here.connect({"type": type_}, name="shop")


@pytest.mark.parametrize("given", DATA, ids=[json.dumps(each)[:40] for each in DATA])
def test_what_is_data_is_connected(here: Service, given: Any) -> None:
    assert here.connect(given, name="data")["status"] == "ready"


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist])
@pytest.mark.parametrize("given", [POSTGRES, UNTYPED, {"config": json.dumps(POSTGRES)}], ids=["a", "b", "c"])
def test_a_frame_of_one_such_row_is_refused(here: Service, tmp_path: Path, make: Any, given: Any) -> None:
    refused(here, make([given]))
    assert kept(tmp_path) == []


def test_a_frame_of_many_users_is_data(here: Service) -> None:
    frame = pd.DataFrame({"user": ["ann", "bo"], "password": ["a1", "b2"]})
    assert here.connect(frame, name="users")["row_count"] == 2


# --- files ------------------------------------------------------------------------------------------------------------


def written(folder: Path, form: str, row: dict[str, str]) -> Path:
    path = folder / f"shop.{form}"
    match form:
        case "json":
            path.write_text(json.dumps(row))
        case "ndjson":
            path.write_text(json.dumps(row) + "\n")
        case "toml":
            path.write_text("".join(f'{key} = "{value}"\n' for key, value in row.items()))
        case "csv":
            path.write_text(f"{','.join(row)}\n{','.join(row.values())}\n")
        case "parquet":
            pq.write_table(pa.Table.from_pylist([row]), path)
        case "xlsx":
            book = openpyxl.Workbook()
            sheet: Any = book.active
            sheet.append(list(row))
            sheet.append(list(row.values()))
            book.save(path)
    return path


@pytest.mark.parametrize("row", [POSTGRES, UNTYPED], ids=["typed", "untyped"])
@pytest.mark.parametrize("form", ["json", "ndjson", "toml", "csv", "parquet", "xlsx"])
def test_a_file_that_holds_a_descriptor_is_refused(here: Service, tmp_path: Path, form: str, row: Any) -> None:
    path = written(tmp_path, form, row)
    error = refused(here, path, persist=True)
    assert "connector=" in str(error.hint)
    assert kept(tmp_path, path) == []


@pytest.mark.parametrize(
    "document",
    [
        [POSTGRES],
        {"connector": POSTGRES},
        {"records": [POSTGRES]},
        {"production": {"db": UNTYPED}},
        {"all": [POSTGRES]},
    ],
)
def test_a_json_file_that_holds_one_below_is_refused(here: Service, tmp_path: Path, document: Any) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(document))
    refused(here, str(path), persist=True)
    assert kept(tmp_path, path) == []


# --- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [str, Path])
@pytest.mark.parametrize("text", STRINGS)
def test_a_connection_string_as_a_path_is_refused_without_a_word_of_it(
    here: Service, tmp_path: Path, text: str, make: Any
) -> None:
    refused(here, make(text), persist=True)
    assert kept(tmp_path) == []


@pytest.mark.parametrize("path", ["data/report@2024.csv", "c:/data/sales.csv", "a=b.csv", "key=1/x.parquet"])
def test_an_odd_path_is_a_path(here: Service, path: str) -> None:
    with pytest.raises(ServiceError) as caught:
        here.connect(path, name="data")
    assert caught.value.code == "source_not_found"


# --- other ways in ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entry",
    [
        f'type = "postgres"\nhost = "db.example"\npassword = "{SECRET}"',
        f'provider = "postgres"\npath = "db.example"\npassword = "{SECRET}"',
        f'path = "{URL}"',
    ],
    ids=["type", "provider", "address"],
)
def test_service_toml_holds_no_descriptor(here: Service, tmp_path: Path, entry: str) -> None:
    (tmp_path / "service.toml").write_text(f"[sources.shop]\n{entry}\n")
    with pytest.raises(UnsupportedSourceError) as caught:
        here.connect(name="shop")
    assert SECRET not in json.dumps(caught.value.to_dict())
    here.ask("count from shop")
    assert kept(tmp_path, tmp_path / "service.toml") == []


def test_a_replay_takes_no_descriptor_for_a_source(here: Service, tmp_path: Path) -> None:
    here.connect([{"a": 1}, {"a": 2}], name="shop")
    card = here.ask("sum a from shop").card
    replay = here.replay(card, sources={"shop": POSTGRES})
    assert replay["status"] == "refused"
    assert SECRET not in json.dumps(replay)
    assert kept(tmp_path) == []


@pytest.mark.parametrize("given", [POSTGRES, {"connector": POSTGRES}, [POSTGRES]], ids=["dict", "nested", "list"])
def test_the_magic_keeps_nothing_of_it(session: Session, tmp_path: Path, given: Any) -> None:
    session.shell.user_ns["given"] = given
    error = session.error("%service_connect shop $given")
    assert isinstance(error, ServiceError)  # of a descriptor that it takes as one: that there is no deployment
    assert error.code in ("unsupported_source", "deployment_required")
    session.run("%service_ask count from shop")
    assert SECRET not in str(error.to_dict())
    assert kept(tmp_path) == []


@pytest.mark.parametrize("text", STRINGS[:2] + STRINGS[-2:])
def test_the_magic_keeps_nothing_of_a_connection_string(session: Session, tmp_path: Path, text: str) -> None:
    error = session.error(f"%service_connect shop '{text}'")
    assert isinstance(error, UnsupportedSourceError)
    session.run("%service_ask count from shop")
    assert SECRET not in str(error.to_dict())
    assert kept(tmp_path) == []


@pytest.mark.parametrize("form", ["json", "toml"])
def test_the_command_keeps_nothing_of_it(tmp_path: Path, form: str) -> None:
    path = written(tmp_path, form, POSTGRES)
    main = "import sys; from service_nb.cli.main import main; sys.exit(main(sys.argv[1:]))"
    for file in (path.name, URL):
        done = subprocess.run(
            [sys.executable, "-c", main, "ask", file, "count"],
            cwd=tmp_path,
            env={**os.environ, "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert "unsupported_source" in done.stdout + done.stderr
        assert SECRET not in done.stdout + done.stderr
    assert kept(tmp_path, path) == []
