"""Messages that no front end of ours would send; each is refused in words."""

from __future__ import annotations

from typing import Any

from service_nb.notebook.link_message import MAX_DEPTH, MAX_NAME, MAX_TEXT, MAX_VALUES, VERSION


def _message(method: Any = "hello", params: Any = None, **other: Any) -> dict[str, Any]:
    return {"service_nb": VERSION, "id": 1, "method": method, "params": {} if params is None else params, **other}


def _without(key: str) -> dict[str, Any]:
    return {name: value for name, value in _message().items() if name != key}


def _nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


def _spec(**parts: Any) -> dict[str, Any]:
    return _message("check_ask", {"spec": {"aggregation": "sum", "source_name": "sales", **parts}})


def _condition(**parts: Any) -> dict[str, Any]:
    return _spec(metric="revenue", filter={"conditions": [{"column": "region", **parts}]})


def _call(**params: Any) -> dict[str, Any]:
    return _message("check_call", {"name": "finance.npv", "arguments": {}, **params})


HOSTILE: dict[str, Any] = {
    "nothing": {},
    "only a version": {"service_nb": VERSION},
    "no version": _without("service_nb"),
    "no id": _without("id"),
    "no method": _without("method"),
    "no params": _without("params"),
    "a later version": _message(service_nb=VERSION + 1),
    "an earlier version": _message(service_nb=0),
    "a version in words": _message(service_nb="1"),
    "a version that is true": _message(service_nb=True),
    "a version that is a list": _message(service_nb=[1]),
    "an id in words": _message(id="1"),
    "an id below 0": _message(id=-1),
    "an id with a fraction": _message(id=1.5),
    "an id beyond 2**53": _message(id=2**53),
    "an id of a thousand digits": _message(id=10**1_000),
    "an id that is true": _message(id=True),
    "an id that is null": _message(id=None),
    "an id that is an object": _message(id={"id": 1}),
    "one key more": _message(__class__="Service"),
    "a key named __proto__": _message(__proto__={}),
    "a method that is not there": _message("ask"),
    "a method of the client": _message("compute"),
    "a method by its private name": _message("__init__"),
    "a method with a dot": _message("hello.__globals__"),
    "a method that is null": _message(method=None),
    "a method that is a list": _message(method=["hello"]),
    "a method that is a number": _message(method=1),
    "a method of a million characters": _message("h" * 1_000_000),
    "params that are a list": _message(params=[]),
    "params that are text": _message(params="{}"),
    "params that are a number": _message(params=1),
    "params that nobody takes": _message("hello", {"verbose": True}),
    "a parameter missing": _message("values", {"source": "sales"}),
    "a name that is null": _message("capability", {"name": None}),
    "a name that is empty": _message("capability", {"name": ""}),
    "a name that is a list": _message("capability", {"name": ["finance", "npv"]}),
    "a name that is too long": _message("capability", {"name": "a" * (MAX_NAME + 1)}),
    "a field that is an object": _message("values", {"source": "sales", "field": {"$ne": None}}),
    "a query that is an object": _message("search", {"query": {}, "limit": 1}),
    "a query that is too long": _message("search", {"query": "npv " * MAX_TEXT, "limit": 1}),
    "a limit of 0": _message("search", {"query": "npv", "limit": 0}),
    "a limit below 0": _message("search", {"query": "npv", "limit": -1}),
    "a limit in words": _message("search", {"query": "npv", "limit": "all"}),
    "a limit with a fraction": _message("search", {"query": "npv", "limit": 1.5}),
    "a limit that is true": _message("search", {"query": "npv", "limit": True}),
    "a spec that is a line": _message("check_ask", {"spec": "sum revenue from sales"}),
    "a spec that is a list": _message("check_ask", {"spec": []}),
    "a spec with an unknown key": _spec(sql="select 1"),
    "a spec with an unknown aggregation": _spec(aggregation="exec"),
    "a spec with a metric that is an object": _spec(metric={"a": 1}),
    "a spec with a limit below 1": _spec(metric="revenue", limit=0),
    "a spec with a thousand groups": _spec(metric="revenue", group_by=[str(number) for number in range(1_000)]),
    "a spec with a group of objects": _spec(metric="revenue", group_by=[{}]),
    "a condition without an operator": _condition(value="north"),
    "a condition with an unknown operator": _condition(op="; drop", value="north"),
    "a condition with a value that is an object": _condition(op="eq", value={"a": 1}),
    "a condition with twenty thousand values": _condition(op="in", values=["x"] * 20_000),
    "a condition with a number of 500 digits": _condition(op="eq", value=10**500),
    "a filter that is text": _spec(metric="revenue", filter="1=1"),
    "arguments that are a list": _call(arguments=[]),
    "arguments that are no texts": _call(arguments={"rate": 0.1}),
    "a thousand arguments": _call(arguments={f"rate{number}": "1" for number in range(1_000)}),
    "an argument that is too long": _call(arguments={"rate": "9" * (MAX_TEXT + 1)}),
    "an argument whose name is too long": _call(arguments={"r" * (MAX_NAME + 1): "1"}),
    "an argument whose name is empty": _call(arguments={"": "1"}),
    "a call without a dot": _call(name="npv"),
    "a replay of a list": _message("replay", {"id": ["ledger"]}),
    "a replay of a card that is text": _message("replay", {"id": "x", "card": "{}"}),
    "a message that is too deep": _message("check_ask", {"spec": {"metric": _nested(MAX_DEPTH + 1)}}),
    "a message of too many values": _message("check_ask", {"spec": {"metric": [0] * MAX_VALUES}}),
    "a message of too many characters": _message("check_ask", {"spec": {"metric": "x" * 5_000_000}}),
    "a message that is too deep for a stack": _message("check_ask", {"spec": {"metric": _nested(300)}}),
}
