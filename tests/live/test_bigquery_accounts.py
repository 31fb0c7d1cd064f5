"""Who asks BigQuery, and where: nothing of the deployment's own, and no server that a key names."""

from __future__ import annotations

import json
import time

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from service_nb.connectors import bigquery, catalog
from service_nb.errors import ConnectorError, InvalidIntentError
from service_nb.schema.connector import Descriptor


def described(**more: str) -> Descriptor:
    return catalog.parse_descriptor({"type": "bigquery", "project": "p", **more})


def soon() -> float:
    return time.monotonic() + 30


def test_the_deployments_own_account_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/etc/hostname")
    for more in ({}, {"endpoint": "https://elsewhere.example"}):
        with pytest.raises(InvalidIntentError) as caught:
            bigquery.open_link(described(**more), soon())
        assert caught.value.details["path"] == "connector.credentials"


@pytest.mark.parametrize(
    "endpoint", ["http://169.254.169.254", "http://elsewhere.example", "file:///etc/passwd", "elsewhere", "//x"]
)
def test_an_endpoint_without_encryption_is_on_this_machine(endpoint: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        bigquery.open_link(described(endpoint=endpoint), soon())
    assert caught.value.details["path"] == "connector.endpoint"


def test_of_a_key_only_what_signs_is_taken() -> None:
    pem = rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    key = {"type": "service_account", "client_email": "reader@p.example", "private_key": pem.decode()}
    hostile = {**key, "token_uri": "http://169.254.169.254/", "universe_domain": "elsewhere.example"}
    made = bigquery.build_credentials(described(credentials=json.dumps(hostile)), None)
    assert made._token_uri == bigquery.TOKENS  # where it would ask
    assert made.universe_domain == "googleapis.com"


@pytest.mark.parametrize("text", ['{"private_key": "-----BEGIN sesame"}', "[]", "sesame", "1", "[" * 5_000])
def test_a_key_that_is_none_is_refused_without_its_text(text: str) -> None:
    with pytest.raises(ConnectorError) as caught:
        bigquery.open_link(described(credentials=text), soon())
    assert caught.value.reason == "misconfigured"
    assert "sesame" not in str(caught.value.to_dict())
