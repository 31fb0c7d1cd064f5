"""A process of clients: each asks one thing after another, and looks at every answer before the next.

``python -m benchmarks.loading.clients job.json`` prints what it met as one JSON document.
"""

from __future__ import annotations

import asyncio
import faulthandler
import itertools
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import service_nb
from benchmarks.loading.mix import ASK, COMPUTE, Asked, differs
from service_nb.client.service import Service
from service_nb.compute.call_arguments import hash_computation, iter_value_blocks
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import RESULT_DOMAIN, digest
from service_nb.deployment.values import DIGEST, has_digest
from service_nb.errors import ServiceError

TOLD = 20  # of what is wrong, that are printed
LATE_S = 60.0


class Job(NamedTuple):
    """What a process is to do."""

    how: str  # raw, product
    port: int
    keys: list[str]
    clients: int
    seconds: float
    path: str  # of the requests; empty: the bare route is asked
    start: int  # at which of them its clients begin


class Fault(NamedTuple):
    """What is not right with an answer: it is wrong, an error that was not declared, or put off for a while."""

    how: str
    what: str


class Met:
    """What came back: times by kind, statuses, and everything that was not right."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}
        self.statuses: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.undeclared: list[str] = []

    def ended(self, kind: str, began: float, fault: Fault | None = None) -> None:
        """Count an answer: its time if it was right."""
        if fault is None:
            self.times.setdefault(kind, []).append(time.perf_counter() - began)
        elif fault.how != "put off":
            (self.wrong if fault.how == "wrong" else self.undeclared).append(f"{kind}: {fault.what}")

    def told(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "times": self.times,
            "statuses": dict(self.statuses),
            "wrong": len(self.wrong),
            "undeclared": len(self.undeclared),
            "what": (self.wrong + self.undeclared)[:TOLD],
        }


def _read(path: str) -> list[Asked]:
    return [Asked(*each) for each in json.loads(Path(path).read_bytes())] if path else []


def _from(asked: list[Asked], start: int) -> Iterator[Asked]:
    return itertools.cycle(asked[start % len(asked) :] + asked[: start % len(asked)])


# --- over sockets -----------------------------------------------------------------------------------------------------


async def raw(job: Job, met: Met) -> None:
    """Ask over sockets that stay open, and make every hash again."""
    asked = _read(job.path)
    until = time.perf_counter() + job.seconds
    clients = []
    for number in range(job.clients):
        key = job.keys[number % len(job.keys)]
        some = _from(asked, job.start + number * 37) if asked else itertools.repeat(Asked("bare", "/", {}, {}))
        clients.append(_client(job.port, key, some, until, met))
    await asyncio.gather(*clients)


async def _client(port: int, key: str, some: Iterator[Asked], until: float, met: Met) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
    try:
        while time.perf_counter() < until:
            one = next(some)
            began = time.perf_counter()
            async with asyncio.timeout(LATE_S):
                writer.write(_request(one, key))
                status, headers, body = await _answer(reader)
            met.statuses[str(status)] += 1
            wait, fault = _judged(one, status, headers, body)
            met.ended(one.kind, began, fault)
            if wait:
                await asyncio.sleep(min(wait, max(0.0, until - time.perf_counter())))
    finally:
        writer.close()


def _request(one: Asked, key: str) -> bytes:
    body = json.dumps(one.body).encode()
    head = (
        f"POST {one.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def _answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
    if headers.get("transfer-encoding") == "chunked":
        pieces = []
        while size := int(await reader.readuntil(b"\r\n"), 16):
            pieces.append((await reader.readexactly(size + 2))[:-2])
        await reader.readuntil(b"\r\n")
        body = b"".join(pieces)
    else:
        body = await reader.readexactly(int(headers["content-length"]))
    return int(lines[0].split()[1]), headers, body


def _judged(one: Asked, status: int, headers: dict[str, str], body: bytes) -> tuple[float, Fault | None]:
    """Return how long to wait before the next request, and what is wrong with an answer, if anything is."""
    if not has_digest(headers.get(DIGEST.lower()), body):
        return 0.0, Fault("wrong", "its digest is another")
    if status in (429, 503):
        is_declared = "retry-after" in headers
        fault = None if is_declared else Fault("undeclared", f"{status} without Retry-After: {body[:200]!r}")
        return float(headers.get("retry-after", 1.0)), fault or Fault("put off", "")
    if status >= 500:
        return 0.0, Fault("undeclared", f"{status} {body[:300]!r}")
    told = json.loads(body)
    text = differs(told, one.expected) or _rehashed(one, told)
    return 0.0, None if text is None else Fault("wrong", f"{text}; {json.dumps(one.body)[:300]}")


def _rehashed(one: Asked, told: dict[str, Any]) -> str | None:
    """Return what is wrong with the hash of an answer, made again from its rows or its value."""
    if one.path == ASK and told.get("status") == "ok":
        data = told["data"]
        made = digest(RESULT_DOMAIN, data["plan_hash"], write_canonical_text(data["result"]))
        return None if made == data["result_hash"] else "result_hash is not that of its rows"
    if one.path == COMPUTE and "computation_hash" in told:
        made = hash_computation(told["invocation_hash"], iter_value_blocks(told["value"]))
        return None if made == told["computation_hash"] else "computation_hash is not that of its value"
    return None


# --- over the product's own client ----------------------------------------------------------------------------------


def product(job: Job, met: Met) -> None:
    """Ask as a notebook does, a client with a ledger of its own in each thread."""
    asked = [one for one in _read(job.path) if one.kind not in ("resolve", "verify")]
    with tempfile.TemporaryDirectory(prefix="snb-load") as folder:
        places = [(number, Path(folder) / str(number)) for number in range(job.clients)]
        threads = [threading.Thread(target=_guarded, args=(job, number, asked, place, met)) for number, place in places]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


_MAKING = threading.Lock()


def _guarded(job: Job, number: int, asked: list[Asked], place: Path, met: Met) -> None:
    try:
        client = _made(job, number, place)
        _notebook(client, _from(asked, job.start + number * 37), time.perf_counter() + job.seconds, met)
        _check(client, met)
    except Exception as error:  # noqa: BLE001  # a client that breaks is a wrong answer
        met.wrong.append(f"a client broke: {error!r}")


def _made(job: Job, number: int, folder: Path) -> Service:
    folder.mkdir()
    with _MAKING:  # it reads the environment
        os.environ |= {
            "SERVICE_DEPLOYMENT_URL": f"http://127.0.0.1:{job.port}",
            "SERVICE_API_KEY": job.keys[number % len(job.keys)],
        }
        client = service_nb.create_service(project=folder, ledger=folder / "ledger", timeout=LATE_S)
    for name in ("orders", "issues"):
        client.connect(name=name)
    return client


def _notebook(client: Service, some: Iterator[Asked], until: float, met: Met) -> None:
    while time.perf_counter() < until:
        one = next(some)
        began = time.perf_counter()
        try:
            told: Any = dict(client.compute(one.body) if one.path == COMPUTE else client.ask(one.body["spec"]))
        except ServiceError as error:
            if error.retryable:
                met.statuses[f"client: {error.code}"] += 1
                continue
            told = {"code": error.code, "message": f"{error} {error.details}"}
        met.statuses["client: answered"] += 1
        text = differs(told, one.expected)
        fault = (
            None if text is None else Fault("wrong", f"{text} {told.get('message', '')}; {json.dumps(one.body)[:300]}")
        )
        met.ended(f"client: {one.kind}", began, fault)


def _check(client: Service, met: Met) -> None:
    """Verify a client's ledger, as `service-nb verify` does."""
    ledger = client._context.recorder.ledger  # noqa: SLF001  # its folder is as good, and would be opened twice
    causes = ("it has none",) if ledger is None else ledger.verify().causes
    if causes:
        met.wrong.append(f"a client's ledger: {', '.join(causes)}")
    client.close()


def main() -> None:
    """Do the job that is named."""
    faulthandler.enable()
    job = Job(**json.loads(Path(sys.argv[1]).read_text()))
    met = Met()
    if job.how == "raw":
        asyncio.run(raw(job, met))
    else:
        product(job, met)
    print(json.dumps(met.told()))


if __name__ == "__main__":
    main()
