"""Write the worked examples of hashes: `python -m tests.vectors.make_hashes`, from the repository's root.

Plans, rows, identities and columns are written by hand as the page on hashes describes them; `rfc8785` writes their
canonical JSON and `hashlib` hashes it. Nothing here calls the code that the examples are for.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import rfc8785

FOLDER = Path(__file__).parent / "hashes"
Json = dict[str, Any]

SALES = (
    "region,amount,price,day,open\n"
    "North,10,1.50,2024-01-05,true\n"
    "South,20,2.25,2024-02-01,false\n"
    "North,-5,0.10,2024-02-10,true\n"
    ",7,3.00,2024-03-01,\n"
)
ODD = 'name,value,at\n"a ""b""",0.1,2024-01-05T10:00:00\nß€😀,-0.0,2024-01-05T10:00:00.25\nz,1e21,2024-01-06T00:00:00\n'
SENT = "at\n" + "".join(
    f"{at}Z\n"
    for at in ("2024-04-06T12:59:59", "2024-04-06T13:00", "2024-04-06T15:30", "2024-04-07T13:29:59", "2024-04-07T13:30")
)
SENT_FIELDS = [("at", "datetime")]
SALES_FIELDS = [("region", "string"), ("amount", "number"), ("price", "number"), ("day", "date"), ("open", "boolean")]
ODD_FIELDS = [("name", "string"), ("value", "number"), ("at", "datetime")]


def canonical(value: Any) -> str:
    return rfc8785.dumps(value).decode()


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def tagged(domain: str, *parts: str) -> str:
    return sha(f"service:{domain}:v1\0{''.join(parts)}")


# --- schemas and columns ----------------------------------------------------------------------------------------------


def schema(*fields: tuple[str, str]) -> Json:
    listed = [{"name": name, "type": type_} for name, type_ in fields]
    text = canonical(listed)
    return {"fields": listed, "text": text, "schema_revision": tagged("schema", text)}


def schemas() -> list[Json]:
    return [
        {"name": "every type", **schema(*SALES_FIELDS, ("at", "datetime"))},
        {"name": "one column", **schema(("amount", "number"))},
        {"name": "the order counts", **schema(("b", "number"), ("a", "string"))},
        {"name": "the other order", **schema(("a", "string"), ("b", "number"))},
        {"name": "names beyond ASCII", **schema(("Größe", "number"), ('a\tb"c\\d\u2028e', "string"))},
    ]


def column(name: str, type_: str, values: list[Any], text: str) -> Json:
    """A column after its values were read as the parameter's type; `values` as JSON, `text` written by hand."""
    return {"name": name, "type": type_, "values": values, "text": text, "input_hash": sha(text)}


def columns() -> list[Json]:
    return [
        column("whole doubles have no point", "float64", [-1000.0, 300.0], "[-1000,300]"),
        column("negative zero is zero", "float64", [-0.0, 0.1], "[0,0.1]"),
        column(
            "numbers as ECMAScript writes them",
            "float64",
            [1e21, 1e20, 1e-6, 1e-7],
            "[1e+21,100000000000000000000,0.000001,1e-7]",
        ),
        column("whole numbers", "int", [1, -2], "[1,-2]"),
        column(
            "whole numbers beyond 2**53 - 1 are text",
            "int",
            [9007199254740991, 9007199254740992],
            '[9007199254740991,"9007199254740992"]',
        ),
        column("text", "string", ['a"b', "ß€😀", "\n\u0001"], '["a\\"b","ß€😀","\\n\\u0001"]'),
        column("true and false", "bool", [True, False], "[true,false]"),
        column("no values", "float64", [], "[]"),
    ]


# --- questions --------------------------------------------------------------------------------------------------------


def question(name: str, source: str, spec: Json, plan: Json, rows: list[Json]) -> Json:
    """A question: its plan without the schema, and its rows, in the order of the answer."""
    held = {"sales": (SALES, SALES_FIELDS), "odd": (ODD, ODD_FIELDS), "sent": (SENT, SENT_FIELDS)}
    content, fields = held[source]
    revision = schema(*fields)["schema_revision"]
    plan_text = canonical({**plan, "schema_revision": revision})
    plan_hash, result_text = tagged("plan", plan_text), canonical(rows)
    return {
        "name": name,
        "source": {"name": source, "csv": content, "fields": [list(field) for field in fields]},
        "spec": spec,
        "schema_revision": revision,
        "plan_text": plan_text,
        "plan_hash": plan_hash,
        "result_text": result_text,
        "result_hash": tagged("result", plan_hash, result_text),
    }


def by_day(zone: str | None = None) -> Json:
    return {"column": "at", "unit": "day"} | ({} if zone is None else {"zone": zone})


def where(*conditions: Json) -> Json:
    return {"conditions": list(conditions)}


def questions() -> list[Json]:
    by_region = {"metric": "amount", "aggregation": "sum", "group_by": "region"}
    north = {"column": "region", "op": "eq", "value": "North"}
    unset = {"column": "open", "op": "is_null"}
    late = {"column": "day", "op": "gte", "value": "2024-01-10"}
    cheap = {"column": "price", "op": "lt", "value": 3}
    several = [
        {"aggregation": "sum", "metric": "price"},
        {"aggregation": "count"},
        {"aggregation": "percentile", "metric": "amount", "percent": "90"},
    ]
    monthly = {"group_by": [{"column": "day", "unit": "month"}], "order_by": "day_month", "order": "asc"}
    by_month = {"aggregation": "sum", "metric": "price", "group_by": [{"column": "day", "unit": "month"}]}
    months = [
        {"day_month": "2024-01-01", "price": "1.50", "count": 1},
        {"day_month": "2024-02-01", "price": "2.35", "count": 2},
        {"day_month": "2024-03-01", "price": "3.00", "count": 1},
    ]
    often = {"having": where({"aggregation": "count", "op": "gte", "value": 1})}
    return [
        question(
            "a sum by a column, the default order, a null group",
            "sales",
            by_region,
            {"aggregation": "sum", "group_by": ["region"], "metric": "amount", "order": "desc"},
            [
                {"region": "South", "amount": 20, "count": 1},
                {"region": None, "amount": 7, "count": 1},
                {"region": "North", "amount": 5, "count": 2},
            ],
        ),
        question(
            "conditions are sorted, sums of decimals are text with the column's scale",
            "sales",
            {**by_region, "metric": "price", "filter": where(cheap, late), "order": "asc", "limit": 2},
            {"aggregation": "sum", "group_by": ["region"], "metric": "price", "order": "asc", "limit": 2}
            | {"filter": where(late, cheap)},
            [{"region": "North", "price": "0.10", "count": 1}, {"region": "South", "price": "2.25", "count": 1}],
        ),
        question(
            "a mean is a double",
            "sales",
            {"metric": "amount", "aggregation": "avg"},
            {"aggregation": "avg", "metric": "amount", "order": "desc"},
            [{"amount": 8.0, "count": 4}],
        ),
        question(
            "several measures by month, with a condition on groups",
            "sales",
            {"measures": several, **monthly, **often},
            {"measures": several, **monthly, **often},
            [
                {"day_month": "2024-01-01", "sum_price": "1.50", "p90_amount": 10.0, "count": 1},
                {"day_month": "2024-02-01", "sum_price": "2.35", "p90_amount": 17.5, "count": 2},
                {"day_month": "2024-03-01", "sum_price": "3.00", "p90_amount": 7.0, "count": 1},
            ],
        ),
        question(
            "months without an order", "sales", by_month, {**by_month, "order_by": "day_month", "order": "asc"}, months
        ),
        question(
            "months by the sum, which is said",
            "sales",
            {**by_month, "order": "desc"},
            {**by_month, "order": "desc"},
            months[::-1],
        ),
        question(
            "of months that a limit cuts, the sum decides",
            "sales",
            {**by_month, "limit": 1},
            {**by_month, "order": "desc", "limit": 1},
            months[2:],
        ),
        question(  # Lord Howe is 10:30 ahead of UTC, in summer 11:00; its clocks went back on 6 April 2024, 15:00 UTC
            "days of a zone, and those of UTC under another name",
            "sent",
            {"aggregation": "count", "group_by": [by_day("Australia/Lord_Howe"), by_day("Zulu")]},
            {"aggregation": "count", "group_by": [by_day("Australia/Lord_Howe"), by_day()]}
            | {"order_by": "at_day", "order": "asc"},
            [
                {"at_day": "2024-04-06", "at_day_": "2024-04-06", "count": 1},
                {"at_day": "2024-04-07", "at_day_": "2024-04-06", "count": 2},
                {"at_day": "2024-04-07", "at_day_": "2024-04-07", "count": 1},
                {"at_day": "2024-04-08", "at_day_": "2024-04-07", "count": 1},
            ],
        ),
        question(
            "bins, and conditions of which one has to hold",
            "sales",
            {"aggregation": "count", "group_by": [{"column": "amount", "width": 10}]}
            | {"filter": where({"any": [north, unset]})},
            {"aggregation": "count", "group_by": [{"column": "amount", "width": "10"}]}
            | {"order_by": "amount_bin", "order": "asc"}
            | {"filter": where({"any": [unset, north]})},
            [{"amount_bin": at, "count": 1} for at in (-10, 0, 10)],
        ),
        question(
            "text beyond ASCII, doubles, moments with and without a fraction",
            "odd",
            {"metric": "value", "aggregation": "max", "group_by": ["name", "at"]},
            {"aggregation": "max", "metric": "value", "group_by": ["name", "at"], "order": "desc"},
            [
                {"name": "z", "at": "2024-01-06T00:00:00", "value": 1e21, "count": 1},
                {"name": 'a "b"', "at": "2024-01-05T10:00:00", "value": 0.1, "count": 1},
                {"name": "ß€😀", "at": "2024-01-05T10:00:00.250000", "value": 0, "count": 1},
            ],
        ),
    ]


def refusal(name: str, spec: Json, asked: Json, **codes: Any) -> Json:
    """A refusal of a question about `sales`; `asked` is what was read, and what `codes` lacks is empty."""
    whole = {"candidates": [], "did_you_mean": [], "missing": [], "rejection_reason": None, "rule": None} | codes
    spec_text, codes_text = canonical(asked), canonical(whole)
    return {
        "name": name,
        "source": {"name": "sales", "csv": SALES, "fields": [list(field) for field in SALES_FIELDS]},
        "spec": spec,
        "spec_text": spec_text,
        "codes_text": codes_text,
        "refusal_hash": sha(f"service:refusal:v2\0{spec_text}\0{codes_text}"),
    }


def refusals() -> list[Json]:
    amont = {"metric": "amont", "aggregation": "sum"}
    offered = {"slot": "metric", "name": "amount", "type": "number", "ask": "sum amount from sales"}
    colour = {"metric": "amount", "aggregation": "sum", "group_by": "colour"}
    unknown = {"rejection_reason": "unknown_field", "rule": "columns are named exactly"}
    region = {"metric": "region", "aggregation": "sum"}
    misfit = {"rejection_reason": "type_mismatch", "rule": "aggregations fit their column"}
    return [
        refusal("a similar name", amont, amont, candidates=[offered], did_you_mean=["amount"]),
        refusal("no similar name", colour, {**colour, "group_by": ["colour"]}, **unknown),
        refusal("a sum of text", region, region, **misfit),
    ]


# --- computations -----------------------------------------------------------------------------------------------------

CONTRACT = f"sha256:{64 * 'c'}"
SCOPE = "linux-x64:local"


def call(name: str, parameters: list[str], identity: Json, arguments: list[Any], value: Any) -> Json:
    whole = {
        "args": [],
        "kwargs": {},
        "resolved_bindings": [],
        "contract_hash": CONTRACT,
        "execution_scope": SCOPE,
        "seed": None,
    } | identity
    identity_text, arguments_text, value_text = canonical(whole), canonical(arguments), canonical(value)
    invocation = tagged("invocation", identity_text)
    return {
        "name": name,
        "parameters": parameters,
        "identity_text": identity_text,
        "invocation_hash": invocation,
        "arguments_text": arguments_text,
        "input_hash": sha(arguments_text),
        "value_text": value_text,
        "computation_hash": tagged("computation", invocation, value_text),
    }


def calls() -> list[Json]:
    flows = [-1000, 300, 420, 560, 680]
    npv, covariance = {"module": "finance", "function": "npv"}, {"module": "stats", "function": "covariance"}
    paid, x, y = {"input_hash": sha(canonical(flows))}, [1, 2, 4], [2, 4, 9]
    xy, yx = ([{"input_hash": sha(canonical(each))} for each in pair] for pair in ((x, y), (y, x)))
    value = 505.0201488969332
    return [
        call("literals by place", ["rate", "cashflows"], {**npv, "args": [0.1, flows]}, [0.1, flows], value),
        call(
            "literals by name",
            ["rate", "cashflows"],
            {**npv, "kwargs": {"rate": 0.1, "cashflows": flows}},
            [0.1, flows],
            value,
        ),
        call(
            "a bound column",
            ["rate", "cashflows"],
            {**npv, "args": [0.1], "resolved_bindings": [paid]},
            [0.1, flows],
            value,
        ),
        call("two columns", ["x", "y"], {**covariance, "resolved_bindings": xy}, [x, y], 5.5),
        call("the same columns, swapped", ["x", "y"], {**covariance, "resolved_bindings": yx}, [y, x], 5.5),
        call("a seed", ["n"], {"module": "simulation", "function": "draw", "args": [2], "seed": 42}, [2], [0.5, 0.25]),
        call(
            "a record, and a long whole number as text",
            ["n"],
            {"module": "numbers", "function": "facts", "args": [3]},
            [3],
            {"is_prime": True, "next": "9007199254740997"},
        ),
        call(
            "left out before a bound parameter",
            ["a", "b"],
            {"module": "toy", "function": "two", "resolved_bindings": [None, paid]},
            [None, flows],
            1,
        ),
    ]


MAKERS = {"schemas": schemas, "columns": columns, "questions": questions, "refusals": refusals, "calls": calls}


def main() -> None:
    for name, make in MAKERS.items():
        cases = make()
        lines = ",\n".join(json.dumps(case, ensure_ascii=True) for case in cases)
        (FOLDER / f"{name}.json").write_text(f'{{"cases": [\n{lines}\n]}}\n', encoding="utf-8")
        print(f"{name}.json: {len(cases)} cases")


if __name__ == "__main__":
    main()
