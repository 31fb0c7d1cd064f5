"""Descriptors: every key looked at, secrets kept, and a nearest name for what is misspelt."""

from __future__ import annotations

import gc
import importlib
import pickle
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest

from service_nb import connectors
from service_nb.connectors import base, catalog, user_query
from service_nb.connectors.isolated import Isolated
from service_nb.core.secret import Secret
from service_nb.errors import (
    ConnectorError,
    DriverMissingError,
    InvalidIntentError,
    LimitExceededError,
    QueryTimeoutError,
    ServiceError,
    UnsupportedSourceError,
)
from service_nb.readers import descriptor
from service_nb.schema.connector import Kind

BASE = {"type": "postgres", "host": "h", "user": "u", "password": "hidden-word"}


@pytest.mark.parametrize("alias", [*descriptor.ALIASES, *catalog.TYPES])
def test_every_type_and_alias_has_its_kind(alias: str) -> None:
    if alias in ("file", "file_upload"):  # is read where the client is
        with pytest.raises(InvalidIntentError):
            catalog.find_connector(alias)
        return
    kind: Kind = catalog.find_connector(alias).kind
    assert kind.type == descriptor.ALIASES.get(alias, alias)


def test_every_file_with_a_connector_is_of_a_type_that_there_is() -> None:
    names = [info.name for info in pkgutil.iter_modules(connectors.__path__)]
    modules = [importlib.import_module(f"service_nb.connectors.{name}") for name in names]
    found = {module.CONNECTOR.name for module in modules if hasattr(module, "CONNECTOR")}
    assert found == {*catalog.TYPES} - {"file"}


@pytest.mark.parametrize("type_", [type_ for type_ in catalog.TYPES if type_ != "file"])
def test_whatever_takes_a_path_is_held_to_the_folders_that_may_be_read(type_: str) -> None:
    connector = catalog.find_connector(type_)
    assert connector.reads_files == ("path" in connector.kind.keys)
    assert (connector.open_link is None) != (connector.extract is None)
    assert (connector.kind.dialect is None) == (connector.open_link is None)


def test_a_descriptor_is_checked_and_its_secrets_are_wrapped() -> None:
    found = catalog.parse_descriptor(
        {**BASE, "type": "postgresql", "port": "5433", "sslmode": "require", "table": None}
    )
    assert (found.type, found.port, found.options["sslmode"]) == ("postgres", 5433, "require")
    assert found.password == Secret("hidden-word")
    assert "hidden-word" not in repr(found)
    with pytest.raises(TypeError):
        pickle.dumps(found)


@pytest.mark.parametrize(
    "changes",
    [
        *({"prot": 1}, {"warehouse": "x"}, {"port": 0}, {"port": 65536}, {"port": True}, {"port": "x"}, {"port": 1.5}),
        *(
            {"host": ""},
            {"host": "a b"},
            {"host": "a\nb"},
            {"host": "a\0"},
            {"host": 7.5},
            {"host": ["a"]},
            {"user": {}},
        ),
        *(
            {"table": "a", "query": "SELECT 1"},
            {"password": 7},
            {"password": ["hidden-word"]},
            {5: "a"},
            {"path": "/x"},
        ),
    ],
)
def test_a_malformed_descriptor_is_refused_without_its_secret(changes: dict[Any, Any], record_property: Any) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        catalog.parse_descriptor({**BASE, **changes})
    assert "hidden-word" not in str(caught.value.to_dict())
    record_property("bad_inputs", 1)


def test_a_misspelt_key_has_a_nearest_one() -> None:
    with pytest.raises(InvalidIntentError) as caught:
        catalog.parse_descriptor({**BASE, "databse": "x"})
    assert caught.value.details["did_you_mean"][0] == "database"


@pytest.mark.parametrize("type_", ["postgrse", "", 7, None])
def test_a_type_that_is_none_is_refused(type_: Any) -> None:
    with pytest.raises((UnsupportedSourceError, InvalidIntentError)):
        catalog.parse_descriptor({**BASE, "type": type_})


@pytest.mark.parametrize("changes", [{"query": "x" * 100_001}, {"host": "x" * 5_000}, {"password": "x" * 20_000}])
def test_what_is_too_long_is_refused(changes: dict[str, str]) -> None:
    with pytest.raises(LimitExceededError):
        catalog.parse_descriptor({**BASE, **changes})


@pytest.mark.parametrize(
    "changes", [{}, {"table": ""}, {"table": "a.b.c.d"}, {"table": 'a"b'}, {"table": "a..b"}, {"table": " a"}]
)
def test_a_source_is_a_table_or_a_query(changes: dict[str, str]) -> None:
    def ask() -> None:
        user_query.build_relation(catalog.parse_descriptor({**BASE, **changes}), "postgres")

    with pytest.raises(InvalidIntentError):
        ask()


@pytest.mark.parametrize(
    ("name", "dialect", "sql"),
    [
        ("t", "postgres", '"t"'),
        ("S.T", "postgres", '"S"."T"'),
        ('a."b.c"', "postgres", '"a"."b.c"'),
        ('"x""y"', "postgres", '"x""y"'),
        ("`a``b`.c", "mysql", "`a``b`.`c`"),
        ("c.s.t", "snowflake", '"C"."S"."T"'),
        ('"mixed"', "oracle", '"mixed"'),
        ("t; DROP TABLE t", "postgres", '"t; DROP TABLE t"'),
    ],
)
def test_a_table_is_its_name_in_quotes(name: str, dialect: str, sql: str) -> None:
    assert user_query.parse_table(name, dialect).sql(dialect=dialect) == sql


@pytest.fixture
def collects_nothing() -> Iterator[None]:
    """Garbage of other tests is not finalized deep in a recursion, where a finalizer itself would fail."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("collects_nothing")
@pytest.mark.parametrize(
    "query",
    [
        *("SELECT " + "(" * 200 + "1" + ")" * 200, "SELECT " + "+".join("1" * 20_000), "SELECT " + "-" * 5_000 + "1"),
        *(
            " UNION ALL ".join(["SELECT 1"] * 10_000),
            "SELECT 1 WHERE " + "NOT " * 3_000 + "true",
            "(" * 50_000,
            "SELECT '" * 999,
        ),
    ],
)
def test_a_query_that_is_too_deep_is_refused_and_never_crashes(query: str, record_property: Any) -> None:
    with pytest.raises((LimitExceededError, InvalidIntentError)):
        user_query.check_query(query, "postgres")
    record_property("bad_inputs", 1)


def test_comments_and_hints_do_not_survive() -> None:
    tree = user_query.check_query("SELECT /* one */ a -- two\nFROM t /*! three */", "mysql")
    assert tree.sql(dialect="mysql") == "SELECT a FROM t"


def test_a_missing_driver_names_what_brings_it() -> None:
    kind = Kind(type="x", title="X", group="engine", keys=(), extra="xdb", driver="no_such_module_anywhere")
    with pytest.raises(DriverMissingError) as caught:
        base.import_driver(kind)
    assert caught.value.hint == 'pip install "service-nb[xdb]"'


# --- processes that can be killed ---------------------------------------------------------------------------------


class Sleeper:
    """What the tests run in the other process."""

    opened = "ready"

    def answer(self, value: Any) -> Any:
        print("noise that a driver makes")
        return value

    def sleep(self) -> None:
        import time

        while True:
            time.sleep(1)

    def leave(self) -> None:
        import os

        os._exit(3)

    def refuse(self) -> None:
        raise ConnectorError("It refuses.", reason="login_refused", type="x")

    def fail(self) -> None:
        raise RuntimeError("with a secret in it")


def soon(seconds: float = 60) -> float:
    import time

    return time.monotonic() + seconds


def test_a_process_answers_refuses_ends_and_is_ended() -> None:
    with Isolated("tests.live.test_catalog:Sleeper") as process:
        assert process.open(deadline=soon()) == "ready"
        assert process.call("answer", {"a": [1, b"x", "é"]}, deadline=soon()) == {"a": [1, b"x", "é"]}
        with pytest.raises(ConnectorError) as caught:
            process.call("refuse", deadline=soon())
        assert caught.value.reason == "login_refused"
        with pytest.raises(ServiceError) as failed:
            process.call("fail", deadline=soon())
        assert "secret" not in str(failed.value.to_dict())
        with pytest.raises(QueryTimeoutError):
            process.call("sleep", deadline=soon(0.2))
        with pytest.raises(ServiceError):
            process.call("answer", 1, deadline=soon())


def test_a_process_that_ends_by_itself_is_lost() -> None:
    with Isolated("tests.live.test_catalog:Sleeper") as process:
        process.open(deadline=soon())
        with pytest.raises(ConnectorError) as caught:
            process.call("leave", deadline=soon())
    assert caught.value.reason == "lost"
