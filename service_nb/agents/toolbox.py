"""The tools that an agent calls, over one client: they are read-only, never raise, and never show the policy."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from service_nb.agents.calculations import compute_value, search_capabilities
from service_nb.agents.replies import Told, describe_error, describe_failure, describe_outcome, describe_plan, finish
from service_nb.agents.safe_texts import clean_text, is_safe_name
from service_nb.client.results import QueryOutcome
from service_nb.client.service import Service
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError, LimitExceededError, ServiceError
from service_nb.schema.agent_tools import (
    COMPUTE,
    COMPUTE_TOOLS,
    MAX_FIELDS,
    MAX_INPUT_CHARS,
    MAX_NAME_CHARS,
    MAX_OWN_FIELDS,
    MAX_SOURCES,
    SENTENCES,
    TOOLS,
    ToolDeclaration,
    name_sources,
)
from service_nb.schema.card import Card

LIST_S = 5.0  # that a list waits for a deployment


class AgentTools:
    """The tools `listSources`, `queryData` and `explainQuery` over one client. Made by `create_tools`.

    Examples
    --------
    >>> tools = create_tools(service)
    >>> tools.call("queryData", {"source_name": "sales", "aggregation": "sum", "metric": "revenue"})["rows"]
    [['10', '3']]
    """

    def __init__(self, service: Service, *, computes: bool = False) -> None:
        self._service = service
        self._tools = (*TOOLS, *COMPUTE_TOOLS) if computes else TOOLS
        self._calls: dict[str, Callable[[Mapping[str, Any]], Told | tuple[Told, Card | None]]] = {
            "listSources": self.list_sources,
            "queryData": self.query_data,
            "explainQuery": self.explain_query,
        }
        if computes:
            self._calls["searchCapabilities"] = partial(search_capabilities, service)
            self._calls["compute"] = partial(compute_value, service)

    @property
    def declarations(self) -> tuple[ToolDeclaration, ...]:
        """The tools: `name`, `title`, `description`, and the JSON schemas `input` and `result`; sources by name."""
        names = self._list_names()
        listed = tuple(names) if len(names) <= MAX_SOURCES else ()
        return tuple(tool._replace(input=name_sources(tool.input, listed)) for tool in self._tools)

    def describe(self, form: Literal["anthropic", "openai", "mcp"] = "anthropic") -> list[dict[str, Any]]:
        """Describe the tools as a framework takes them.

        Parameters
        ----------
        form : "anthropic", "openai" or "mcp"
            ``{"name", "description", "input_schema"}``; ``{"type": "function", "function": {…, "parameters"}}``;
            ``{"name", "title", "description", "inputSchema", "outputSchema"}``.

        Returns
        -------
        list of dict

        Examples
        --------
        >>> [tool["name"] for tool in create_tools(service).describe()]
        ['listSources', 'queryData', 'explainQuery']
        """
        return [_describe_tool(tool, form) for tool in self.declarations]

    def call(self, name: str, arguments: object = None) -> dict[str, Any]:
        """Call a tool by its name; never raises.

        Parameters
        ----------
        name : str
            One of the three.
        arguments : dict
            What the model sent; whatever it is, the result says what is wrong with it.

        Returns
        -------
        dict
            JSON-ready: `status` is ``"ok"``, ``"needs_clarification"``, ``"rejected"`` or ``"error"``.

        Examples
        --------
        >>> create_tools(service).call("queryData", {"source_name": "sales", "aggregation": "sum"})["status"]
        'needs_clarification'
        """
        return self.call_with_card(name, arguments)[0]

    def call_with_card(self, name: str, arguments: object = None) -> tuple[dict[str, Any], Card | None]:
        """Call a tool by its name, and return the card of its outcome too, if it has one; never raises.

        Parameters
        ----------
        name : str
            One of the three.
        arguments : dict
            What the model sent.

        Returns
        -------
        (dict, Card or None)

        Examples
        --------
        >>> told, card = create_tools(service).call_with_card("queryData", {"aggregation": "count"})
        >>> card["kind"]
        'query'
        """
        call = self._calls.get(name) if isinstance(name, str) else None
        if call is None:
            return describe_failure("unknown_tool"), None
        try:
            with self._service.record_errors():
                told = call(check_input({} if arguments is None else arguments))
        except ServiceError as error:
            return describe_error(error, is_computation=name == COMPUTE.name), error.card
        except Exception:  # noqa: BLE001  # whatever it is, a model is told no more than that it was
            return describe_failure("internal_error"), None
        return told if isinstance(told, tuple) else (told, None)

    # --- the three ----------------------------------------------------------------------------------------------------

    def query_data(self, arguments: Mapping[str, Any]) -> tuple[Told, Card | None]:
        """Ask a question: the answer, or the refusal, and its card."""
        outcome: QueryOutcome = self._service.ask(arguments)
        return describe_outcome(outcome), outcome.card

    def explain_query(self, arguments: Mapping[str, Any]) -> Told:
        """Resolve a question without running it; nothing is recorded of it."""
        return describe_plan(self._service.resolve(arguments))

    def list_sources(self, arguments: Mapping[str, Any]) -> Told:
        """List the sources that the policy allows, or all fields of one."""
        unknown = [key for key in arguments if key != "source_name"]
        name = arguments.get("source_name")
        if unknown or not isinstance(name, str | None):
            met = unknown[0] if unknown else name
            raise InvalidIntentError(
                f"listSources takes source_name, a name, and nothing else; it got {describe_value(met)}.",
                path="input",
                expected="source_name",
            )
        return self._list_all() if name is None else self._list_one(name)

    def _list_all(self) -> Told:
        known = self._find_sources()
        shown = dict([*known.items()][:MAX_SOURCES])
        listed = [_describe_source(name, fields, rows, MAX_FIELDS) for name, (fields, rows) in shown.items()]
        told: Told = {"status": "ok", "text": "", "sources": listed, "source_count": len(known)}
        said = [SENTENCES["listed"].format(count=len(known))] if known else [SENTENCES["no_sources"]]
        if len(listed) < len(known):
            said.append(SENTENCES["more_sources"].format(listed=len(listed), count=len(known)))
        if any(len(each["fields"]) < each["field_count"] for each in listed):
            said.append(SENTENCES["more_fields"])
        told["truncated"] = len(said) > 1
        if told["truncated"]:
            told["narrow"] = SENTENCES["narrow_fields"]
        return finish(told, *said)

    def _list_one(self, name: str) -> Told:
        found = self._find_sources().get(name)
        if found is None:
            return describe_failure("source_not_available")
        listed = _describe_source(name, *found, MAX_OWN_FIELDS)
        is_cut = len(listed["fields"]) < listed["field_count"]
        told = {"status": "ok", "text": "", "sources": [listed], "source_count": 1, "truncated": is_cut}
        said = [SENTENCES["listed_one"].format(count=listed["field_count"])]
        safe = sum(is_safe_name(field) for field, _ in found[0])
        if safe > MAX_OWN_FIELDS:
            said.append(SENTENCES["first_fields"].format(listed=MAX_OWN_FIELDS))
        if safe < listed["field_count"]:
            said.append(SENTENCES["unlisted"].format(count=listed["field_count"] - safe))
        return finish(told, *said)

    def _list_names(self) -> list[str]:
        return [*self._find_sources()]

    def _find_sources(self) -> dict[str, tuple[list[tuple[str, str]], int | None]]:
        """Find the sources that can be asked, by name: their fields with types, and their rows as far as is known."""
        found: dict[str, tuple[list[tuple[str, str]], int | None]] = {}
        for source in self._service.sources():
            fields = [(each["name"], each["type"]) for each in source["typed_fields"]]
            found[source["name"]] = fields, source["row_count"]
        for offer in self._service.unconnected(wait=LIST_S).sources:
            if offer.place == "deployment":  # a question connects it
                found.setdefault(offer.name, ([(each.name, each.type) for each in offer.fields], offer.row_count))
        return {name: found[name] for name in sorted(found) if is_safe_name(name)}


def create_tools(service: Service, *, compute: bool = False) -> AgentTools:
    """Create the tools of an agent over a client; what the policy of this client hides, they never name.

    Parameters
    ----------
    service : Service
        ``service.narrow({…})`` gives an agent less than its user has.
    compute : bool
        Add two tools, `searchCapabilities` and `compute`, for certified computations.

    Returns
    -------
    AgentTools
        `declarations` and `describe` for the framework, `call` for what the model sends.

    Examples
    --------
    >>> create_tools(service).call("listSources")["sources"][0]["name"]
    'sales'
    """
    return AgentTools(service, computes=compute)


def check_input(arguments: object) -> Mapping[str, Any]:
    """Return the input of a tool if it is an object of a size that a question has.

    Raises
    ------
    InvalidIntentError, LimitExceededError
    """
    if not isinstance(arguments, Mapping) or not all(isinstance(key, str) for key in arguments):
        raise InvalidIntentError(
            f"The input is {describe_value(arguments)}; expected an object.", path="input", expected="an object"
        )
    try:
        size = len(json.dumps(arguments, default=str, ensure_ascii=False))
    except (RecursionError, ValueError, TypeError):
        raise InvalidIntentError("The input is no JSON, or too deep.", path="input", expected="an object") from None
    if size > MAX_INPUT_CHARS:
        raise LimitExceededError(
            f"The input has {size:,} characters; at most {MAX_INPUT_CHARS:,} are taken.",
            path="input",
            limit=MAX_INPUT_CHARS,
            value=size,
        )
    return arguments


def _describe_source(name: str, fields: list[tuple[str, str]], rows: int | None, most: int) -> Told:
    """Describe a source; of its fields those whose names an agent can send."""
    listed = [{"name": field, "type": type_} for field, type_ in fields if is_safe_name(field)][:most]
    counted = {} if rows is None else {"row_count": rows}
    return {"name": clean_text(name, MAX_NAME_CHARS), **counted, "field_count": len(fields), "fields": listed}


def _describe_tool(tool: ToolDeclaration, form: str) -> dict[str, Any]:
    said = {"name": tool.name, "description": tool.description}
    if form == "openai":
        return {"type": "function", "function": {**said, "parameters": tool.input}}
    if form == "mcp":
        return {**said, "title": tool.title, "inputSchema": tool.input, "outputSchema": tool.result}
    return {**said, "input_schema": tool.input}
