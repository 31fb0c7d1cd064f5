"""The three verifiers, asked the same: what each says of a document, as lists of (check, status, cause)."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Any

from service_nb.evidence import standalone
from service_nb.evidence.documents import check_document
from tests.tools.node import built, node

Said = list[list[tuple[str, str, str | None]]]  # of each verdict, of each check
BLOCK = 10_000  # documents for one process of Node

# Pure Python takes some ms for a signature, and most mutants keep theirs.
_verify_ed25519 = cache(standalone.verify_ed25519)


def by_python(content: bytes, keys: Collection[str], contracts: Collection[str]) -> Said:
    return _named(check_document(content, keys=keys, contracts=contracts))


def by_standalone(content: bytes, keys: Collection[str], contracts: Collection[str]) -> Said:
    anchors = standalone.Anchors(keys, contracts, _verify_ed25519)
    return _named(standalone.check_document(content, anchors))


def by_typescript(contents: Iterable[bytes], keys: Sequence[str], contracts: Sequence[str]) -> list[Said]:
    """What the TypeScript package says of many documents, in one process of Node for each ten thousand."""
    options = {"keys": list(keys), "contracts": list(contracts)}
    lines = [json.dumps({"document": {"base64": base64.b64encode(each).decode()}, **options}) for each in contents]
    batch = built() / "packages" / "verify" / "dist" / "batch.js"
    blocks = ["\n".join(lines[start : start + BLOCK]).encode() for start in range(0, len(lines), BLOCK)]
    answers = [answer for block in blocks for answer in node(batch, stdin=block).splitlines()]
    return [_said(json.loads(answer)) for answer in answers]


def status_of(said: Said) -> str:
    """The worst of the verdicts, each in the words of docs/decisions/0019."""
    ranked = ("altered", "not_checkable", "consistent", "unaltered", "verified")
    return min((_verdict(verdict) for verdict in said), key=ranked.index, default="verified")


def _verdict(checks: list[tuple[str, str, str | None]]) -> str:
    if any(status == "failed" for _, status, _ in checks):
        return "altered"
    causes = {cause for _, status, cause in checks if status == "not_checkable"}
    noted = {"text_not_kept", "rows_not_kept", "not_sealed", "card_repeated", "card_out_of_order"}
    if causes - noted - {"unsigned", "unknown_signer"}:
        return "not_checkable"
    return "consistent" if "unsigned" in causes else "unaltered" if "unknown_signer" in causes else "verified"


def causes_of(said: Said) -> set[str | None]:
    """The causes of all checks that did not pass."""
    return {cause for verdict in said for _, status, cause in verdict if status != "passed"}


def _named(verdicts: Iterable[standalone.Verdict]) -> Said:
    return [[(each.name, each.status, each.cause) for each in verdict.checks] for verdict in verdicts]


def _said(verdicts: list[dict[str, Any]]) -> Said:
    return [[(c["check"], c["status"], c["cause"]) for c in verdict["checks"]] for verdict in verdicts]
