"""Sources that were in memory, kept beside the ledger: what a frame gave can be asked of the same values again.

A file a source, `sources/<SHA-256 of the values>.parquet`, written once; those of a tenant in a folder of its own. Who
reads it back compares the digest of the values with its name; the file itself proves nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from service_nb.core.digest import sha256_hex
from service_nb.core.whole_files import beside

FOLDER = "sources"
MOST_BYTES = 512 * 1024**2  # of values in memory
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


def keep_source(ledger: Path, content_sha256: str, table: pa.Table, tenant: str | None = None) -> bool:
    """Write a source's values beside the ledger, unless they are there or too large; return whether they are there.

    Raises
    ------
    OSError
        They cannot be written; nothing is left of the attempt.
    """
    target = _path(ledger, content_sha256, tenant)
    if target is None or table.nbytes > MOST_BYTES:
        return False
    if target.exists():
        return True
    for folder in (ledger / FOLDER, target.parent):
        folder.mkdir(mode=0o700, exist_ok=True)
    with beside(target, lambda stream: pq.write_table(table, stream, compression="zstd")) as made:
        made.chmod(0o400)
        made.replace(target)
    return True


def kept_source(ledger: Path, content_sha256: str, tenant: str | None = None) -> Path | None:
    """Return the file that keeps a source's values for a tenant, if there is one."""
    target = _path(ledger, content_sha256, tenant)
    return target if target is not None and target.is_file() and not target.is_symlink() else None


def _path(ledger: Path, content_sha256: str, tenant: str | None) -> Path | None:
    """Return where values of that digest are kept; what is no digest is no name of a file either."""
    if not _DIGEST.fullmatch(content_sha256):
        return None
    # Whoever knows a digest could ask for the values behind it: no tenant reads those of another.
    folder = ledger / FOLDER if tenant is None else ledger / FOLDER / sha256_hex(tenant.encode())
    return folder / f"{content_sha256}.parquet"
