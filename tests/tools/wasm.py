"""Certified capabilities in WebAssembly: the folder that the TypeScript client takes, and what it makes of first cases.

python -m tests.tools.wasm        compute the first case of each certified capability there and here, and print figures
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import service_nb
from service_nb.errors import ServiceError
from service_nb.runtimes.interface import map_packaged_contract
from tests.tools import node

ADAPTER = Path(__file__).with_suffix(".mjs")
KERNELS = Path(__file__).resolve().parents[2] / "kernels" / "service_nb_kernels"
WHEEL = "python_flint-0.9.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl"
SHA256 = "b31f5c00e0e36040ab58d00b3025156e20869b990d776e4bf90f870b1ee11ad3"
PLATFORM = ("--platform", "pyemscripten_2026_0_wasm32", "--python-version", "314", "--implementation", "cp")


@cache
def make_folder() -> Path:
    """Return a folder of kernels and of python-flint's wheel, which pip fetches once for this environment."""
    folder = Path(sys.prefix) / "wasm"
    folder.mkdir(exist_ok=True)
    if not (folder / WHEEL).is_file():
        wanted = folder / "requirements.txt"
        wanted.write_text(f"python-flint==0.9.0 --hash=sha256:{SHA256}\n", encoding="ascii")
        how = ("--no-deps", "--only-binary", ":all:", *PLATFORM, "--abi", "cp314", "--require-hashes")
        command = [sys.executable, "-m", "pip", "download", "-q", *how, "-r", str(wanted), "-d", str(folder)]
        subprocess.run(command, check=True)
    link = folder / KERNELS.name
    if not link.is_symlink():
        link.symlink_to(KERNELS, target_is_directory=True)
    return folder


def list_first_cases() -> list[dict[str, Any]]:
    """Return the call of the first case of each certified capability."""
    entries = json.loads(map_packaged_contract()[:])["capabilities"].values()
    return [
        {"module": each["module"], "function": each["function"], "kwargs": each["cases"][0]["arguments"]}
        for each in entries
        if each["tier"] == "certified"
    ]


def compute_there(specs: Sequence[dict[str, Any]], timeout: float = 60) -> dict[str, Any]:
    """Compute in WebAssembly; `answers`, `coldMs`, `warmMs`."""
    node.built()
    told = {"folder": str(make_folder()), "specs": specs, "timeout": timeout}
    answer: dict[str, Any] = json.loads(node.node(ADAPTER, stdin=json.dumps(told).encode()))
    return answer


def compute_here(specs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Compute with NumPy and FLINT as they are installed."""
    service = service_nb.create_service(ledger="off", runtime="in_process")
    return [compute_one(service, spec) for spec in specs]


def compute_one(service: service_nb.Service, spec: dict[str, Any]) -> dict[str, Any]:
    """Return the value of a call, or the code of its refusal."""
    try:
        return {"value": service.compute(spec)["value"]}
    except ServiceError as error:
        return {"code": error.code}


def is_same(mine: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Tell whether two answers agree; JavaScript writes a double of 1e18 without a point."""
    return mine.get("code") == theirs.get("code") and _align(theirs.get("value"), mine.get("value")) == mine.get(
        "value"
    )


def _align(value: Any, like: Any) -> Any:
    if isinstance(like, float) and isinstance(value, int):
        return float(value)
    if isinstance(like, list) and isinstance(value, list) and len(like) == len(value):
        return [_align(*pair) for pair in zip(value, like, strict=True)]
    if isinstance(like, dict) and isinstance(value, dict) and like.keys() == value.keys():
        return {name: _align(value[name], like[name]) for name in like}
    return value


def main() -> None:
    """Print how many first cases have native's bits, and why the others have none."""
    specs = list_first_cases()
    here, there = compute_here(specs), compute_there(specs)
    told = Counter[str]()
    for spec, mine, theirs in zip(specs, here, there["answers"], strict=True):
        same = "same" if is_same(mine, theirs) else str(theirs.get("code", "other bits"))
        told[same] += 1
        if same not in ("same", "unsupported_platform"):
            print(spec, mine, theirs)
    print(f"{told['same']} of {len(specs)} certified capabilities give native's bits; {dict(told)}")
    print(f"cold {there['coldMs']:.0f} ms, warm {there['warmMs']:.2f} ms; processor {there['cpuMs']:.0f} ms")


if __name__ == "__main__":
    main()
