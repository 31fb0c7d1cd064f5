"""Live sources and connectors."""

from __future__ import annotations

from service_nb.deployment import messages
from service_nb.errors import InvalidIntentError
from service_nb.server.answering import Answer
from service_nb.server.handlers.call import Call, exactly_one


def create_source(call: Call) -> Answer:
    """Register a live source."""
    asked: messages.SourceRequest = call.asked
    exactly_one("descriptor", asked.descriptor, "connector_id", asked.connector_id)
    if asked.descriptor is not None and (asked.table, asked.query) != (None, None):
        raise InvalidIntentError(
            "`table` and `query` go with a connector's id; a descriptor has its own.",
            path="query" if asked.table is None else "table",
        )
    return call.reach.connect(asked)


def list_sources(call: Call) -> Answer:
    """List sources."""
    return {"sources": call.reach.sources()}


def get_source(call: Call) -> Answer:
    """Describe a source."""
    return call.reach.source(call.path["name"])


def refresh_source(call: Call) -> Answer:
    """Describe a source anew."""
    return call.reach.refresh_source(call.path["name"])


def delete_source(call: Call) -> Answer:
    """Forget a source."""
    call.reach.forget_source(call.path["name"])
    return None


def test_connector(call: Call) -> Answer:
    """Try a connector."""
    return call.reach.test_connector(call.asked.descriptor, call.timeout_s)


def create_connector(call: Call) -> Answer:
    """Keep a connector."""
    return call.reach.create_connector(call.asked.descriptor, call.asked.name)


def list_connectors(call: Call) -> Answer:
    """List connectors."""
    return {"connectors": call.reach.connectors()}


def get_connector(call: Call) -> Answer:
    """Describe a connector."""
    return call.reach.connector(call.path["id"])


def delete_connector(call: Call) -> Answer:
    """Forget a connector."""
    call.reach.forget_connector(call.path["id"])
    return None
