"""Sources of a deployment where people meet them, connected or not: cells, Tab, the sidebar, the command line."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service_nb import notebook
from service_nb.cli.main import main
from service_nb.client.service import Service
from service_nb.errors import InvalidIntentError, SourceNotFoundError
from service_nb.notebook.link import answer_message
from tests.deployment.clients.test_client_upkeep import Make, client, database, make, stand
from tests.deployment.stand import Stand
from tests.servers.fixtures import PostgresDatabase
from tests.surfaces.conftest import Session, bare_session

__all__ = ["bare_session", "client", "database", "make", "stand"]  # fixtures

pytestmark = pytest.mark.filterwarnings("ignore::IPython.core.completer.ProvisionalCompleterWarning")


@pytest.fixture
def later(client: Service, make: Make) -> Service:
    """A client of a later session: `orders` is at the deployment, known to be there, and not connected."""
    assert client.sources()
    service = make()
    assert "orders" in service.live_sources()  # so that nothing here depends on how fast it is listed
    return service


@pytest.fixture
def session(bare_session: Session, later: Service) -> Iterator[Session]:
    bare_session.run("%load_ext service_nb")
    notebook.use(later)
    yield bare_session
    bare_session.run("%unload_ext service_nb")


def text_of(shown: Any) -> str:
    return str(shown._repr_mimebundle_()[0]["text/plain"])


# --- cells ------------------------------------------------------------------------------------------------------------


def test_a_list_of_sources_names_those_that_are_not_connected(session: Session, later: Service) -> None:
    listed: Any = session.run("%service_sources")
    assert listed == []
    assert "orders" in [offer.name for offer in listed.unconnected.sources]
    assert "not connected" in text_of(listed)
    error = session.error("%service_sources orders")
    assert isinstance(error, SourceNotFoundError)
    assert error.hint == "%service_connect orders connects it."
    assert session.run("%service_ask sum price by city from orders")["status"] == "ok"  # type: ignore[index]
    listed = session.run("%service_sources")
    assert [source["name"] for source in listed] == ["orders"]
    assert "orders" not in [offer.name for offer in listed.unconnected.sources]
    assert later.source("orders")["fields"] == ["city", "price"]


def test_a_cell_describes_anew_lets_go_and_forgets(
    session: Session, later: Service, database: PostgresDatabase
) -> None:
    session.run("%service_connect orders --persist")
    database.run("ALTER TABLE orders ADD COLUMN paid boolean")
    refreshed: Any = session.run("%service_refresh orders")
    assert refreshed["fields"] == ["city", "price", "paid"]
    gone: Any = session.run("%service_disconnect orders")
    assert gone == ["session"]
    assert "Disconnected: orders" in text_of(gone)
    assert session.run("%service_disconnect orders --persist") == ["session", "service.toml"]
    session.run("%service_connect orders")
    assert session.run("%service_forget orders") == ["session", "deployment"]
    assert "orders" not in later.live_sources()
    connector = later.create_connector(database.descriptor(), name="shop")["id"]
    assert session.run(f"%service_forget --connector {connector}") == ["deployment"]
    for line in ("%service_forget", f"%service_forget orders --connector {connector}", "%service_refresh a b"):
        assert isinstance(session.error(line), InvalidIntentError)


# --- Tab --------------------------------------------------------------------------------------------------------------


def test_what_is_not_connected_is_completed_with_its_columns(session: Session, later: Service) -> None:
    assert "orders" in session.complete("%service_connect or")
    assert "orders" in session.complete("%service_ask sum price from or")
    assert "price" in session.complete("%service_ask sum  from orders", len("%service_ask sum "))
    assert "orders.price" in session.complete("%service_compute stats.mean values=or")
    assert "orders" in session.complete("%service_refresh or")
    assert "orders" not in session.complete("%service_disconnect or")
    assert later.sources() == []  # to be offered connects nothing
    computed: Any = session.run("%service_compute stats.mean values=orders.price where city = 'a'")
    assert computed["function"] == "mean"
    later.disconnect("orders")
    narrow = later.narrow({"allowed_fields": {"orders": ["city"]}})
    notebook.use(narrow)
    assert "price" not in session.complete("%service_ask sum  from orders", len("%service_ask sum "))
    notebook.use(later.narrow({"allowed_sources": ["sales"]}))
    assert "orders" not in session.complete("%service_connect or")


def test_tab_waits_for_no_deployment_that_says_nothing(
    bare_session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare_session.run("%load_ext service_nb")
    (tmp_path / "service.toml").write_text('[sources.kept]\npath = "kept.csv"\n')
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setenv("SERVICE_API_KEY", "snb_" + "0" * 43)
        assert "kept" in bare_session.complete("%service_connect ke")
        for _ in range(3):
            assert "orders" not in bare_session.complete("%service_ask sum x from or")
        told = notebook.current().unconnected(wait=0.0)
        assert told.fault is not None  # nothing is known yet, which is not that there is nothing
        assert (told.fault.code, told.fault.retryable) == ("deployment_unavailable", True)
        notebook.current().close()
    bare_session.run("%unload_ext service_nb")


# --- the sidebar ------------------------------------------------------------------------------------------------------


def test_the_sidebar_hears_what_is_not_connected(later: Service, client: Service) -> None:
    def asked(service: Service) -> dict[str, Any]:
        told = answer_message({"service_nb": 1, "id": 1, "method": "sources", "params": {}}, service)
        return {each["name"]: each for each in told["result"]["sources"]}

    page = asked(later)["orders"]
    assert (page["connected"], page["provider"], page["row_count"]) == (False, "deployment", 3)
    assert [field["name"] for field in page["fields"]] == ["city", "price"]
    assert "connected" not in asked(client)["orders"]
    spec = {"aggregation": "count", "source_name": "orders"}
    told = answer_message({"service_nb": 1, "id": 2, "method": "check_ask", "params": {"spec": spec}}, later)
    assert told["result"]["status"] == "ok"
    assert "connected" not in asked(later)["orders"]


# --- the command line -------------------------------------------------------------------------------------------------


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_the_command_line_lists_refreshes_and_forgets(
    later: Service,
    database: PostgresDatabase,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    database.run("ALTER TABLE orders ADD COLUMN paid boolean")
    assert said(capsys, "ask", "orders", "count", code=1)["error"]["code"] == "source_changed"
    assert said(capsys, "refresh", "orders")["fields"] == ["city", "price", "paid"]
    assert said(capsys, "ask", "orders", "count")["status"] == "ok"
    assert "orders" in [source["name"] for source in said(capsys, "sources")["sources"]]
    assert said(capsys, "disconnect", "orders")["forgotten"] == ["service.toml"]
    assert said(capsys, "disconnect", "orders", code=1)["error"]["code"] == "source_not_found"
    assert said(capsys, "forget", "orders")["forgotten"] == ["deployment"]
    assert said(capsys, "forget", "orders", code=1)["error"]["code"] == "source_not_found"
    connector = later.create_connector(database.descriptor(), name="shop")["id"]
    assert [each["id"] for each in said(capsys, "sources", "--connectors")["connectors"]] == [connector]
    assert said(capsys, "forget", "--connector", connector)["forgotten"] == ["deployment"]
    assert main(["sources", "--connectors"]) == 0
    assert capsys.readouterr().out == "No connectors.\n"
    assert said(capsys, "forget", code=2)["error"]["code"] == "invalid_intent"


def test_files_are_listed_where_the_deployment_does_not_answer(
    stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("a\n1\n")
    (tmp_path / "service.toml").write_text('[sources.rows]\npath = "rows.csv"\n')
    monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", stand.url)
    monkeypatch.setenv("SERVICE_API_KEY", "snb_" + "0" * 43)
    told = said(capsys, "sources", code=1)
    assert [source["name"] for source in told["sources"]] == ["rows"]
    assert [error["code"] for error in told["errors"]] == ["unauthenticated"]
