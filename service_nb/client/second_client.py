"""Look for Node and for the TypeScript client, and compare its contract and its hashes with this package's."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import service_nb
from service_nb.client.health_check import HealthCheck
from service_nb.core.words import make_visible

COMMAND = "service-nb-client"
OLDEST_NODE = (20, 19)
PATIENCE_S = 60
# A question that both clients answer with the same hashes.
PROBE = "region,amount\nNorth,0.1\nSouth,2\nNorth,0.2\n"
PROBE_LINE = "sum amount by region from probe"


def check_node() -> Iterator[HealthCheck]:
    """Name the Node of the PATH; only the TypeScript client runs on it, so that none is no fault."""
    program = shutil.which("node")
    if program is None:
        yield HealthCheck(name="node", found="none; only the TypeScript client needs it, 20.19 or later")
        return
    version = _run_program([program, "--version"]).strip().removeprefix("v")
    parts = re.match(r"(\d+)\.(\d+)\.", version)
    if parts is None:
        yield HealthCheck(name="node", found="it does not say its version")
        return
    is_fit = (int(parts[1]), int(parts[2])) >= OLDEST_NODE
    fits = "fits the TypeScript client" if is_fit else "the TypeScript client needs 20.19 or later"
    yield HealthCheck(name="node", found=f"{make_visible(version[:40])}, {fits}")


def check_second_client(contract_hash: str) -> Iterator[HealthCheck]:
    """Compare the contract that the TypeScript client embeds, and the hashes of one question, with this package's."""
    program = find_command()
    if program is None:
        yield HealthCheck(name="parity: typescript", found="not installed; run npm install @service-nb/client")
        return
    told = _read_json(_run_program([program, "version", "--json"]))
    version = make_visible(str(told.get("version"))[:40])
    yield HealthCheck(name="parity: typescript", ok=bool(told), found=f"{COMMAND} {version}")
    yield _compare("parity: typescript contract", str(told.get("contract_hash")), contract_hash)
    with tempfile.TemporaryDirectory(prefix="service-nb-") as folder:
        path = Path(folder) / "probe.csv"
        path.write_text(PROBE, encoding="utf-8")
        answer = _read_json(_run_program([program, "ask", str(path), PROBE_LINE, "--json"]))
        yield _compare("parity: typescript hashes", _write_hashes(answer.get("data") or {}), _ask_probe(path))


def find_command() -> str | None:
    """Find the command of the TypeScript client: of the project that this folder is in, or on the PATH."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        found = shutil.which(COMMAND, path=str(folder / "node_modules" / ".bin"))
        if found is not None:
            return found
    return shutil.which(COMMAND)


def _ask_probe(path: Path) -> str:
    service = service_nb.create_service(runtime="in_process", ledger="off", mode="local")
    try:
        service.connect(path)
        return _write_hashes(service.ask(PROBE_LINE)["data"])
    finally:
        service.close()


def _write_hashes(data: Mapping[str, Any]) -> str:
    return f"plan {data.get('plan_hash')}, result {data.get('result_hash')}"


def _compare(name: str, met: str, own: str) -> HealthCheck:
    if met == own:
        return HealthCheck(name=name, found=met)
    return HealthCheck(name=name, ok=False, found=f"{make_visible(met[:200])}; this package has {own}")


def _run_program(command: Sequence[str]) -> str:
    """Run a program and return what it prints; of one that cannot be run, nothing."""
    try:
        run = subprocess.run(  # noqa: S603  # Node, or the client's own command
            command, capture_output=True, timeout=PATIENCE_S, check=False, env={**os.environ, "NO_COLOR": "1"}
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stdout.decode(errors="replace")


def _read_json(text: str) -> dict[str, Any]:
    try:
        told = json.loads(text)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
