"""What could come next in a computation: capabilities, parameters, columns, variables, conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from service_nb.core.words import format_name
from service_nb.errors import ServiceError
from service_nb.notebook.suggestions import Catalogue, Offer, suggest
from service_nb.query.syntax import format_value

_CAPABILITY = re.compile(r"\s*([\w.]*)$")
_CALLED = re.compile(r"\s*(\w+\.\w+)\s")
_GIVEN = re.compile(r"(?<![\w.$'\"`])(\w+)\s*=")
_VALUE = re.compile(r"(\w+)\s*=\s*([$\w.`]*)$")
_NAME = re.compile(r"(\w*)$")
_WHERE = re.compile(r"\swhere\s(.*)$", re.IGNORECASE | re.DOTALL)
_SOURCE = re.compile(r"=\s*(`(?:[^`]|``)+`|[A-Za-z_]\w*)\.")

Completed = tuple[str, list[Offer]]


def complete_computation(before: str, after: str, client: Any, variables: Mapping[str, Any]) -> Completed:
    """Return the fragment before the cursor and what could stand in its place.

    Parameters
    ----------
    before, after : str
        The computation's own text around the cursor, without options.
    client : Service
        Whose contract and sources are offered; a policy hides what it denies.
    """
    capability = _CAPABILITY.match(before)
    if capability is not None:
        return capability[1], _capabilities(capability[1], client)
    called = _CALLED.match(before)
    if called is None:
        return "", []
    condition = _WHERE.search(before)
    if condition is not None:
        return _conditions(before, condition[1], after, client)
    entry = _entry(called[1], client)
    value = _VALUE.search(before)
    if value is not None:
        return value[2], _starting(_values(value[1], entry, client, variables), value[2])
    name = _NAME.search(before)
    fragment = name[1] if name else ""
    given = set(_GIVEN.findall(before[called.end() :]))
    return fragment, _starting(_names(entry, given, has_column=bool(_SOURCE.search(before))), fragment)


def _entry(name: str, client: Any) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = client.capability(name)
    except ServiceError:  # it is still being written, or it is denied
        return {"params": [], "tier": ""}
    return found


def _capabilities(fragment: str, client: Any) -> list[Offer]:
    ids = client.capabilities()
    if "." in fragment:
        return [Offer(text=id_, kind="capability") for id_ in ids if id_.startswith(fragment)]
    fields = dict.fromkeys(id_.partition(".")[0] for id_ in ids)
    return [Offer(text=f"{field}.", kind="field") for field in fields if field.startswith(fragment)]


def _names(entry: Mapping[str, Any], given: set[str], *, has_column: bool) -> list[Offer]:
    left = [parameter["name"] for parameter in entry["params"] if parameter["name"] not in given]
    offers = [Offer(text=f"{name}=", kind="parameter") for name in left]
    if entry["tier"] == "seeded" and "seed" not in given:
        offers.append(Offer(text="seed=", kind="parameter"))
    return [*offers, Offer(text="where", kind="keyword")] if has_column else offers


def _values(name: str, entry: Mapping[str, Any], client: Any, variables: Mapping[str, Any]) -> list[Offer]:
    parameter = next((part for part in entry["params"] if part["name"] == name), None)
    if parameter is None:
        return []
    if parameter.get("choices"):
        return [Offer(text=format_value(choice), kind="value") for choice in parameter["choices"]]
    if parameter["type"] == "bool":
        return [Offer(text=text, kind="value") for text in ("true", "false")]
    suits = _suits(parameter)
    columns = [
        Offer(text=f"{format_name(source)}.{format_name(column)}", kind=kind)
        for source, column, kind in (*_connected(client), *Catalogue(client).deployed_columns())
        if suits(kind)
    ]
    return [*columns, *_variables(parameter, variables)]


def _connected(client: Any) -> Iterator[tuple[str, str, str]]:
    for source in client.sources():
        for field in source["typed_fields"]:
            yield source["name"], field["name"], field["type"]


def _suits(parameter: Mapping[str, Any]) -> Callable[[str], bool]:
    wanted = "string" if parameter["type"].startswith("string") else "number"
    return lambda kind: kind == wanted


def _variables(parameter: Mapping[str, Any], variables: Mapping[str, Any]) -> list[Offer]:
    is_array = bool(parameter.get("shape"))

    def fits(value: Any) -> bool:
        if is_array:
            return isinstance(value, list | tuple) or hasattr(type(value), "tolist") or hasattr(type(value), "to_list")
        return isinstance(value, int | float | str)

    own = {name for name in variables if not name.startswith("_")} - {"In", "Out"}  # IPython keeps its history there
    names = sorted(name for name in own if fits(variables[name]))
    return [Offer(text=f"${name}", kind="variable") for name in names]


def _conditions(before: str, written: str, after: str, client: Any) -> Completed:
    # The grammar's tables take a moment to build; a session that writes no condition does not pay for them.
    from service_nb.query.ask_state import state_after  # noqa: PLC0415

    bound = _SOURCE.search(before)
    source = bound[1].strip("`") if bound else None
    fragment = _NAME.search(written)
    typed = fragment[1] if fragment else ""
    state = state_after("count where " + written[: len(written) - len(typed)], after)
    offers = suggest(state, source, Catalogue(client)) if state is not None else []
    ends = {"order", "limit", "by", "from"}  # words of a question that no selection has
    return typed, _starting([offer for offer in offers if offer.text not in ends], typed)


def _starting(offers: list[Offer], fragment: str) -> list[Offer]:
    typed = fragment.casefold()
    return [offer for offer in offers if offer.text.casefold().startswith(typed)]
