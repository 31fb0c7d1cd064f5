"""Live sources where people meet them: the command line, cells, completion, the sidebar's facts, and doctor."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service_nb import notebook
from service_nb.cli.main import main
from service_nb.client.health import check_deployment
from service_nb.client.service import Service
from service_nb.errors import (
    InvalidIntentError,
    LimitExceededError,
    SourceMalformedError,
    SourceNotFoundError,
    SourceUnreadableError,
)
from service_nb.notebook.extension import find_typed_secrets
from service_nb.notebook.link import describe_source
from service_nb.readers.descriptor import read_descriptor
from service_nb.runtimes.interface import map_packaged_contract
from tests.deployment.clients.backed import Backed
from tests.deployment.clients.conftest import MakeClient
from tests.surfaces.conftest import Session, bare_session  # noqa: F401  # a fixture

TOML = 'type = "postgres"\nhost = "db"\npassword = "env:SHOP"\n'


@pytest.fixture
def project(make_client: MakeClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder as the working folder, with the deployment in the environment and a descriptor beside."""
    make_client(ledger="off")
    monkeypatch.chdir(tmp_path / "project")
    (tmp_path / "project" / "shop.toml").write_text(TOML)
    return tmp_path / "project"


@pytest.fixture
def session(bare_session: Session, project: Path, client: Service) -> Iterator[Session]:  # noqa: F811
    assert project.is_dir()
    bare_session.run("%load_ext service_nb")
    notebook.use(client)
    yield bare_session
    bare_session.run("%unload_ext service_nb")


# --- the command line -------------------------------------------------------------------------------------------------


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_the_command_line_asks_a_connector_and_then_what_the_deployment_has(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert project.is_dir()
    first = said(capsys, "ask", "sales", "sum units by region", "--connector", "shop.toml", "--table", "sales")
    again = said(capsys, "ask", "sales", "sum units by region")
    assert first["data"]["result_hash"] == again["data"]["result_hash"]
    assert [source["name"] for source in said(capsys, "sources")["sources"]] == ["sales"]
    computed = said(capsys, "compute", "stats.median values=[3, 1, 2]")
    assert computed["value"] == 2.0


def test_the_command_line_fails_as_the_deployment_does(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert project.is_dir()
    arguments = ("ask", "sales", "count", "--connector", "shop.toml", "--table", "nowhere")
    assert said(capsys, *arguments, code=1)["error"]["code"] == "source_not_found"
    missing = said(capsys, "ask", "sales", "count", "--connector", "none.toml", code=1)
    assert missing["error"]["code"] == "source_not_found"


def test_doctor_looks_at_the_deployment(project: Path, tables: Backed, monkeypatch: pytest.MonkeyPatch) -> None:
    from service_nb.compute.contract import Contract

    assert project.is_dir()
    contract = Contract(map_packaged_contract()).hash
    found = {check.name: check for check in check_deployment(contract)}
    assert set(found) == {"deployment", "deployment: key", "deployment: release", "deployment: runtime"}
    assert all(check.ok and not check.warning for check in found.values())
    other = {check.name: check for check in check_deployment("sha256:" + "0" * 64)}
    assert not other["deployment: release"].ok
    monkeypatch.setenv("SERVICE_API_KEY", tables.key_of("query"))
    few = {check.name: check for check in check_deployment(contract)}
    assert few["deployment: key"].warning
    monkeypatch.delenv("SERVICE_DEPLOYMENT_URL")
    assert list(check_deployment(contract)) == []


# --- cells ------------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::IPython.core.completer.ProvisionalCompleterWarning")
def test_a_cell_connects_a_live_source_by_a_file_that_holds_no_secret(session: Session, client: Service) -> None:
    source: Any = session.run("%service_connect sales --connector shop.toml --table sales --persist")
    assert source["content"]["algorithm"] == "live"
    outcome: Any = session.run("%service_ask sum units by region from sales")
    assert outcome["status"] == "ok"
    assert describe_source(client.source("sales"))["provider"] == "live"
    assert "sales" in session.complete("%service_connect sa")


def test_a_cell_connects_what_the_deployment_has_and_a_descriptor_in_a_variable(
    session: Session, sales: Service, make_client: MakeClient
) -> None:
    assert sales.live_sources() == ["sales"]
    notebook.use(make_client(ledger="off"))
    assert session.run("%service_connect sales") is not None
    session.run('shop = {"type": "postgres", "host": "db", "password": "env:SHOP"}')
    notebook.use(make_client(ledger="off"))
    assert session.run("%service_connect sales $shop --table sales") is not None
    error = session.error("%service_connect sales $shop --connector shop.toml")
    assert isinstance(error, InvalidIntentError)


def test_a_password_that_is_typed_into_a_cell_is_warned_of(session: Session) -> None:
    cell = 'print; connect = dict; connect(x={"type": "postgres", "password": "typed", "host": "db"})'
    with pytest.warns(UserWarning, match="password"):
        session.run(cell)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session.run(cell.replace('"typed"', '"env:NAME"'))
        session.run(cell.replace('"typed"', "str(1)"))


@pytest.mark.parametrize(
    ("cell", "keys"),
    [
        ('s.connect(connector={"type": "mysql", "password": "x"})', ["password"]),
        ('s.test_connector({"type": "s3", "secret_access_key": "x", "bucket": "b"})', ["secret_access_key"]),
        ('%load_ext x\ns.connect(connector={"type": "mysql", "connection_string": "x"})', ["connection_string"]),
        ('s.connect(connector={"type": "mysql", "password": "keyring:a/b"})', []),
        ('s.connect([{"password": "x"}], name="people")', []),
        ("s.connect(", []),
        ("connect" + "(" * 5_000, []),
    ],
)
def test_only_secrets_of_descriptors_are_found_in_a_cell(cell: str, keys: list[str]) -> None:
    assert list(find_typed_secrets(cell)) == keys


# --- descriptors in files ---------------------------------------------------------------------------------------------


def test_a_descriptor_is_read_from_toml_and_from_json(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(TOML)
    (tmp_path / "a.json").write_text(json.dumps({"type": "postgres", "host": "db", "password": "env:SHOP"}))
    assert read_descriptor(tmp_path / "a.toml") == read_descriptor(str(tmp_path / "a.json"))
    assert read_descriptor({"type": "x"}) == {"type": "x"}
    assert read_descriptor(None) is None


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("a.toml", b'password = "canary', SourceMalformedError),
        ("a.json", b'{"password": "canary"', SourceMalformedError),
        ("a.json", b'{"password": "canary", "password": "x"}', SourceMalformedError),
        ("a.json", b'["canary"]', SourceMalformedError),
        ("a.toml", b'password = ["canary"]', SourceMalformedError),
        ("a.toml", b"\xff\xfe", SourceMalformedError),
        ("a.toml", b"#" * 200_000, LimitExceededError),
        ("a.ini", b"password = canary", InvalidIntentError),
    ],
)
def test_a_file_that_is_no_descriptor_is_refused_and_not_cited(
    tmp_path: Path, name: str, content: bytes, error: type[Exception]
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(error) as caught:
        read_descriptor(tmp_path / name)
    assert "canary" not in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFoundError):
        read_descriptor(tmp_path / "none.toml")
    with pytest.raises(SourceUnreadableError):
        read_descriptor(tmp_path)


def test_a_file_with_a_secret_that_others_may_read_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('type = "postgres"\npassword = "literal"\n')
    path.chmod(0o644)
    with pytest.warns(UserWarning, match="a.toml"):
        read_descriptor(path)
    path.chmod(0o600)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_descriptor(path)["password"] == "literal"
