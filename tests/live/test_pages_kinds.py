"""Each kind of source that is read in pages says what it takes, in code and in its page, and what it needs."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from service_nb.connectors import azure, catalog, elasticsearch, gcs, neo4j, redis, rest, s3
from service_nb.core.secret import Secret
from service_nb.errors import DriverMissingError, InvalidIntentError
from service_nb.readers.dataset import ReadOptions
from service_nb.schema.connector import Descriptor

MODULES = {module.CONNECTOR.name: module.CONNECTOR for module in (s3, gcs, azure, redis, neo4j, elasticsearch, rest)}
PAGES = Path(__file__).parents[2] / "docs" / "handbook" / "connectors"
FULL: dict[str, dict[str, Any]] = {
    "s3": {"database": "bucket", "table": "a.csv", "options": {"anonymous": "true"}},
    "gcs": {"database": "bucket", "table": "a.csv", "options": {"anonymous": "true"}},
    "azure": {"database": "container", "user": "account", "table": "a.csv", "options": {"anonymous": "true"}},
    "redis": {"host": "127.0.0.1", "table": "strings"},
    "neo4j": {"host": "127.0.0.1", "table": "P"},
}


@pytest.mark.parametrize("type_", MODULES)
def test_every_key_has_a_line_in_its_page(type_: str) -> None:
    kind = MODULES[type_].kind
    text = (PAGES / f"{type_}.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+)`", text))
    assert {*kind.keys, *kind.options} - named == set()


@pytest.mark.parametrize("type_", MODULES)
def test_the_catalogue_knows_the_kind(type_: str) -> None:
    assert catalog.find_connector(type_).kind is MODULES[type_].kind
    with pytest.raises(InvalidIntentError):
        catalog.parse_descriptor({"type": type_, "tabel": "x"})


@pytest.mark.parametrize("type_", FULL)
def test_a_missing_driver_names_its_extra(type_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    connector = MODULES[type_]
    for name in (connector.kind.driver, f"{connector.kind.driver}.store", f"{connector.kind.driver}.asyncio"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DriverMissingError) as caught:
        connector.extract(Descriptor(type=type_, **FULL[type_]), ReadOptions(), time.monotonic() + 5)
    assert caught.value.details["extra"] == connector.kind.extra


def test_no_driver_is_loaded_before_a_source_is_opened() -> None:
    names = ", ".join(f"service_nb.connectors.{type_}" for type_ in MODULES)
    code = f"import sys, {names}; print({{'obstore', 'redis', 'neo4j'}} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "set()"


def test_a_connection_string_of_azure_is_the_keys_that_it_stands_for() -> None:
    text = "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=a2V5PT0=;EndpointSuffix=core.chinacloudapi.cn"
    found = azure.expand_parts(Descriptor(type="azure", database="c", table="t", connection_string=Secret(text)))
    assert (found.user, found.database, found.table) == ("shop", "c", "t")
    assert found.password == Secret("a2V5PT0=")
    assert found.options["endpoint"] == "https://shop.blob.core.chinacloudapi.cn"
    for wrong in ("planted", "", "AccountKey=x", "://"):
        with pytest.raises(InvalidIntentError) as caught:
            azure.expand_parts(Descriptor(type="azure", connection_string=Secret(wrong)))
        assert "planted" not in str(caught.value.to_dict())


@pytest.mark.parametrize(
    ("type_", "parts"),
    [
        ("s3", {"database": "Bucket!", "table": "a.csv", "options": {"anonymous": "true"}}),
        ("s3", {"table": "a.csv", "options": {"anonymous": "true"}}),
        ("s3", {"database": "bucket", "options": {"anonymous": "true"}}),
        ("s3", {"database": "bucket", "table": "a.csv", "options": {"anonymous": "maybe"}}),
        ("s3", {"database": "bucket", "table": "[z-a].csv", "options": {"anonymous": "true"}}),
        ("gcs", {"database": "..", "table": "a.csv", "options": {"anonymous": "true"}}),
        ("azure", {"database": "c", "table": "a.csv", "user": "account", "options": {"anonymous": "true"}}),
        ("azure", {"database": "container", "table": "a.csv", "user": "evil.example/", "password": Secret("a2V5")}),
        ("azure", {"database": "container", "table": "a.csv", "user": "account"}),
        ("elasticsearch", {"host": "h", "table": "i", "options": {"size": "20000"}}),
        ("elasticsearch", {"host": "h", "table": "i", "options": {"api_key": Secret("a\r\nb")}}),
        ("elasticsearch", {"host": "h", "table": "i", "options": {"ca_certificate": "no PEM"}}),
        ("rest", {}),
        ("rest", {"options": {"url": "https://public.example/", "pagination": "next"}}),
        ("rest", {"options": {"url": "https://public.example/", "token": Secret("a\nb")}}),
        ("rest", {"options": {"url": "https://public.example/", "size": "0"}}),
        ("rest", {"options": {"url": "https://public.example/", "pagination": "page", "first_page": "7"}}),
    ],
)
def test_a_descriptor_that_means_nothing_is_refused(type_: str, parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidIntentError):
        MODULES[type_].extract(Descriptor(type=type_, **parts), ReadOptions(), time.monotonic() + 10)
