"""An address in one secret text says what the keys of its type say, and nothing of it is shown when it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from service_nb.connectors import catalog
from service_nb.core.secret import Secret
from service_nb.errors import ForbiddenError, InvalidIntentError, SecretUnavailableError
from service_nb.schema.connector import Descriptor, Kind
from service_nb.server.guard import Guard
from tests.deployment.deployments import QUIET, deployed

SAYS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    (
        "redshift",
        "redshift://reader:p%40ss%2Fword@db.example:5440/shop?sslmode=verify-full",
        {"host": "db.example", "port": 5440, "database": "shop", "user": "reader", "password": "p@ss/word"}
        | {"sslmode": "verify-full"},
    ),
    ("redshift", "postgresql://reader@[::1]/shop/", {"host": "::1", "database": "shop", "user": "reader"}),
    (
        "mysql",
        "mariadb://reader:p%40@db.example:3307/shop",
        {"host": "db.example", "port": 3307, "user": "reader", "password": "p@", "database": "shop"},
    ),
    ("clickhouse", "https://ch.example", {"host": "ch.example", "secure": "true"}),
    (
        "click_house",
        "http://u:p@ch.example:8123/shop",
        {"host": "ch.example", "port": 8123, "user": "u", "password": "p", "database": "shop", "secure": "false"},
    ),
    ("clickhouse", "clickhouse://ch.example?verify=false", {"host": "ch.example", "verify": "false"}),
    (
        "snowflake",
        "snowflake://READER:p@Org-Account.snowflakecomputing.com/SHOP/SALES?warehouse=W&role=R",
        {"account": "org-account", "user": "READER", "password": "p", "database": "SHOP", "schema": "SALES"}
        | {"warehouse": "W", "role": "R"},
    ),
    ("snowflake", "snowflake://READER@account?token=t", {"account": "account", "user": "READER", "token": "t"}),
    (
        "bigquery",
        "bigquery://my-project/sales?location=EU&maximum_bytes_billed=7&credentials_base64=eyJhIjogIsOkIn0%3D",
        {"project": "my-project", "database": "sales", "location": "EU", "maximum_bytes_billed": "7"}
        | {"credentials": '{"a": "ä"}'},
    ),
    (
        "trino",
        "https://u:p@trino.example:8443/hive/sales",
        {"host": "trino.example", "port": 8443, "user": "u", "password": "p", "database": "hive", "schema": "sales"}
        | {"scheme": "https"},
    ),
    ("redis", "redis://:p@cache/2", {"host": "cache", "password": "p", "database": "2"}),
    ("redis_cache", "rediss://u:p@cache", {"host": "cache", "user": "u", "password": "p", "tls": "true"}),
    (
        "neo4j",
        "neo4j+s://u:p@graph:7688/shop",
        {"host": "graph", "port": 7688, "user": "u", "password": "p", "database": "shop", "scheme": "neo4j+s"},
    ),
    ("elastic", "https://u:p@search:9243", {"host": "search", "port": 9243, "user": "u", "password": "p"}),
    ("elasticsearch", "http://search", {"host": "search", "tls": "false"}),
)
WRONG = (
    *("", "hidden", "hidden://h", "redshift://", "redshift:///hidden", "redshift://hidden@", "redshift://h/a/hidden"),
    *("redshift://u:hid/den@h/a", "redshift://u:12/hidden@h/a", "redshift://u:hid#den@h/a", "redshift://u:hid?den@h/a"),
    *("redshift://h:hidden/a", "redshift://h:0/a", "redshift://h:65536/a", "redshift://hidden,h2/a"),
    *("redshift://%2Fhidden/a", "redshift://h%00idden/a", "redshift://h/a%00hidden", "redshift://h/%FFhidden"),
    *("redshift://h/a//hidden", "redshift://h/a?passfile=hidden", "redshift://h/a?sslmode=disable&sslmode=hidden"),
    *("redshift://h/a?sslmode", "redshift://h/a\nhidden", "redshift://h/a?password=hidden", "redshift://[hidden/a"),
    *("redshift://h/a?host=hidden", "redshift://h/a?table=hidden", "redshift://" + "u" * 5_000 + "@h/a"),
)


def said(descriptor: Descriptor) -> dict[str, Any]:
    keys = ("host", "port", "database", "user", "password")
    held = {**{key: getattr(descriptor, key) for key in keys}, **descriptor.options}
    return {key: getattr(value, "reveal", lambda value=value: value)() for key, value in held.items() if value}


def guard(folder: Path, connectors: str = "") -> Guard:
    return Guard(config=deployed(folder / "deployment", f"{QUIET}[connectors]\n{connectors}"), tenant="one")


@pytest.mark.parametrize(("type_", "text", "meant"), SAYS)
def test_a_connection_string_says_what_the_keys_say(type_: str, text: str, meant: dict[str, Any]) -> None:
    found = catalog.expand_descriptor(
        catalog.parse_descriptor({"type": type_, "connection_string": text, "table": "t"})
    )
    written = catalog.parse_descriptor({"type": type_, "table": "t", **meant})
    assert said(found) == said(written) == meant
    assert found == written
    kind: Kind = catalog.find_connector(type_).kind
    assert all(isinstance(found.options[key], Secret) for key in kind.secrets if key in found.options)


def test_every_warehouse_can_be_named_by_one_text() -> None:
    kinds: list[Kind] = [catalog.find_connector(type_).kind for type_ in catalog.TYPES if type_ != "file"]
    warehouses = {kind.type: kind for kind in kinds if kind.group == "warehouse"}
    assert set(warehouses) == {"snowflake", "bigquery", "clickhouse", "redshift"}
    assert all("connection_string" in kind.keys for kind in warehouses.values())
    assert {kind.type for kind in kinds if kind.dsn is not None} == {
        catalog.find_connector(type_).kind.type for type_, *_ in SAYS
    }


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_connection_string_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        catalog.expand_descriptor(
            catalog.parse_descriptor({"type": "redshift", "connection_string": text, "table": "t"})
        )
    assert "hid" not in str(caught.value.to_dict())


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("bigquery", "bigquery://user:p@project"),
        ("bigquery", "bigquery://project:80"),
        ("bigquery", "bigquery://project?credentials_base64=%21%21"),
        ("elasticsearch", "https://h/path"),
        ("clickhouse", "https://h?secure=false"),
        ("redis", "redis://h?tls=true"),
    ],
)
def test_each_type_takes_what_it_has_and_no_more(type_: str, text: str) -> None:
    with pytest.raises(InvalidIntentError):
        catalog.expand_descriptor(catalog.parse_descriptor({"type": type_, "connection_string": text}))


def test_a_key_beside_it_goes_before_what_it_says() -> None:
    given = {"type": "redshift", "connection_string": "redshift://u:p@h/a", "database": "b", "table": "t"}
    assert said(catalog.expand_descriptor(catalog.parse_descriptor(given)))["database"] == "b"


def test_a_deployment_looks_at_the_host_that_it_names(tmp_path: Path) -> None:
    keeper = guard(tmp_path, 'hosts = ["*.example"]')
    named = {"type": "clickhouse", "connection_string": "https://u:p@ch.example/shop"}
    assert keeper.resolve(keeper.parse(named)).host == "ch.example"
    for host in ("elsewhere.test", "169.254.169.254", "127.0.0.1"):
        with pytest.raises(ForbiddenError):
            keeper.resolve(keeper.parse({**named, "connection_string": f"https://u:p@{host}/shop"}))


def test_a_file_that_it_names_has_to_be_where_the_deployment_reads(tmp_path: Path) -> None:
    keeper = guard(tmp_path)
    with pytest.raises(ForbiddenError):
        keeper.resolve(keeper.parse({"type": "clickhouse", "connection_string": "https://h?ca=/etc/passwd"}))


def test_it_may_be_a_reference_and_what_it_says_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = guard(tmp_path)
    given = {"type": "redis", "connection_string": "env:SERVICE_SECRET__ONE__CACHE", "table": "strings"}
    with pytest.raises(SecretUnavailableError):
        keeper.resolve(keeper.parse(given))
    monkeypatch.setenv("SERVICE_SECRET__ONE__OTHER", "another secret")
    monkeypatch.setenv("SERVICE_SECRET__ONE__CACHE", "redis://u:env%3ASERVICE_SECRET__ONE__OTHER@cache/2")
    found = keeper.resolve(keeper.parse(given))
    assert (found.host, found.database, found.connection_string) == ("cache", "2", None)
    assert said(found)["password"] == "env:SERVICE_SECRET__ONE__OTHER"
