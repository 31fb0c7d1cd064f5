"""Whole results over the link, part by part: the hashed text of a result, or its rows as Parquet.

A front end asks for each part, so that it can break off, and other messages are answered between two parts. It checks
the text against the hash of its card; nothing here vouches for that. The client's policy says which results there are.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary

from service_nb.client.history import find_outcome
from service_nb.client.results import RowsResult
from service_nb.errors import EvidenceError, InvalidIntentError, LimitExceededError
from service_nb.ledger.exports.parquet_rows import to_parquet

if TYPE_CHECKING:
    from service_nb.client.service import Service

Form = Literal["text", "parquet"]
PART_CHARS = 500_000
MOST_CHARS = 64_000_000  # of a whole: what a page can hold and sort
_TEXTS = {"query": "result", "computation": "value"}

# What was read last for each client, until its last part is sent: a large text is not read anew for every part.
_open: WeakKeyDictionary[Service, tuple[str, Form, str]] = WeakKeyDictionary()


def read_part(client: Service, result_id: str, form: Form, at: int) -> dict[str, object]:
    """Return a part of a result from the character `at` on, and the number of characters of the whole.

    Raises
    ------
    ResultNotFoundError, LedgerError
        As `Service.get_result`: also of a result that the client's policy does not allow.
    LimitExceededError [limit_exceeded]
        The whole is too large for a page.
    """
    kept = _open.get(client)
    if at > 0 and kept is not None and kept[:2] == (result_id, form):
        whole = kept[2]
    else:
        result = find_outcome(client, result_id)
        whole = _write_whole(result if isinstance(result, RowsResult) else client.get_result(result_id), form)
        _require_size(whole)
    part = whole[at : at + PART_CHARS]
    if at + len(part) < len(whole):
        _open[client] = (result_id, form, whole)
    else:
        _open.pop(client, None)
    return {"part": part, "size": len(whole)}


def _write_whole(result: RowsResult, form: Form) -> str:
    kind = result.card["kind"]
    if kind not in _TEXTS or (form == "parquet" and kind != "query"):
        raise InvalidIntentError(f"A {kind} has no rows to send.", met=kind, expected="query")
    card = result.read_whole_card()
    if form == "parquet":
        content = to_parquet(result.to_arrow(), card["digests"], card["canonical"].get("plan"))
        return base64.b64encode(content).decode()
    text = card["canonical"].get(_TEXTS[kind])
    if text is None:
        raise EvidenceError(
            "The text of this result was not kept.",
            reason="text_not_kept",
            hint="Replay the card to compute it again.",
        )
    return text


def _require_size(whole: str) -> None:
    if len(whole) > MOST_CHARS:
        raise LimitExceededError(
            f"This result has {len(whole):,} characters; a page takes at most {MOST_CHARS:,}.",
            hint="Write it to a file: outcome.to_parquet('rows.parquet'), or service-nb export ID --format parquet.",
            limit=MOST_CHARS,
            value=len(whole),
        )
