"""What the link tells of sources and capabilities: facts as a front end shows them, and what its forms are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service_nb.compute.contract import read_capability, result_type, signature
from service_nb.compute.search import MAX_LIMIT
from service_nb.notebook.link_lines import value_text

_UNTOLD: dict[str, Any] = {"nullable": True, "aliases": []}  # no source declares a column that holds no null


def source_page(source: Mapping[str, Any]) -> dict[str, Any]:
    """Return a source with its fields. `provider` is what was read: files, or values that a session had in memory."""
    named: dict[str, list[str]] = {}
    for alias, target in source["aliases"].items():
        named.setdefault(target, []).append(alias)
    return {
        "name": source["name"],
        "source_id": source["source_id"],
        "schema_revision": source["schema_revision"],
        "row_count": source["row_count"],
        "provider": source["content"]["algorithm"].removeprefix("sha256-").replace("arrow", "values"),
        "fields": [
            {
                **{key: field[key] for key in ("name", "type", "physical")},
                "nullable": True,  # no source declares a column that can hold no null
                "aliases": sorted(named.get(field["name"], ())),
            }
            for field in source["typed_fields"]
        ],
    }


def offer_page(offer: Any) -> dict[str, Any]:
    """Return a source that is not connected; of one that only `service.toml` keeps no column is known."""
    keys = ("name", "type", "physical")
    return {
        "name": offer.name,
        "source_id": "",
        "schema_revision": "",
        "row_count": offer.row_count or 0,
        "provider": offer.place,
        "connected": False,
        "fields": [{key: getattr(field, key) for key in keys} | _UNTOLD for field in offer.fields],
    }


def hits_page(client: Any, query: str, limit: int) -> dict[str, Any]:
    """Return what a search finds, and how many there are in all; without words, the first capabilities by name."""
    if not query.strip():
        names = client.capabilities()
        return {"hits": [_hit(client.capability(name)) for name in names[:limit]], "count": len(names)}
    hits = client.search_capabilities(query, MAX_LIMIT)
    keys = ("name", "summary", "signature", "tier")
    return {"hits": [{key: hit[key] for key in keys} for hit in hits[:limit]], "count": len(hits)}


def capability_page(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a capability, with what a form of its arguments needs."""
    result, examples = entry["result"], _examples(entry)
    return {
        **_hit(entry),
        "source": entry["source"],
        "params": [_parameter(table, examples.get(table["name"])) for table in entry["params"]],
        "result": {"type": result_type(result), "unit": _unit(result), "about": result.get("about", "")},
        "formula": entry.get("formula"),
        "latex": entry.get("latex"),
        "needs_seed": entry["tier"] == "seeded",
    }


def _hit(entry: Mapping[str, Any]) -> dict[str, str]:
    capability = read_capability(entry)
    return {
        "name": capability.id,
        "summary": capability.summary,
        "signature": signature(capability),
        "tier": capability.tier,
    }


def _parameter(table: Mapping[str, Any], example: Any) -> dict[str, Any]:
    return {
        "name": table["name"],
        "type": table["type"],
        "unit": table.get("unit", "1"),
        "domain": table.get("domain"),
        "about": table.get("about", ""),
        "symbol": table.get("symbol"),
        "shape": [str(size) for size in table.get("shape", ())],
        "choices": [str(choice) for choice in table.get("choices", ())],
        "example": None if example is None else value_text(example),
    }


def _examples(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments of the first case that has a value."""
    for case in entry.get("cases", ()):
        if "result" in case:
            arguments: Mapping[str, Any] = case["arguments"]
            return arguments
    return {}


def _unit(result: Mapping[str, Any]) -> str:
    if result["type"] != "record":
        return str(result.get("unit", "1"))
    return ", ".join(f"{name}: {field.get('unit', '1')}" for name, field in result["fields"].items())
