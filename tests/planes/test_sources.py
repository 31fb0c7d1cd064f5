"""Sources are read once and never change: what the same name means, when a file counts as changed, what is kept."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.errors import (
    InvalidIntentError,
    SourceAlreadyRegisteredError,
    SourceChangedError,
    SourceNotFoundError,
    UnsupportedSourceError,
)

TEXT = "region,revenue\nnorth,10.5\nsouth,0.1\nsouth,0.2\n"
FIELDS = {
    *("name", "source_id", "dataset_id", "fields", "typed_fields", "row_count", "schema_revision", "status"),
    *("content", "reading", "aliases", "notes", "reasons", "advice"),
}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = service_nb.create_service(project=tmp_path)
    yield made
    made.close()


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    path.write_text(TEXT, encoding="utf-8")
    return path


def rewrite(path: Path, text: str) -> None:
    """Write other content at once, with another time."""
    path.write_text(text, encoding="utf-8")
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000_000))


# --- the same name ----------------------------------------------------------------------------------------------------


def test_a_source_has_every_field(service: Service, csv: Path) -> None:
    source = service.connect(csv)
    assert set(source) == FIELDS
    assert (source["name"], source["status"], source["row_count"]) == ("sales", "ready", 3)
    assert source["fields"] == ["region", "revenue"]
    assert [(field["name"], field["type"]) for field in source["typed_fields"]] == [
        ("region", "string"),
        ("revenue", "number"),
    ]
    assert source["source_id"] == source["dataset_id"]
    assert source["content"]["bytes"] == len(TEXT)
    assert json.loads(json.dumps(source)) == source
    assert service.source("sales") == source
    assert service.sources() == [source]


def test_the_same_content_under_the_same_name_is_the_same_source(service: Service, csv: Path, tmp_path: Path) -> None:
    first = service.connect(csv)
    assert service.connect(csv) == first
    copy = tmp_path / "copy.csv"
    shutil.copy(csv, copy)
    assert service.connect(copy, name="sales") == first
    assert service.connect(csv, name="other")["source_id"] != first["source_id"]


def test_other_content_under_the_same_name_is_refused(service: Service, csv: Path, tmp_path: Path) -> None:
    first = service.connect(csv)
    other = tmp_path / "other.csv"
    other.write_text(TEXT + "west,1\n", encoding="utf-8")
    with pytest.raises(SourceAlreadyRegisteredError) as caught:
        service.connect(other, name="sales")
    assert caught.value.code == "source_already_registered"
    assert service.source("sales") == first
    assert service.ask("count from sales").rows == [{"count": 3}]


def test_the_same_content_with_other_types_is_another_source(service: Service, csv: Path) -> None:
    service.connect(csv)
    for types in ({"revenue": "string"}, {"revenue": "decimal(12,2)"}):
        with pytest.raises(SourceAlreadyRegisteredError):
            service.connect(csv, types=types)
    assert (
        service.connect(csv, name="exact", types={"revenue": "decimal(12,2)"})["typed_fields"][1]["physical"]
        == "decimal(12,2)"
    )


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, lambda columns: pa.table(columns).slice(0)])
def test_the_same_values_are_the_same_source_whatever_holds_them(make: Any, service: Service) -> None:
    columns = {"x": [1, 2, 3], "word": ["a", "b", "a"]}
    first = service.connect(pa.table(columns), name="frame")
    assert service.connect(make(columns), name="frame")["source_id"] == first["source_id"]
    with pytest.raises(SourceAlreadyRegisteredError):
        service.connect(make({**columns, "x": [1, 2, 4]}), name="frame")


def test_a_frame_changed_after_connecting_changes_nothing(service: Service) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    service.connect(frame, name="frame")
    large = pd.DataFrame({"x": [1.0] * 3_000})
    service.connect(large, name="large")
    frame.loc[0, "x"] = 100.0
    large.loc[:, "x"] = 100.0
    rows = [{"x": 1}, {"x": 2}]
    service.connect(rows, name="rows")
    rows[0]["x"] = 100
    assert service.ask("sum x from frame").rows == [{"x": 6.0, "count": 3}]
    assert service.ask("sum x from large").rows == [{"x": 3_000.0, "count": 3_000}]
    assert service.ask("sum x from rows").rows == [{"x": 3, "count": 2}]


# --- changed files ----------------------------------------------------------------------------------------------------


def test_a_changed_file_is_no_longer_asked(service: Service, csv: Path) -> None:
    service.connect(csv)
    plan = service.resolve("sum revenue")["plan"]
    before = service.ask("sum revenue")["data"]["result_hash"]
    rewrite(csv, TEXT.replace("10.5", "10.6"))
    for run in (lambda: service.ask("sum revenue"), lambda: service.query(plan), lambda: service.ask("count")):
        with pytest.raises(SourceChangedError) as caught:
            run()
        assert caught.value.code == "source_changed"
    checks = {check["check"]: check for check in service.verify(plan)["checks"]}
    assert (checks["content"]["status"], checks["content"]["cause"]) == ("failed", "source_changed")
    rewrite(csv, TEXT)  # changed back
    assert service.ask("sum revenue")["data"]["result_hash"] == before
    assert service.verify(plan)["valid"]


def test_a_touched_file_of_equal_content_is_the_same(service: Service, csv: Path) -> None:
    service.connect(csv)
    rewrite(csv, TEXT)
    assert service.ask("count").rows == [{"count": 3}]
    csv.unlink()
    csv.write_text(TEXT, encoding="utf-8")  # another inode
    assert service.ask("count where revenue > 1").rows == [{"count": 1}]


@pytest.mark.parametrize("text", [None, "", 'region,revenue\n"unclosed', "region,revenue,more\n1,2,3\n"])
def test_a_file_that_is_gone_or_broken_is_a_changed_file(text: str | None, service: Service, csv: Path) -> None:
    service.connect(csv, types={"revenue": "decimal(12,2)"})
    if text is None:
        csv.unlink()
    else:
        rewrite(csv, text)
    with pytest.raises(SourceChangedError):
        service.ask("sum revenue")


def parquet(path: Path, values: list[float]) -> Path:
    pq.write_table(pa.table({"x": values}), path)
    return path


@pytest.mark.parametrize("content", ["now", "deferred"])
def test_changed_parquet_is_no_longer_asked(content: str, service: Service, tmp_path: Path) -> None:
    path = parquet(tmp_path / "p.parquet", [1.0, 2.0])
    service.connect(path, content=content)
    assert service.ask("sum x").rows == [{"x": 3.0, "count": 2}]
    rewritten = parquet(tmp_path / "new", [1.0, 3.0])
    rewritten.replace(path)
    with pytest.raises(SourceChangedError):
        service.ask("sum x")
    path.unlink()
    with pytest.raises(SourceChangedError):
        service.ask("max x")


def test_a_deferred_digest_comes_by_itself(service: Service, tmp_path: Path) -> None:
    path = parquet(tmp_path / "p.parquet", [1.0, 2.0])
    assert service.connect(path, content="deferred")["content"]["sha256"] is None
    deadline = time.monotonic() + 30
    while (found := service.source("p")["content"]["sha256"]) is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert found == hashlib.sha256(path.read_bytes()).hexdigest()
    assert service.ask("sum x").rows == [{"x": 3.0, "count": 2}]


def test_without_digests_another_file_is_other_data(service: Service, tmp_path: Path) -> None:
    one, other = parquet(tmp_path / "one.parquet", [1.0]), parquet(tmp_path / "other.parquet", [2.0])
    first = service.connect(one, name="p", content="deferred")
    service.ask("count from p")  # whose card waits for the digest
    assert service.connect(one, name="p", content="deferred") == service.source("p")
    assert first["content"]["sha256"] in (None, service.source("p")["content"]["sha256"])
    with pytest.raises(SourceAlreadyRegisteredError):
        service.connect(other, name="p", content="deferred")


def test_a_folder_with_one_more_file_is_a_changed_source(service: Service, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    parquet(folder / "a.parquet", [1.0])
    parquet(folder / "b.parquet", [2.0])
    service.connect(folder)
    assert service.ask("sum x").rows == [{"x": 3.0, "count": 2}]
    parquet(folder / "b.parquet", [5.0])
    with pytest.raises(SourceChangedError):
        service.ask("sum x")


# --- what is connected ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"types": "abc"},
        {"types": ["revenue"]},
        {"types": {"revenue": 5}},
        {"types": {5: "string"}},
        {"types": {"revenue": "money"}},
        {"types": {"no such column": "string"}},
        {"aliases": ["a"]},
        {"aliases": "a"},
        {"aliases": {"a": 5}},
        {"aliases": {"a": "no such column"}},
        {"aliases": {"": "revenue"}},
        {"aliases": {"region": "revenue"}},
        {"nulls": 5},
        {"nulls": "NA"},
        {"content": "later"},
        {"name": ""},
        {"name": 5},
        {"name": "a\nb"},
        {"name": "x" * 2_000},
        {"sheet": "one"},
        {"sheet": 5},
        {"encoding": 5},
        {"delimiter": ["x"]},
    ],
)
def test_a_malformed_option_is_refused_and_nothing_is_registered(
    options: dict[str, Any], service: Service, csv: Path
) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        service.connect(csv, **options)
    assert caught.value.code == "invalid_intent"
    assert service.sources() == []


@pytest.mark.parametrize("name", [5, ["x"], {"a": 1}, None])
def test_nothing_to_connect_is_refused(name: Any, service: Service) -> None:
    with pytest.raises(InvalidIntentError):
        service.connect(name=name)


@pytest.mark.parametrize("name", ["nowhere", 5, ["x"]])
def test_a_source_that_is_not_registered_is_not_found(name: Any, service: Service) -> None:
    with pytest.raises(SourceNotFoundError):
        service.source(name)


def test_values_are_those_of_columns_with_few(service: Service, csv: Path) -> None:
    service.connect(csv)
    assert service.values("sales", "region") == ("north", "south")
    assert service.values("sales", "revenue") == service.values("sales", "nothing") == ()


# --- service.toml -----------------------------------------------------------------------------------------------------


def test_a_kept_source_reconnects_by_name(service: Service, csv: Path, tmp_path: Path) -> None:
    (tmp_path / "service.toml").write_text('# ours\n[project]\ntitle = "x"  # stays\n', encoding="utf-8")
    first = service.connect(
        csv, persist=True, types={"revenue": "decimal(12,2)"}, aliases={"turnover": "revenue"}, nulls=["NA"]
    )
    text = (tmp_path / "service.toml").read_text(encoding="utf-8")
    assert "# ours" in text
    assert "# stays" in text
    assert str(tmp_path) not in text
    assert "10.5" not in text
    later = service_nb.create_service(project=tmp_path)
    assert later.stored_sources() == ["sales"]
    assert later.connect(name="sales") == first
    assert later.ask("sum turnover from sales")["data"]["result"] == [{"revenue": "10.80", "count": 3}]


def test_a_kept_source_whose_file_changed_is_refused(service: Service, csv: Path, tmp_path: Path) -> None:
    service.connect(csv, persist=True)
    rewrite(csv, TEXT + "west,1\n")
    later = service_nb.create_service(project=tmp_path)
    with pytest.raises(SourceChangedError) as caught:
        later.connect(name="sales")
    assert caught.value.code == "source_changed"
    assert later.sources() == []


@pytest.mark.parametrize(
    "source", [pa.table({"x": [1]}), pd.DataFrame({"x": [1]}), [{"x": 1}], {"records": [{"x": 1}]}]
)
def test_what_lives_in_memory_cannot_be_kept(source: Any, service: Service, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedSourceError):
        service.connect(source, name="frame", persist=True)
    assert not (tmp_path / "service.toml").exists()


def test_a_name_that_is_not_kept_is_not_found(service: Service) -> None:
    with pytest.raises(SourceNotFoundError):
        service.connect(name="nowhere")


@pytest.mark.parametrize(
    "text",
    [
        "[sources.sales]\npath = 5",
        "[sources.sales]",
        "[sources]\nsales = 'sales.csv'",
        "sources = 5",
        "[sources.sales",
        "[sources.sales]\npath = 'sales.csv'\ntypes = 'x'",
        "[sources.sales]\npath = 'sales.csv'\naliases = ['x']",
        "[sources.sales]\npath = 'sales.csv'\nnulls = 'NA'",
        "[sources.sales]\npath = 'sales.csv'\nsha256 = 5",
        "[sources.sales]\npath = 'sales.csv'\nencoding = 5",
        "[sources.sales]\npath = 'sales.csv'\ndelimiter = ['x']",
        "[sources.sales]\npath = 'sales.csv'\nsheet = 5",
        "[sources.sales]\npath = 'sales.csv'\nprovider = 5",
        "[sources.sales]\npath = 'a\\u0000b.csv'",
    ],
)
def test_a_broken_service_toml_is_told_and_never_a_crash(
    text: str, service: Service, csv: Path, tmp_path: Path
) -> None:
    (tmp_path / "service.toml").write_text(text, encoding="utf-8")
    with pytest.raises(service_nb.ServiceError):
        service.connect(name="sales")
    assert service.sources() == []
