"""A ledger of 100,000 entries: what one more costs beside a bare insert, and what proving and verifying takes.

Both write to the same disk in turns, each insert synced before the next begins. A sync takes as long as the disk wants;
what the ledger itself costs is the processor's time, which is a row of its own.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.measure import Row, duration, timed, within
from service_nb.ledger.store import Ledger, NewEntry
from tests.simulators.ledgers import Key, new_entry, result_id

ENTRIES = 100_000
BATCH = 10_000
APPENDS = 2_000
APPEND_S, PROOF_S, VERIFY_S = 0.002, 0.005, 30.0


def main() -> list[Row]:
    """Return the rows; the ledger that is measured, 400 MB, is gone afterwards."""
    build = Path(__file__).parents[1] / "build"
    build.mkdir(exist_ok=True)
    home = os.environ.get("SERVICE_HOME")
    with tempfile.TemporaryDirectory(prefix="service-nb-", dir=build) as place:
        os.environ["SERVICE_HOME"] = str(Path(place) / "home")
        try:
            return measured(Path(place))
        finally:
            os.environ.pop("SERVICE_HOME")
            if home is not None:
                os.environ["SERVICE_HOME"] = home


def measured(place: Path) -> list[Row]:
    """Return the rows of a ledger in this folder."""
    key = Key()
    with Ledger(place / ".service", lambda: key) as ledger:
        batches = []
        for start in range(0, ENTRIES, BATCH):
            new = entries(start, BATCH)
            batches.append(timed(partial(ledger.append, new)))
        rows = [Row(f"one append of {BATCH:,} entries", duration(statistics.median(batches)))]
        rows += appending(ledger, place / "bare.sqlite")
        indexes = range(0, ENTRIES, ENTRIES // 500)
        proofs = [timed(partial(ledger.read_receipt, index)) for index in indexes]
        reads = [timed(partial(ledger.get, result_id(index))) for index in indexes]
        rows.append(within(f"a receipt with its proof, of {ENTRIES:,}", statistics.median(proofs), PROOF_S))
        rows.append(Row("  slowest in 100", duration(percentile(proofs))))
        rows.append(Row("an entry read by its id, all hashes checked", duration(statistics.median(reads))))
        size, spent, started = ledger.count_entries(), processor_time(), perf_counter()
        verdict = ledger.verify(keys=[key.public_key])
        taken, spent = perf_counter() - started, processor_time() - spent
        if verdict.status != "verified":
            raise RuntimeError(f"the ledger does not verify: {verdict.to_dict()}")
    total = sum(path.stat().st_size for path in (place / ".service").rglob("*") if path.is_file())
    rows.append(within(f"the whole ledger verified, {size:,} entries", taken, VERIFY_S))
    rows.append(Row("  of which the processors'", duration(spent), "two processes"))
    rows.append(Row("an entry on the disk", f"{total / size / 1024:.2g} kB"))
    return rows


def appending(ledger: Ledger, bare: Path) -> list[Row]:
    """Rows of single appends, beside inserts of as many bytes into a bare table."""
    new = entries(ENTRIES, APPENDS)
    with closing(sqlite3.connect(bare, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE entries (id TEXT PRIMARY KEY, payload BLOB, card TEXT)")
        ours, theirs, spent = [], [], 0.0
        for entry in new:
            spent -= process_time()
            ours.append(timed(partial(ledger.append, [entry])))
            spent += process_time()
            row = (f"{len(ours):016x}", entry.payload, entry.card)
            theirs.append(timed(partial(connection.execute, "INSERT INTO entries VALUES (?, ?, ?)", row)))
    median, peer = statistics.median(ours), statistics.median(theirs)
    slow, slow_peer = percentile(ours), percentile(theirs)
    what = f"one append at {ENTRIES:,} entries"
    return [
        within(what, median, APPEND_S)._replace(peer=f"bare SQLite {duration(peer)}", ratio=median / peer),
        Row("  slowest in 100", duration(slow), f"bare SQLite {duration(slow_peer)}", slow / slow_peer),
        Row("  of which the processor's", duration(spent / APPENDS)),
    ]


def entries(start: int, count: int) -> list[NewEntry]:
    """Questions that were answered, each a different one."""
    return [new_entry(number) for number in range(start, start + count)]


def processor_time() -> float:
    """Return what this process and those that it waited for have used."""
    return sum(os.times()[:4])


def percentile(times: list[float]) -> float:
    """Return the time that one in a hundred exceeds."""
    return statistics.quantiles(times, n=100)[-1]
