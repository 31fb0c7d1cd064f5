"""Parts of other distributions: one that is built, installed and used, and what is refused of others."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from service_nb.cards.blocks import CardFace
from service_nb.core import plugins
from service_nb.ledger.exports.formats import ExportFormat, find_formats

EXAMPLE = Path(__file__).parent / "example"
PAGE = Path(__file__).parents[2] / "docs" / "handbook" / "extending.md"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process that has the example installed beside service_nb."""
    target = tmp_path_factory.mktemp("site")
    given = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--target", str(target), str(EXAMPLE))
    subprocess.run([sys.executable, "-m", "pip", "install", *given], check=True, timeout=300)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(target), os.environ.get("PYTHONPATH", "")])}


def run(environment: dict[str, str], folder: Path, *words: str) -> str:
    found = subprocess.run(
        [sys.executable, *words], env=environment, cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


COMMAND = ("-W", "error", "-m", "service_nb.cli.main")


def test_a_format_and_a_face_of_another_distribution_are_used_by_the_command(
    installed: dict[str, str], tmp_path: Path
) -> None:
    environment = {**installed, "SERVICE_HOME": str(tmp_path / "home"), "SERVICE_LEDGER": str(tmp_path / ".service")}
    (tmp_path / "shop.csv").write_text("region,revenue\nNorth,1.5\n=1+1,2\n")
    assert "  tsv          the rows, with tabs between" in run(environment, tmp_path, *COMMAND, "export", "--help")
    run(environment, tmp_path, *COMMAND, "ask", "shop.csv", "sum revenue by region", "--json")
    listed = run(environment, tmp_path, *COMMAND, "log", "--json")
    result = next(word for word in listed.split('"') if word.startswith("query_"))
    run(environment, tmp_path, *COMMAND, "export", result, "--format", "tsv", "--output", "rows.tsv")
    assert (tmp_path / "rows.tsv").read_text().splitlines()[0].split("\t")[:2] == ["region", "revenue"]
    assert "'=1+1\t2" in (tmp_path / "rows.tsv").read_text()
    assert len(run(environment, tmp_path, *COMMAND, "show", result, "--face", "line").splitlines()) == 1


@pytest.fixture
def feed() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            link, _ = server.accept()
            with link:
                channel = link.recv(100).decode().strip()
                link.sendall(f'{{"channel": "{channel}", "n": 1}}\n{{"channel": "{channel}", "n": 2}}\n'.encode())

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


READ = """
import sys, time
from service_nb.connectors import catalog
from service_nb.readers.dataset import ReadOptions
given = {"type": "json_feed", "host": "127.0.0.1", "port": int(sys.argv[1]), "table": "shop"}
dataset = catalog.extract_source(catalog.parse_descriptor(given), ReadOptions(), time.monotonic() + 30)
print(dataset.table.to_pylist(), catalog.find_connector("json_feed").reads_files)
"""


def test_a_connector_of_another_distribution_is_read(installed: dict[str, str], feed: int, tmp_path: Path) -> None:
    told = run(installed, tmp_path, "-W", "error", "-c", READ, str(feed))
    assert told == "[{'channel': 'shop', 'n': 1}, {'channel': 'shop', 'n': 2}] False\n"


def test_a_deployment_reaches_no_connector_of_others_that_it_does_not_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from service_nb.errors import ForbiddenError
    from service_nb.server.config import Config
    from service_nb.server.guard import Guard

    guard = Guard(config=Config(folder=Path()), tenant="t")
    with pytest.raises(ForbiddenError):
        guard._check_type("json_feed")
    guard._check_type("postgres")


# --- what is refused ------------------------------------------------------------------------------------------------

GOOD = ExportFormat(name="good", ending=".x", words="words", write=lambda _: b"")
OTHER = CardFace(name="bad", mime="text/x", write=lambda _: "")


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("csv", "good", "service_nb has a part of that name"),
        ("bad", "absent", "AttributeError"),
        ("bad", "no_module", "ModuleNotFoundError"),
        ("bad", "OTHER", "it is no ExportFormat"),
        ("bad", "GOOD", "its record has another name"),
        ("Bad Name", "GOOD", "its name is not of lower-case letters"),
    ],
)
def test_a_part_that_cannot_be_used_is_named_and_left_out(
    name: str, value: str, why: str, monkeypatch: pytest.MonkeyPatch, record_property: Any
) -> None:
    where = "no_such_module_anywhere:X" if value == "no_module" else f"{__name__}:{value}"
    listed = [EntryPoint(name, where, "service_nb.exports")]
    monkeypatch.setattr(plugins, "entry_points", lambda group: listed if group == "service_nb.exports" else [])
    plugins.find_plugins.cache_clear()
    find_formats.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match=why):
            found = find_formats()
    finally:
        plugins.find_plugins.cache_clear()
        find_formats.cache_clear()
    assert found["csv"].words == "the rows, guarded against formulas"
    assert not {"bad", "Bad Name"} & found.keys()
    record_property("bad_inputs", 1)


def test_of_two_parts_with_one_name_neither_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [EntryPoint("twice", f"a:{each}", "service_nb.faces") for each in "ab"]
    monkeypatch.setattr(plugins, "entry_points", lambda group: listed)
    plugins.find_plugins.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match="2 distributions"):
            assert plugins.load_plugins("service_nb.faces", CardFace, taken=()) == {}
    finally:
        plugins.find_plugins.cache_clear()


def test_without_plugins_nothing_is_said() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plugins.load_plugins("service_nb.no_such_group", CardFace, taken=()) == {}


def test_the_page_shows_the_example_as_it_is() -> None:
    text = PAGE.read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in text.split("```python\n")[1:]]
    program = (EXAMPLE / "service_nb_example.py").read_text(encoding="utf-8")
    assert blocks
    assert all(block in program for block in blocks)
    (toml,) = [block.split("```")[0] for block in text.split("```toml\n")[1:]]
    assert toml in (EXAMPLE / "pyproject.toml").read_text(encoding="utf-8")
