"""Computations, and the contract that they stand in."""

from __future__ import annotations

import msgspec

from service_nb.deployment import messages
from service_nb.errors import InvalidIntentError
from service_nb.runtimes.base import packaged_contract
from service_nb.server.answering import Answer, Content
from service_nb.server.handlers.call import Call


def compute(call: Call) -> Answer:
    """Run one call of the contract, or several."""
    service = call.reach.service
    if isinstance(call.asked, messages.CallSpec):
        spec = msgspec.to_builtins(call.asked)
        return call.recorded(lambda: service.compute(spec, timeout=call.timeout_s))
    specs = [msgspec.to_builtins(each) for each in call.asked.calls]
    return {"results": call.recorded(lambda: service.compute_many(specs, timeout=call.timeout_s))}


def capabilities(call: Call) -> Answer:
    """Search capabilities, or list them."""
    service = call.reach.service
    wanted, limit = call.query.get("q", ""), _limit(call.query.get("limit"))
    names = service.capabilities()
    if wanted:
        found = service.search_capabilities(wanted, limit)
    else:
        found = [{"name": name, "summary": service.capability(name).get("summary", "")} for name in names[:limit]]
    return {"capabilities": found, "total": len(names)}


def contract(call: Call) -> Answer:
    """Return the contract, unless the caller has it."""
    etag = f'"{call.reach.service.contract_hash}"'
    headers = [(b"etag", etag.encode()), (b"cache-control", b"private, no-cache")]
    if etag in call.known or call.known.strip() == "*":
        return Content(body=b"", status=304, headers=headers)
    return Content(body=packaged_contract(), headers=headers)


def _limit(text: str | None) -> int:
    if text is None:
        return 10
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= 1_000):
        raise InvalidIntentError("`limit` must be a whole number from 1 to 1000.", path="limit", expected="1 … 1000")
    return int(text)
