"""A request within a request: what a proxy in front of the deployment may have taken for a body is none to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.deployment.raw import raw, request
from tests.deployment.stand import key, made, standing

INNER = request("GET", "/healthz")


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_with_two_lengths_is_refused_and_what_follows_is_not_read(tmp_path: Path, method: str) -> None:
    with standing(made(tmp_path)) as one, raw(one) as connection:
        headers = (
            f"Authorization: Bearer {key(one.deployment, 'one')}",
            "Content-Type: application/json",
            f"Content-Length: {5 + len(INNER)}",
            "Transfer-Encoding: chunked",
        )
        connection.send(request(method, "/v1/sources", *headers) + b"0\r\n\r\n" + INNER)
        answer = connection.answer()
        assert (answer.status, answer.code) == (400, "invalid_intent")
        assert answer.headers["connection"] == "close"
        assert connection.is_closed()
