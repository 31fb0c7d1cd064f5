"""What the tests of a client share: a deployment over tables, and clients of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import pytest

import service_nb
from service_nb.client.service import Service
from tests.deployment.clients.backed import Backed, backing
from tests.deployment.stand import Stand

POSTGRES = {"type": "postgres", "host": "db", "table": "sales"}


class MakeClient(Protocol):
    """Makes clients, which are closed after the test."""

    def __call__(self, url: str | None = None, **options: Any) -> Service: ...


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Stand, Backed]]:
    with backing(tmp_path / "served") as both:
        yield both


@pytest.fixture
def tables(served: tuple[Stand, Backed]) -> Backed:
    return served[1]


@pytest.fixture
def make_client(served: tuple[Stand, Backed], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeClient]:
    with ExitStack() as stack:

        def make(url: str | None = None, *, key: str | None = "", **options: Any) -> Service:
            monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", url or served[0].url)
            if key is None:
                monkeypatch.delenv("SERVICE_API_KEY", raising=False)
            else:
                monkeypatch.setenv("SERVICE_API_KEY", key or served[1].key)
            (tmp_path / "project").mkdir(exist_ok=True)
            given: dict[str, Any] = {"project": tmp_path / "project", "timeout": 30.0}
            client = service_nb.create_service(**given | options)
            stack.callback(client.close)
            return client

        yield make


@pytest.fixture
def client(make_client: MakeClient, tmp_path: Path) -> Service:
    return make_client(ledger=tmp_path / "ledger")


@pytest.fixture
def sales(client: Service) -> Service:
    """A client with the live source `sales`."""
    client.connect(connector=POSTGRES, name="sales")
    return client
