"""Whose word on who asks is taken: a trusted proxy's, and nobody else's."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.deployment.stand import Stand, made, standing

HERE, ELSEWHERE = "127.0.0.1", "192.0.2.7"
Standing = Callable[..., Any]


@pytest.fixture
def behind(tmp_path: Path) -> Standing:
    """Serve a deployment that slows strangers down after a few attempts, behind the proxies that are named."""
    return lambda *trusted: standing(made(tmp_path, attempts_per_s=0.01), trusted=trusted)


def statuses(stand: Stand, forwarded: list[str]) -> list[int]:
    """Come as a stranger, each time as if for another client."""
    with stand.client(None) as stranger:
        return [
            stranger.get("/v1/sources", headers={b"X-Forwarded-For": each.encode()}).status_code for each in forwarded
        ]


def test_clients_of_a_trusted_proxy_are_slowed_down_each_by_itself(behind: Standing) -> None:
    with behind(HERE) as stand:
        assert statuses(stand, [f"192.0.2.{number}" for number in range(8)]) == [401] * 8
        assert statuses(stand, [ELSEWHERE] * 8)[-1] == 429
        assert statuses(stand, ["192.0.2.99"]) == [401]


def test_a_network_of_proxies_is_trusted(behind: Standing) -> None:
    with behind("127.0.0.0/8") as stand:
        assert statuses(stand, [f"192.0.2.{number}" for number in range(8)]) == [401] * 8


@pytest.mark.parametrize("trusted", [(), ("10.0.0.0/8",)])
def test_nobody_else_passes_for_another(behind: Standing, trusted: tuple[str, ...]) -> None:
    with behind(*trusted) as stand:
        assert statuses(stand, [f"192.0.2.{number}" for number in range(8)])[-1] == 429


def test_what_a_client_tells_its_proxy_is_not_believed(behind: Standing) -> None:
    with behind(HERE) as stand:
        invented = [f"198.51.100.{number}, {ELSEWHERE}" for number in range(8)]  # the proxy adds whom it sees
        assert statuses(stand, invented)[-1] == 429


def test_device_codes_are_counted_by_the_address_that_a_trusted_proxy_tells(tmp_path: Path) -> None:
    deployment = made(tmp_path, codes_per_minute=3)
    with standing(deployment, trusted=(HERE,)) as stand, stand.client(None) as stranger:

        def ask(address: str) -> int:
            told = {"client_id": "a laptop"}
            return stranger.post("/v1/device/code", json=told, headers={"X-Forwarded-For": address}).status_code

        assert [ask(ELSEWHERE) for _ in range(4)] == [200, 200, 200, 429]
        assert ask("192.0.2.99") == 200
        network = [ask(f"2001:db8:0:1::{number}") for number in range(4)]
        assert network == [200, 200, 200, 429]
        assert {each["address"] for each in stand.deployment.enrolment.list_waiting()} >= {
            ELSEWHERE,
            "2001:db8:0:1::/64",
        }


def test_a_name_that_is_no_address_breaks_nothing(behind: Standing) -> None:
    with behind(HERE) as stand:
        assert set(statuses(stand, ["", ",", "x" * 2_000, "[::1", "ünicode", "127.0.0.1:99999"])) <= {401, 429}


def test_the_log_has_the_client_that_the_proxy_names(behind: Standing, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "service_nb.access"), behind(HERE) as stand:
        statuses(stand, [ELSEWHERE])
    assert any(ELSEWHERE in record.getMessage() for record in caplog.records)


def test_encryption_is_what_a_trusted_proxy_says_it_is(behind: Standing) -> None:
    def strict(stand: Stand) -> bool:
        with stand.client(None) as stranger:
            answer = stranger.get("/healthz", headers={"X-Forwarded-Proto": "https"})
        return "strict-transport-security" in answer.headers

    with behind(HERE) as stand:
        assert strict(stand)
    with behind() as stand:
        assert not strict(stand)
