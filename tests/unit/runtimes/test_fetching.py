"""Of the lock, what the runtime imports; of a wheel's name, what pip is asked for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest

from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.checkout import find_checkout_lock
from service_nb.runtimes.fetching import PACKAGES, fetch_locked_wheels, parse_project, parse_requirement, read_lock
from service_nb.runtimes.folders import InstallProgress, RuntimeStore
from service_nb.runtimes.interface import Step
from tests.simulators.runtimes import with_wheels
from tests.tools.sampling import sample


def test_the_lock_has_all_that_the_runtime_imports_by_hash() -> None:
    lock = find_checkout_lock()
    assert lock is not None
    text = read_lock(lock)
    blocks = re.split(r"\n(?=\S)", text.strip())
    assert {block.partition("==")[0] for block in blocks} == PACKAGES
    assert all("--hash=sha256:" in block for block in blocks)
    assert all(line.startswith(("    --hash=", *PACKAGES)) for line in text.splitlines())


def test_only_whole_names_count(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text(
        "# numpy==0\nnumpy-quaternion==1 \\\n    --hash=sha256:a\nNumPy==2 ; x \\\n    --hash=sha256:b\nzeta==3\n"
    )
    assert read_lock(lock) == "NumPy==2 ; x \\\n    --hash=sha256:b\n"


@pytest.mark.parametrize(
    ("name", "asked", "known"),
    [
        ("numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl", "numpy==2.4.6", "numpy"),
        ("python_flint-0.9.0-cp310-abi3-macosx_11_0_arm64.whl", "python_flint==0.9.0", "python-flint"),
        ("grpcio-1.85.1-2-cp311-cp311-linux_x86_64.whl", "grpcio==1.85.1", "grpcio"),
        ("torch-2.0+cpu-py3-none-any.whl", "torch==2.0+cpu", "torch"),
    ],
)
def test_a_wheel_is_asked_for_by_its_name(name: str, asked: str, known: str) -> None:
    assert parse_requirement(f"wheels/{name}") == asked
    assert parse_project(f"wheels/{name}") == known


@pytest.mark.parametrize(
    "name",
    [
        "x.whl",
        "a-1.whl",
        "a-1-py3-none.whl",
        "a -1-py3-none-any.whl",
        "a-1;b-py3-none-any.whl",
        "--index-url-1-a-b-c.whl",
        "a-1-py3-none-any.zip",
    ],
)
def test_a_name_that_is_none_reaches_no_pip(name: str) -> None:
    with pytest.raises(RuntimeProvisionError) as caught:
        parse_requirement(f"wheels/{name}")
    assert caught.value.reason == "manifest_malformed"


@pytest.mark.parametrize(
    "spoilt", sample(["absent", "not JSON", "one fewer", "another digest", "another name", "a size that is none"], 3)
)
def test_what_a_note_says_of_a_lock_is_believed_only_where_the_lock_allows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoilt: str
) -> None:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    with_wheels(tmp_path / "home")
    store, lock = RuntimeStore(), find_checkout_lock()
    assert lock is not None
    told = {"wheels": msgspec.to_builtins(fetch_locked_wheels(store, lock, InstallProgress(None)))}
    first = told["wheels"][0]
    if spoilt == "one fewer":
        told["wheels"] = told["wheels"][1:]
    elif spoilt == "another digest":
        first["sha256"] = "0" * 64
    elif spoilt == "another name":
        first["path"] = "wheels/../../x.whl"
    elif spoilt == "a size that is none":
        first["size"] = "x"
    for path in store.fetched.glob("*.json"):
        path.unlink()  # a link to what tests share
        if spoilt != "absent":
            path.write_text("{" if spoilt == "not JSON" else json.dumps(told))
    steps: list[Step] = []
    with monkeypatch.context() as patch, store.lock():
        patch.setenv("PIP_NO_INDEX", "1")
        patch.setenv("PIP_CONFIG_FILE", "/dev/null")
        patch.setenv("PIP_FIND_LINKS", "")
        with pytest.raises(RuntimeProvisionError) as caught:
            fetch_locked_wheels(store, lock, InstallProgress(steps.append))
    assert caught.value.reason == "wheel_missing", "it is fetched anew"
    assert steps[0].label == "Fetching wheels"
