"""The tools that compute, where they are switched on: certified capabilities of the contract, and no others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service_nb.agents.replies import Told, finish
from service_nb.agents.safe_texts import clean_text
from service_nb.client.results import Computation, get_result_id
from service_nb.client.service import Service
from service_nb.core.canonical import write_canonical_text
from service_nb.core.words import misfit_error, require_object
from service_nb.errors import ServiceError, UnsupportedOperationError
from service_nb.schema.agent_tools import COMPUTE, MAX_CAPABILITIES, MAX_CELL_CHARS, MAX_RESULT_CHARS, SENTENCES
from service_nb.schema.card import Card

CERTIFIED = "certified"
_LOOKED_AT = 40  # of what a search finds: those of other tiers are left out


def search_capabilities(service: Service, arguments: Mapping[str, Any]) -> Told:
    """Find certified capabilities by words."""
    query = require_object(arguments, "input", ("query",)).get("query")
    if not isinstance(query, str) or not query.strip() or len(query) > MAX_CELL_CHARS:
        raise misfit_error("input", query, "a query of a few words")
    found = [each for each in service.search_capabilities(query, _LOOKED_AT) if each["tier"] == CERTIFIED]
    near = [each for each in found if each["match"] != "weak"]
    listed = [
        {key: str(each[key]) for key in ("name", "signature", "summary", "tier", "grade", "note") if each[key]}
        for each in (near or found)[:MAX_CAPABILITIES]
    ]
    said = SENTENCES["found" if near else "weak_found" if listed else "none_found"].format(count=len(listed))
    absent = dict.fromkeys(each["note"] for each in near if each["match"] == "nearest")
    return {"status": "ok", "text": " ".join((*absent, said)), "capabilities": listed}


def compute_value(service: Service, arguments: Mapping[str, Any]) -> tuple[Told, Card | None]:
    """Run a certified capability."""
    given = require_object(arguments, "input", (*COMPUTE.input["properties"],))
    name = given.get("capability")
    if not isinstance(name, str):
        raise misfit_error("input", name, "the name of a capability")
    _require_certified(service, name)
    module, _, function = name.partition(".")
    spec = {
        "module": module,
        "function": function,
        "kwargs": given.get("arguments"),
        "bindings": given.get("bindings"),
        "seed": given.get("seed"),
    }
    done: Computation = service.compute({key: each for key, each in spec.items() if each is not None})
    return _describe_computation(done), done.card


def _require_certified(service: Service, name: str) -> None:
    """Refuse what is not certified as what is not there, or not allowed, is refused."""
    try:
        tier = service.capability(name)["tier"]
    except ServiceError:
        tier = None
    if tier != CERTIFIED:
        raise UnsupportedOperationError("No certified capability of this name can be called.")


def _describe_computation(done: Computation) -> Told:
    value = write_canonical_text(done["value"])
    tier, hash_ = str(done["determinism"]["tier"]), str(done["computation_hash"])
    told: Told = {"status": "ok", "text": "", "value_type": done["value_type"], "tier": tier}
    told |= {"computation_hash": hash_, "card_id": get_result_id(done)}
    if len(value) > MAX_RESULT_CHARS:
        said = SENTENCES["value_left_out"].format(count=len(value))
    else:
        told["value"] = clean_text(value, MAX_RESULT_CHARS)
        is_short = len(value) <= MAX_CELL_CHARS and not isinstance(done["value"], str)
        sentence = SENTENCES["computed" if is_short else "computed_long"]
        said = sentence.format(value=value, tier=tier, computation_hash=hash_)
    return finish(told, said.replace("{", "").replace("}", ""), SENTENCES["card"])
