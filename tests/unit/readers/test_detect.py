"""Which connector reads what; descriptors; what loads when."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from service_nb.errors import DeploymentRequiredError, InvalidIntentError, ServiceError, UnsupportedSourceError
from service_nb.readers.dataset import ReadOptions
from service_nb.readers.descriptor import ALIASES, LIVE, LOCAL, build_input, find_type
from service_nb.readers.detect import BY_SUFFIX, READERS, Reader, choose_reader, read

# The table of the specification: the groups of connector types, and the spellings that mean the same.
TYPES = {
    *("postgres", "postgresql", "mysql", "mssql", "oracle", "sqlite"),
    *("snowflake", "bigquery", "clickhouse", "redshift"),
    *("s3", "gcs", "azure"),
    *("redis", "neo4j", "elastic", "elasticsearch"),
    *("rest", "rest_api", "file", "file_upload"),
    *("github_repo", "gitlab_repo", "bitbucket_repo", "local_repo", "repo_archive"),
}
BEYOND = {"spark", "trino"}  # engines beyond one machine, which the specification does not name
SPELLINGS = {
    "postgresql": "postgres",
    "click_house": "clickhouse",
    "redis_cache": "redis",
    "elastic": "elasticsearch",
    "rest_api": "rest",
    "file_upload": "file",
    "github": "github_repo",
    "github_repository": "github_repo",
    "gitlab": "gitlab_repo",
    "gitlab_repository": "gitlab_repo",
    "bitbucket": "bitbucket_repo",
    "bitbucket_repository": "bitbucket_repo",
    "local_repository": "local_repo",
    "archive_repository": "repo_archive",
}


@pytest.mark.parametrize("name", sorted(TYPES | BEYOND | set(SPELLINGS)))
def test_every_type_is_known(name: str) -> None:
    assert find_type({"type": name}) == SPELLINGS.get(name, name)


def test_no_other_type_is_known() -> None:
    assert {*LIVE, *LOCAL, *ALIASES} == TYPES | BEYOND | set(SPELLINGS)


@pytest.mark.parametrize("name", [*LIVE, "postgresql", "github"])
def test_live_source_needs_a_deployment_and_keeps_its_secrets(name: str) -> None:
    descriptor = {"type": name, "host": "db", "user": "ann", "password": "canary", "connection_string": "x://canary@"}
    with pytest.raises(DeploymentRequiredError) as caught:
        build_input(descriptor)
    assert caught.value.code == "deployment_required"
    assert "canary" not in str(caught.value.to_dict())


@pytest.mark.parametrize(
    ("descriptor", "error"),
    [
        (None, InvalidIntentError),
        ("postgres", InvalidIntentError),
        ({}, InvalidIntentError),
        ({"type": None}, InvalidIntentError),
        ({"type": 5}, InvalidIntentError),
        ({"type": "postgres", "pasword": "canary"}, InvalidIntentError),
        ({"type": "postgres", 5: "canary"}, InvalidIntentError),
        ({"type": "PostgreSQL"}, UnsupportedSourceError),
        ({"type": "mongodb"}, UnsupportedSourceError),
        ({"type": ""}, UnsupportedSourceError),
        ({"type": "sqlite"}, InvalidIntentError),
        ({"type": "file", "path": 5}, InvalidIntentError),
    ],
)
def test_malformed_descriptor_is_refused(descriptor: Any, error: type[ServiceError]) -> None:
    with pytest.raises(error) as caught:
        build_input(descriptor)
    assert "canary" not in str(caught.value.to_dict())


def test_descriptor_of_a_file_or_of_sqlite_is_read_here() -> None:
    assert build_input({"type": "file_upload", "path": "x.csv"}) == "x.csv"
    assert build_input({"type": "sqlite", "database": "x.db", "table": "t"}) == {
        "provider": "sqlite",
        "path": "x.db",
        "table": "t",
    }


@pytest.mark.parametrize(("suffix", "kind"), BY_SUFFIX.items())
def test_ending_of_a_file_tells_its_connector(suffix: str, kind: str) -> None:
    assert choose_reader(f"data{suffix}") == choose_reader(Path(f"some.data{suffix.upper()}")) == kind


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_every_reader_is_where_the_table_says(reader: Reader) -> None:
    module, _, function = reader.function.partition(":")
    assert callable(getattr(importlib.import_module(f"service_nb.readers.{module}"), function))


@pytest.mark.parametrize("option", [{"sheet": "x"}, {"delimiter": ";"}, {"encoding": "utf-8"}, {"defer_digest": True}])
def test_option_that_means_nothing_to_the_input_is_refused(option: dict[str, Any]) -> None:
    with pytest.raises(InvalidIntentError):
        read([{"a": 1}], ReadOptions(**option))


def test_home_folder_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "data.csv").write_text("a\n1\n")
    assert read("~/data.csv", ReadOptions()).row_count == 1


def test_choosing_loads_no_driver() -> None:
    script = (
        "import sys; from service_nb.readers.detect import choose_reader as c; c('x.xlsx'); c('x.parquet');"
        "print([name for name in ('openpyxl', 'sqlite3', 'duckdb', 'pandas', 'sqlglot') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
