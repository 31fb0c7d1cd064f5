"""Real servers for every test: one of each for a process of pytest, a database of its own for each module of tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from typing import Any

import psycopg
import pymysql
import pytest

from tests.servers.clickhouse import ClickHouseServer, clickhouse
from tests.servers.mariadb import MariaServer, mariadb
from tests.servers.postgres import PostgresServer, postgres

READER = "reader"
READER_PASSWORD = "the reader's password"
_NUMBERS = count(1)


@dataclass(frozen=True, slots=True)
class PostgresDatabase:
    """A database, its server, and an account `reader` that may read every table of it and no more."""

    server: PostgresServer
    name: str

    def descriptor(self, **changes: Any) -> dict[str, Any]:
        """The connector descriptor of the account that may read."""
        return {
            "type": "postgres",
            "host": self.server.host,
            "port": self.server.port,
            "database": self.name,
            "user": READER,
            "password": READER_PASSWORD,
            **changes,
        }

    def connect(self) -> psycopg.Connection[Any]:
        """A connection of the superuser."""
        server = self.server
        return psycopg.connect(
            host=server.host, port=server.port, user=server.user, password=server.password, dbname=self.name,
            autocommit=True,
        )  # fmt: skip

    def run(self, statement: str, *parameters: Any) -> list[Any]:
        """Run one statement as the superuser and return its rows."""
        with self.connect() as connection:
            cursor = connection.execute(statement, parameters or None)
            return cursor.fetchall() if cursor.description else []


@dataclass(frozen=True, slots=True)
class MariaDatabase:
    """A database, its server, and an account `reader` that may read every table of it and no more."""

    server: MariaServer
    name: str

    def descriptor(self, **changes: Any) -> dict[str, Any]:
        """The connector descriptor of the account that may read."""
        return {
            "type": "mysql",
            "host": self.server.host,
            "port": self.server.port,
            "database": self.name,
            "user": READER,
            "password": READER_PASSWORD,
            **changes,
        }

    def connect(self) -> pymysql.Connection[Any]:
        """A connection of the account that may do everything."""
        server = self.server
        return pymysql.connect(
            host=server.host, port=server.port, user=server.user, password=server.password, database=self.name,
            autocommit=True, charset="utf8mb4",
        )  # fmt: skip

    def run(self, statement: str, *parameters: Any) -> list[Any]:
        """Run one statement as the account that may do everything and return its rows."""
        with closing(self.connect()) as connection, connection.cursor() as cursor:
            cursor.execute(statement, parameters or None)
            return list(cursor.fetchall())


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL of this process of pytest, with the account `reader`, which has no rights yet."""
    with postgres() as server:
        PostgresDatabase(server, "postgres").run(
            f"CREATE ROLE {READER} LOGIN PASSWORD '{READER_PASSWORD.replace(chr(39), chr(39) * 2)}'"
        )
        yield server


@pytest.fixture(scope="module")
def postgres_database(postgres_server: PostgresServer) -> Iterator[PostgresDatabase]:
    """An empty database of this module of tests; `reader` may read what is made in its schema `public`."""
    database = PostgresDatabase(postgres_server, f"shop{next(_NUMBERS)}")
    outside = PostgresDatabase(postgres_server, "postgres")
    outside.run(f"CREATE DATABASE {database.name}")
    database.run(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO {READER}")
    yield database
    outside.run(f"DROP DATABASE {database.name} WITH (FORCE)")


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[MariaServer]:
    """A MariaDB of this process of pytest, with the account `reader`, which has no rights yet."""
    with mariadb() as server:
        MariaDatabase(server, "mysql").run(f"CREATE USER {READER}@'%%' IDENTIFIED BY %s", READER_PASSWORD)
        yield server


@pytest.fixture(scope="module")
def mariadb_database(mariadb_server: MariaServer) -> Iterator[MariaDatabase]:
    """An empty database of this module of tests; `reader` may read all of it."""
    database = MariaDatabase(mariadb_server, f"shop{next(_NUMBERS)}")
    outside = MariaDatabase(mariadb_server, "mysql")
    outside.run(f"CREATE DATABASE {database.name}")
    outside.run(f"GRANT SELECT ON {database.name}.* TO {READER}@'%'")
    yield database
    outside.run(f"DROP DATABASE {database.name}")


@pytest.fixture(scope="session")
def clickhouse_server() -> Iterator[ClickHouseServer]:
    """A ClickHouse of this process of pytest, for tests that are `wide`."""
    with clickhouse() as server:
        yield server


@dataclass(frozen=True, slots=True)
class ClickHouseDatabase:
    """A database, its server, and an account `reader`."""

    server: ClickHouseServer
    name: str

    def descriptor(self, **changes: Any) -> dict[str, Any]:
        """The connector descriptor of the account that may read."""
        return {
            "type": "clickhouse", "host": self.server.host, "port": self.server.port, "database": self.name,
            "user": READER, "password": READER_PASSWORD, "secure": "false", **changes,
        }  # fmt: skip

    def run(self, statement: str) -> str:
        """Run one statement as the account that may do everything and return its answer as text."""
        return self.server.run(statement)


@pytest.fixture(scope="module")
def clickhouse_database(clickhouse_server: ClickHouseServer) -> Iterator[ClickHouseDatabase]:
    """An empty database of this module of tests."""
    database = ClickHouseDatabase(clickhouse_server, f"shop{next(_NUMBERS)}")
    database.run(f"CREATE DATABASE {database.name}")
    yield database
    database.run(f"DROP DATABASE {database.name}")
