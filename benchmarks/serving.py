"""How many small questions a deployment answers in a second, beside a bare Starlette route in the same process.

The deployment is as it is configured: keys are looked up, questions resolved, run, hashed and recorded in a ledger that
is on the disk before the answer goes. Clients are sockets that stay open, in a process of their own.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import uvicorn

from benchmarks.loading.bare import bare_app
from benchmarks.measure import Row, within
from service_nb.server.config import Config, read_config
from service_nb.server.keys import SCOPES, Grant, Keys
from service_nb.server.serving import bind_socket, build_server, configure_process
from service_nb.server.tenants import Deployment
from service_nb.server.upkeep import create_deployment

CONNECTIONS, SECONDS = 8, 5.0
BAR = 0.1  # of what a route that does nothing does
MOST_PROCESSOR_S = 2e-3
TEXT = """
[server]
data = "data"
[runtime]
kind = "in_process"
allow_in_process = true
[rate]
requests_per_s = 100000
burst = 100000
[ledger]
enabled = {ledger}
"""
ROWS = [{"region": f"region {number % 20}", "revenue": number / 7} for number in range(1_000)]
ASK = {"spec": {"metric": "revenue", "aggregation": "sum", "group_by": "region", "source_name": "sales"}}
PLACES = ("bare", "resolve", "ask", "health")


def main() -> list[Row]:
    """Return requests a second of a small ask and of the bare route, and their ratio."""
    rows = []
    for ledger in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            rows += _measured(Path(folder), ledger=ledger)
    return rows


def _measured(folder: Path, *, ledger: bool) -> list[Row]:
    (folder / "deployment.toml").write_text(TEXT.format(ledger=str(ledger).lower()))
    create_deployment(folder / "deployment.toml")
    command = [sys.executable, "-m", "benchmarks.serving", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            told = json.loads(process.stdout.readline() if process.stdout else "")
            met, spent = {}, {}
            for place in PLACES:
                before = _read_processor_time(process.pid)
                met[place] = asyncio.run(_load(place, told))
                spent[place] = (_read_processor_time(process.pid) - before) / (met[place][0] * SECONDS)
        finally:
            process.terminate()
    bare, ask = met["bare"], met["ask"]
    how = "recorded" if ledger else "not recorded"
    for place, (rate, p50, p99) in met.items():
        print(f"    {place:8} {rate:8.0f}/s  p50 {p50:6.2f} ms  p99 {p99:6.2f} ms  ({how})", file=sys.stderr)
    return [
        Row(
            f"questions a second over HTTP, {how}",
            f"{ask[0]:.0f}/s, p50 {ask[1]:.1f}, p99 {ask[2]:.1f} ms",
            f"bare route {bare[0]:.0f}/s, p50 {bare[1]:.1f}, p99 {bare[2]:.1f} ms",
            ask[0] / bare[0],
            f">= {BAR}x",
            ask[0] / bare[0] >= BAR,
        ),
        within(f"processor time of an answer over HTTP, {how}", spent["ask"], MOST_PROCESSOR_S),
    ]


def _read_processor_time(pid: int) -> float:
    """Read the seconds that a process has used of all processors, its threads included."""
    _, _, fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
    user, system = fields.split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


async def _load(place: str, told: dict[str, Any]) -> tuple[float, float, float]:
    """Return requests a second, and the median and the 99th percentile of their times in milliseconds."""
    body = b"" if place == "health" else json.dumps(ASK).encode()
    path = {"bare": "/", "health": "/healthz", "ask": "/v1/query/execute", "resolve": "/v1/query/resolve"}[place]
    head = [f"{'POST' if body else 'GET'} {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {told['key']}"]
    if body:
        head += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    request = "\r\n".join([*head, "", ""]).encode() + body
    port = told["bare"] if place == "bare" else told["port"]
    times: list[float] = []
    until = time.perf_counter() + SECONDS
    await asyncio.gather(*(_ask(port, request, until, times) for _ in range(CONNECTIONS)))
    times.sort()
    return len(times) / SECONDS, times[len(times) // 2] * 1_000, times[len(times) * 99 // 100] * 1_000


async def _ask(port: int, request: bytes, until: float, times: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while (began := time.perf_counter()) < until:
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        if b" 200 " not in head.splitlines()[0]:
            raise RuntimeError(f"it was not answered: {head.decode()}")
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        await reader.readexactly(length)
        times.append(time.perf_counter() - began)
    writer.close()


# --- the process that serves ------------------------------------------------------------------------------------------


def _serve(folder: Path) -> None:
    configure_process()  # as `serve` does
    config: Config = read_config(folder / "deployment.toml")
    deployment = Deployment(config)
    key = Keys(deployment._store).create(Grant(tenant="one", scopes=SCOPES))[1].reveal()  # noqa: SLF001  # as in `serve key`, without its process
    deployment.reach(deployment.authenticate(key)).tenant.base.connect(ROWS, name="sales")  # rows come in by no request
    ours, theirs = bind_socket("127.0.0.1", 0), bind_socket("127.0.0.1", 0)
    app = bare_app()
    bare = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, http="h11"))
    running = build_server(deployment)
    told = {"port": ours.getsockname()[1], "bare": theirs.getsockname()[1], "key": key}

    async def both() -> None:
        other = asyncio.create_task(bare._serve([theirs]))  # noqa: SLF001  # without its signals
        threading.Timer(1.0, lambda: print(json.dumps(told), flush=True)).start()
        await running.serve([ours])
        bare.should_exit = True
        await other

    asyncio.run(both())


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
