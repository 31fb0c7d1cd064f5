"""The servers of the tests: real ones, of this process, without root's rights."""

from __future__ import annotations

from pathlib import Path

from tests.servers.fixtures import MariaDatabase, PostgresDatabase
from tests.servers.process import NOBODY


def test_postgres_is_real_and_unprivileged(postgres_database: PostgresDatabase) -> None:
    ((version, zone),) = postgres_database.run("SELECT version(), current_setting('timezone')")
    assert version.startswith("PostgreSQL 18.")
    assert zone == "Asia/Kolkata"
    pid = int((postgres_database.server.data / "postmaster.pid").read_text().split()[0])
    assert Path(f"/proc/{pid}").stat().st_uid != 0


def test_mariadb_is_real_and_unprivileged(mariadb_database: MariaDatabase) -> None:
    ((version, zone),) = mariadb_database.run("SELECT version(), @@time_zone")
    assert version.startswith("10.11.")
    assert "MariaDB" in version
    assert zone == "+05:30"
    assert mariadb_database.server.data.stat().st_uid in (NOBODY, Path.home().stat().st_uid)
