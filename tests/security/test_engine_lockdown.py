"""The database behind a source reaches nothing else: no file, folder, network, extension, Python variable or setting.

Plans carry no SQL; these statements go to the engine's own connection, behind everything that would have to fail first.
A statement is harmless when nothing outside the engine's scratch folder is read, made or changed.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from service_nb.engines.duckdb import DuckDBEngine
from service_nb.engines.duckdb_lock import try_forbidden
from service_nb.errors import SourceChangedError
from tests.engines import cases

MARK = "tresor-8317-marie"

PROBES = {
    "read text": "SELECT * FROM read_text('{world}/secret.txt')",
    "read bytes": "SELECT * FROM read_blob('{world}/secret.txt')",
    "read CSV": "SELECT * FROM read_csv('{world}/secret.csv')",
    "read a file by its name": "SELECT * FROM '{world}/secret.csv'",
    "sniff CSV": "SELECT * FROM sniff_csv('{world}/secret.csv')",
    "read JSON": "SELECT * FROM read_json('{world}/secret.json')",
    "read foreign Parquet": "SELECT * FROM read_parquet('{world}/secret.parquet')",
    "read Parquet metadata": "SELECT * FROM parquet_metadata('{world}/secret.parquet')",
    "list a folder": "SELECT * FROM glob('{world}/*')",
    "climb out of the source's folder": "SELECT * FROM read_text('{source}/../world/secret.txt')",
    "read beside the source": "SELECT * FROM read_text('{source}.neighbour')",
    "read through a file URL": "SELECT * FROM read_text('file://{world}/secret.txt')",
    "read the process": "SELECT * FROM read_text('/proc/self/environ')",
    "read a device": "SELECT * FROM read_blob('/dev/zero')",
    "write CSV": "COPY (SELECT 1) TO '{world}/written.csv'",
    "write Parquet": "COPY data TO '{world}/written.parquet' (FORMAT parquet)",
    "write over the source": "COPY (SELECT 1 AS x) TO '{source}' (FORMAT parquet)",
    "load CSV into a table": "CREATE TABLE t AS FROM read_csv('{world}/secret.csv')",
    "copy CSV into a table": "CREATE TEMP TABLE t (a VARCHAR); COPY t FROM '{world}/secret.csv'",
    "export the database": "EXPORT DATABASE '{world}/export'",
    "import a database": "IMPORT DATABASE '{world}/import'",
    "attach a database": "ATTACH '{world}/attached.db' AS other",
    "attach a database to read": "ATTACH '{world}/secret.db' AS other (READ_ONLY)",
    "install an extension": "INSTALL httpfs",
    "install from a path": "INSTALL '{world}/evil.duckdb_extension'",
    "load an extension": "LOAD httpfs",
    "load from a path": "LOAD '{world}/evil.duckdb_extension'",
    "fetch from the network": "SELECT * FROM read_text('https://127.0.0.1:9/x')",
    "fetch from a bucket": "SELECT * FROM read_parquet('s3://bucket/x.parquet')",
    "see a Python frame": "SELECT * FROM frame",
    "scan a Python frame": "SELECT * FROM pandas_scan(frame)",
    "lift the lock": "SET lock_configuration = false",
    "allow files": "SET enable_external_access = true",
    "allow a folder": "SET allowed_directories = ['{world}']",
    "allow a path": "SET allowed_paths = ['{world}/secret.txt']",
    "reset the allowed paths": "RESET allowed_paths",
    "move the scratch folder": "SET temp_directory = '{world}/scratch'",
    "move the home folder": "SET home_directory = '{world}'",
    "raise the memory limit": "SET memory_limit = '1TB'",
    "see Python variables again": "SET python_enable_replacements = true",
    "log to a file": "CALL enable_logging(storage := 'file', storage_path := '{world}/log')",
    "profile to a file": "SET profile_output = '{world}/profile.json'",
    "profile to a file by pragma": "PRAGMA profiling_output = '{world}/profile.json'",
    "keep a secret": "CREATE PERSISTENT SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
    "load serialized SQL": "SELECT * FROM json_execute_serialized_sql("
    "json_serialize_sql('SELECT * FROM read_text(''{world}/secret.txt'')'))",
    "query in a string": "SELECT * FROM query('SELECT * FROM read_text(''{world}/secret.txt'')')",
    "read the environment": "SELECT getenv('HOME')",
    "copy the database": "COPY FROM DATABASE memory TO other",
    "set a variable and read a file": "SET VARIABLE p = '{world}/secret.txt'; "
    "SELECT * FROM read_text(getvariable('p'))",
}
# Allowed, and touching nothing: they are made of what the engine holds already.
HARMLESS = {
    "a temporary table": "CREATE TEMP TABLE t (a INTEGER)",
    "a list of settings": "SELECT * FROM duckdb_settings()",
    "a checkpoint": "CHECKPOINT",
    "a range": "SELECT count(*) FROM range(1000)",
}


class World:
    """A folder of things that must not be touched, one source that may be read, and the engine on it."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "world"
        self.folder.mkdir()
        (self.folder / "secret.txt").write_text(MARK, encoding="utf-8")
        (self.folder / "secret.csv").write_text(f"a,b\n1,{MARK}\n", encoding="utf-8")
        (self.folder / "secret.json").write_text(f'[{{"a": "{MARK}"}}]', encoding="utf-8")
        pq.write_table(pa.table({"a": [MARK]}), self.folder / "secret.parquet")
        duckdb.connect(str(self.folder / "secret.db")).execute(f"CREATE TABLE t AS SELECT '{MARK}' AS a").close()
        sources = root / "sources"
        sources.mkdir()
        dataset = cases.stored(sources, {"x": [1.0, 2.0]})
        self.source = Path((dataset.parquet or ("",))[0])
        Path(f"{self.source}.neighbour").write_text(MARK, encoding="utf-8")
        self.root = root
        self.engine = DuckDBEngine(dataset)

    def run(self, sql: str) -> tuple[bool, str]:
        """Whether the statement ran, and everything it returned or said."""
        connection = self.engine._connection
        frame = pa.table({"a": [MARK]})  # noqa: F841  # there to be found by a replacement scan
        try:
            return True, repr(connection.execute(sql).fetchmany(10_000))
        except (duckdb.Error, RuntimeError, ValueError, TypeError, OverflowError) as error:
            return False, str(error)
        finally:
            try:
                connection.execute("ROLLBACK")
            except duckdb.Error:
                connection.execute("SELECT 1").fetchall()

    def snapshot(self) -> dict[str, str]:
        """Every file below the root, with its time and content."""
        return {
            str(path): f"{path.stat().st_mtime_ns} {hashlib.sha256(path.read_bytes()).hexdigest()}"
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home)
    made = World(tmp_path)
    yield made
    made.engine.close()


@pytest.mark.parametrize("sql", PROBES.values(), ids=PROBES)
def test_forbidden_statement_fails_and_touches_nothing(sql: str, world: World) -> None:
    before = world.snapshot()
    ran, said = world.run(sql.format(world=world.folder, source=world.source))
    assert not ran, said
    assert MARK not in said
    assert world.snapshot() == before


def test_all_probes_in_one_session_touch_nothing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    before = world.snapshot()
    for sql in (*PROBES.values(), *HARMLESS.values()):
        _, said = world.run(sql.format(world=world.folder, source=world.source))
        assert MARK not in said, sql
    assert world.snapshot() == before
    plan = cases.plan_for(
        cases.stored(world.source.parent, {"x": [1.0, 2.0]}, name="same"), metric="x", aggregation="sum"
    )
    assert cases.groups(world.engine, plan) == {(): (2, cases.bits(3.0))}
    with capsys.disabled():
        print(f"\n{len(PROBES)} forbidden statements tried, 0 accepted, 0 crashes, 0 files touched")


@pytest.mark.parametrize("sql", HARMLESS.values(), ids=HARMLESS)
def test_harmless_statement_runs_and_touches_nothing(sql: str, world: World) -> None:
    before = world.snapshot()
    assert world.run(sql)[0]
    assert world.snapshot() == before


# --- every table function ---------------------------------------------------------------------------------------------

# These take addresses of Python objects in memory. They are called without arguments: a made-up address is a crash by
# construction, and no text of ours ever becomes one.
TAKE_ADDRESSES = re.compile(r"arrow_scan|arrow_scan_dumb|pandas_scan|python_arrow_scan|python_map_function|seq_scan")


def argument(name: str, kind: str | None, function: str, world: Path) -> str:
    ending = next((e for e in ("csv", "json", "parquet") if e in function), "txt")
    if kind in ("ANY[]", "VARCHAR[]"):
        return f"['{world}/secret.{ending}']"
    if name in ("query", "serialized_sql"):
        return f"'SELECT * FROM read_text(''{world}/secret.txt'')'"
    if kind in ("VARCHAR", "VARIANT", "ANY", "JSON", None):
        return f"'{world}/secret.{ending}'"
    values = {"BOOLEAN": "true", "TABLE": "(SELECT 1)", "INTERVAL": "INTERVAL 1 DAY", "DOUBLE": "1.0"}
    if kind.startswith("TIMESTAMP"):
        return "TIMESTAMP '2024-01-01'"
    return values.get(kind, "MAP {'a': 'b'}" if kind.startswith("MAP") else "3")


def calls(engine: DuckDBEngine, world: Path) -> list[str]:
    """Each overload of each table function and pragma, with its first argument alone and with its first three."""
    listed = engine._connection.execute(
        "SELECT DISTINCT function_name, function_type, parameters, parameter_types FROM duckdb_functions() "
        "WHERE function_type IN ('table', 'table_macro', 'pragma') ORDER BY ALL"
    ).fetchall()
    made: dict[str, None] = {}
    for name, kind, parameters, types in listed:
        known = [] if TAKE_ADDRESSES.fullmatch(name) else list(zip(parameters, types, strict=True))
        for count in {min(len(known), most) for most in (1, 3)}:
            given = ", ".join(argument(p, t, name, world) for p, t in known[:count])
            made[f"PRAGMA {name}({given})" if kind == "pragma" else f"SELECT * FROM {name}({given})"] = None
            if given and kind != "pragma":
                made[f"CALL {name}({given})"] = None
    return list(made)


def test_every_table_function_is_called_and_touches_nothing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    before = world.snapshot()
    statements = calls(world.engine, world.folder)
    ran = 0
    for sql in statements:
        succeeded, said = world.run(sql)
        ran += succeeded
        # An error may repeat the statement, and so the path; never what is in the file.
        assert MARK not in said, sql
        assert "secret.db" not in said, sql
    assert world.snapshot() == before
    assert len(statements) >= 150
    with capsys.disabled():
        print(f"\n{len(statements)} calls of table functions ({ran} ran), 0 files touched")


# --- what the lock leaves ---------------------------------------------------------------------------------------------


def test_the_engine_says_itself_that_the_lock_holds() -> None:
    outcome = try_forbidden()
    assert len(outcome) >= 10
    assert all(outcome.values()), outcome


def test_the_scratch_folder_goes_with_the_engine() -> None:
    engine = DuckDBEngine(cases.held({"x": [1]}))
    found = engine._connection.execute("SELECT current_setting('temp_directory')").fetchall()
    scratch = Path(found[0][0])
    assert scratch.is_dir()
    assert scratch.stat().st_mode & 0o077 == 0
    engine.close()
    assert not scratch.exists()
    engine.close()  # twice does no harm


def test_the_scratch_folder_goes_when_loading_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    broken = cases.in_place([tmp_path / "gone.parquet"], pa.table({"x": [1]}))
    with pytest.raises(SourceChangedError):
        DuckDBEngine(broken)
    assert list(tmp_path.iterdir()) == []


def test_the_configuration_is_what_it_should_be(world: World) -> None:
    names: dict[str, Any] = dict(
        world.engine._connection.execute("SELECT name, value FROM duckdb_settings()").fetchall()
    )
    expected = {
        "enable_external_access": "false",
        "lock_configuration": "true",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
        "TimeZone": "UTC",
    }
    assert {name: names[name] for name in expected} == expected
    assert names["allowed_paths"] == f"[{os.fspath(world.source)}]"
