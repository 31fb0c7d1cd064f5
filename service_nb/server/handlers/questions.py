"""Questions, plans, and what is stored of them."""

from __future__ import annotations

import msgspec

from service_nb.server.answering import Answer, of_columns, of_outcome
from service_nb.server.handlers.call import Call, exactly_one


def execute(call: Call) -> Answer:
    """Answer a question, or run a plan."""
    plan, spec, service = call.asked.plan, call.asked.spec, call.reach.service
    exactly_one("plan", plan, "spec", spec)
    if plan is not None:
        mark = call.asked.mark
        return of_outcome(call.recorded(lambda: service.run(plan, timeout=call.timeout_s, mark=mark)))
    question = msgspec.to_builtins(spec)
    return of_outcome(call.recorded(lambda: service.ask(question, timeout=call.timeout_s)))


def resolve(call: Call) -> Answer:
    """Resolve a question without running it."""
    return call.reach.service.resolve(msgspec.to_builtins(call.asked.spec))


def verify(call: Call) -> Answer:
    """Check a plan without running it."""
    return call.reach.service.verify(call.asked.plan, mark=call.asked.mark)


def columns(call: Call) -> Answer:
    """Return the group columns of a plan, not grouped."""
    asked = call.asked
    return of_columns(call.reach.service.columns(asked.plan, timeout=call.timeout_s, mark=asked.mark))


def result(call: Call) -> Answer:
    """Return a stored result with its card."""
    stored = call.reach.service.get_result(call.path["id"])
    return {**stored, "card": stored.card, "texts": stored.texts}
