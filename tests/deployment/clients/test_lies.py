"""A deployment that lies in many ways: each lie is refused, with the same code by both clients."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

from service_nb.client.service import Service
from service_nb.errors import ServiceError
from service_nb.schema.source import DEFAULT_LIMITS
from tests.deployment.clients.backed import Backed
from tests.deployment.clients.conftest import MakeClient
from tests.deployment.clients.lies import (
    ANSWERS,
    COMPUTE,
    ENDLESS,
    EXECUTE,
    SOURCE,
    SOURCES,
    VALUES,
    Lie,
    lying,
)
from tests.deployment.clients.second import describe_client, run_clients
from tests.deployment.stand import Stand

FEW = replace(DEFAULT_LIMITS, groups=1_000)
MEAN = {"module": "stats", "function": "mean", "args": [[1.0, 2.0]]}
QUESTION = "sum revenue by region from sales"


def ask_first(client: Service, path: str = EXECUTE) -> dict[str, Any]:
    """Return the error that Python's client ends in."""
    try:
        if path == COMPUTE:
            return {"ok": client.compute(MEAN)["value"]}
        client.connect(name="sales")
        return {"ok": client.ask(QUESTION)["data"]["result"]}
    except ServiceError as error:
        return error.to_dict()


def tell(answer: dict[str, Any]) -> tuple[Any, ...]:
    """Return what both clients tell alike of an error."""
    assert "ok" not in answer, answer
    assert "crash" not in answer, answer
    return answer["code"], answer["source"], answer["retryable"], answer["details"].get("reason")


def compare_clients(
    served: tuple[Stand, Backed], make_client: MakeClient, path: str, lies: dict[str, Lie], timeout: float
) -> dict[str, tuple[Any, ...]]:
    """Ask both clients through each lie; return what they tell alike."""
    stand, there = served
    make_client(ledger="off").connect(connector={"type": "postgres", "host": "db", "table": "sales"}, name="sales")
    with ExitStack() as stack:
        urls = {name: stack.enter_context(lying(stand.port, path, lie)) for name, lie in lies.items()}
        clients = [make_client(url, ledger="off", timeout=timeout, limits=FEW) for url in urls.values()]
        with ThreadPoolExecutor(8) as pool:
            first = list(pool.map(partial(ask_first, path=path), clients))
        asked = [["connect", None, {"name": "sales"}], ["ask", QUESTION]]
        steps = [["compute", MEAN]] if path == COMPUTE else asked
        options: dict[str, Any] = {"timeout": timeout, "limits": {"groups": FEW.groups}}
        second = run_clients(*(describe_client(url, there.key, steps, **options) for url in urls.values()))
    told = {}
    for name, one, other in zip(urls, first, second, strict=True):
        ended = next((each for each in other if "ok" not in each), other[-1])
        assert "ok" not in ended, name
        assert tell(ended) == tell(one), (name, ended, one)
        assert there.key not in json.dumps([other, one])
        told[name] = tell(one)
    return told


def test_every_lie_about_an_answer_is_refused_alike(served: tuple[Stand, Backed], make_client: MakeClient) -> None:
    told = compare_clients(served, make_client, EXECUTE, ANSWERS, timeout=1.5)
    codes = {code for code, *_ in told.values()}
    assert len(told) >= 30
    assert codes >= {"answer_mismatch", "deployment_unavailable", "limit_exceeded", "timeout", "unauthenticated"}


def test_every_lie_about_a_source_is_refused_alike(served: tuple[Stand, Backed], make_client: MakeClient) -> None:
    told = compare_clients(served, make_client, SOURCE, SOURCES, timeout=1.5)
    assert {code for code, *_ in told.values()} == {"answer_mismatch", "deployment_unavailable"}


def test_every_lie_about_a_value_is_refused_alike(served: tuple[Stand, Backed], make_client: MakeClient) -> None:
    told = compare_clients(served, make_client, COMPUTE, VALUES, timeout=1.5)
    assert {code for code, *_ in told.values()} == {"answer_mismatch", "deployment_unavailable"}


def test_an_answer_without_an_end_is_cut_off(served: tuple[Stand, Backed], make_client: MakeClient) -> None:
    told = compare_clients(served, make_client, EXECUTE, ENDLESS, timeout=60.0)
    assert {code for code, *_ in told.values()} == {"limit_exceeded"}


def test_a_proxy_that_does_not_lie_is_believed(served: tuple[Stand, Backed], make_client: MakeClient) -> None:
    stand, there = served
    make_client(ledger="off").connect(connector={"type": "postgres", "host": "db", "table": "sales"}, name="sales")
    with lying(stand.port, EXECUTE, lambda _: None) as url:
        first = ask_first(make_client(url, ledger="off"))
        ((_, second),) = run_clients(
            describe_client(url, there.key, [["connect", None, {"name": "sales"}], ["ask", QUESTION]])
        )
    assert second["ok"]["data"]["result"] == first["ok"]
