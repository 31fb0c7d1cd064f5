"""A question that names what nothing here has: it waits little for a silent deployment, and hears what is alike."""

from __future__ import annotations

import re
import socket
import threading
from pathlib import Path

import pytest

import service_nb
from service_nb.client.live_sources import NAMED_S
from service_nb.client.service import Service
from service_nb.deployment import waiting
from service_nb.errors import DeploymentUnavailableError, ServiceError, SourceNotFoundError
from tests.deployment.clients.backed import Backed
from tests.deployment.clients.conftest import POSTGRES, MakeClient
from tests.servers.hostile import refusing, silent, speaking

ORDER = [{"amount": 1, "city": "a"}]


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short one: what is tried is that it is kept."""
    monkeypatch.setattr("service_nb.client.live_sources.NAMED_S", 0.3)


def client(port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Service:
    monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("SERVICE_API_KEY", "snb_" + "0" * 43)
    return service_nb.create_service(project=tmp_path, ledger="off")


def unanswered(service: Service, question: str) -> ServiceError:
    with pytest.raises(DeploymentUnavailableError) as caught:
        service.ask(question)
    return caught.value


class Heard:
    """A deployment that takes everything and says nothing; `heads` has what it was asked."""

    def __init__(self) -> None:
        self.heads: list[bytes] = []

    def __call__(self, peer: socket.socket) -> None:
        self.heads.append(peer.recv(65_536))
        silent(peer)


def test_no_question_waits_long_for_a_deployment_that_is_silent() -> None:
    assert NAMED_S <= 5.0
    assert waiting.SILENT_S >= NAMED_S


@pytest.mark.usefixtures("patience")
def test_a_silent_deployment_is_asked_once_and_then_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "SILENT_S", 3_600.0)
    heard = Heard()
    with speaking(heard) as port:
        service = client(port, tmp_path, monkeypatch)
        service.connect(ORDER, name="here")
        first = unanswered(service, "sum amount from orders")
        assert (first.details["reason"], first.details["met"], first.retryable) == ("timed_out", "orders", True)
        for name in ("orders", "others", "orders"):  # whatever is named
            again = unanswered(service, f"sum amount from {name}")
            assert (again.details["reason"], again.details["met"], again.retryable) == ("timed_out", name, True)
        assert service.ask("sum amount from here")["status"] == "ok"
        service.close()
    assert len(heard.heads) <= 1  # none, where the machine is too slow to have said anything by then
    limits = re.findall(rb"(?i)x-service-timeout: ([0-9.]+)", b"".join(heard.heads))
    assert all(float(limit) <= 5.0 for limit in limits)


@pytest.mark.usefixtures("patience")
def test_a_deployment_whose_name_is_not_found_for_long_keeps_no_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()

    def slow(*_: object, **__: object) -> object:
        ended.wait(120)
        raise OSError

    service = client(1, tmp_path, monkeypatch)
    monkeypatch.setattr(socket, "getaddrinfo", slow)  # a resolver that nobody answers
    try:
        assert unanswered(service, "count from orders").details["reason"] == "timed_out"
    finally:
        ended.set()
        service.close()


def test_one_that_refuses_is_asked_again_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service_nb.deployment.http.MOST_TRIES", 1)
    with refusing() as port:
        service = client(port, tmp_path, monkeypatch)
        for _ in range(2):
            assert unanswered(service, "count from orders").details["reason"] == "unreachable"
        service.close()


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def two(make_client: MakeClient) -> tuple[Service, Service]:
    """Somebody who has connected a source at the deployment, and somebody who has not."""
    first = make_client(ledger="off")
    first.connect(connector=POSTGRES, name="sales_2024")
    return first, make_client(ledger="off")


def test_a_name_that_is_like_one_of_the_deployments_is_told_and_not_taken(two: tuple[Service, Service]) -> None:
    _, other = two
    outcome = other.ask("count from sales_2042")
    assert (outcome["status"], outcome["resolution"]["rejection_reason"]) == ("rejected", "unknown_source")
    assert outcome["similar_sources"] == ["sales_2024"]
    assert any("sales_2024" in line for line in outcome.explain())
    assert outcome["resolution"]["did_you_mean"] == []  # which is hashed, and a replay knows no deployment
    assert other.sources() == []
    assert "similar_sources" not in other.ask("count from zzz")
    narrow = other.narrow({"allowed_sources": ["sales_2042"]})
    assert "sales_2024" not in str(dict(narrow.ask("count from sales_2042")))


def test_to_connect_a_name_that_is_like_another_says_which(
    two: tuple[Service, Service], make_client: MakeClient
) -> None:
    _, other = two
    with pytest.raises(SourceNotFoundError) as caught:
        other.connect(name="sale_2024")
    assert caught.value.details["did_you_mean"] == ["sales_2024"]
    with pytest.raises(SourceNotFoundError) as caught:
        make_client(policy={"allowed_sources": ["sale_2024"]}, ledger="off").connect(name="sale_2024")
    assert "sales_2024" not in str(caught.value.to_dict())


def test_a_name_that_nobody_had_is_looked_for_again(two: tuple[Service, Service], tables: Backed) -> None:
    first, other = two
    assert other.ask("count from later")["status"] == "rejected"
    first.connect(connector=POSTGRES, name="later")
    assert other.ask("count from later")["status"] == "ok"
    assert tables.recorded()
