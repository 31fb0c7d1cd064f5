"""Cases of authors who lie: what a card shows is altered, hashed anew and signed by the key that the reader trusts.

Only what is shown is altered here, one leaf at a time, and the texts stay as they were: each leaf must be told, but for
the few that are the author's words. Then stand inventions over several leaves.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from tests.vectors.evidence_cards import KINDS, edited, recorded
from tests.vectors.evidence_cases import ALICE, Cases, case, of
from tests.vectors.evidence_maker import Json, canonical, card, leaf, receipt, rehashed, sha, signed, statement

WORDS = {"latency_ms", "query_id", "request_id"}  # an id, of an unsigned card alone

Path = tuple[str | int, ...]


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every leaf of a value of JSON with its path; an empty list or object is one."""
    if isinstance(value, dict | list) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from leaves(item, (*path, key))
    else:
        yield path, value


def another(value: Any) -> Any:
    """Another value of the same type, where there is one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return f"{value}9" if value else "9"
    return ["9"] if isinstance(value, list) else {"9": 9} if isinstance(value, dict) else "9"


def altered_leaves() -> Cases:
    for kind in KINDS:
        made = card(kind)
        for path, value in leaves(made["view"]):
            forged = rehashed(edited(made, "view", *path, to=another(value)))
            said = " ".join(map(str, path))
            for is_signed in (True, False):
                who = "hashed and signed by its author" if is_signed else "hashed, and not signed"
                yield case(
                    f"{said} of a {kind} is altered, {who}",
                    _signed_as(forged, made) if is_signed else forged,
                    of(kind, is_signed=is_signed, **_causes(kind, str(path[0]), is_signed=is_signed)),
                    keys=(ALICE.text,) if is_signed else (),
                )


def _causes(kind: str, leaf: str, *, is_signed: bool) -> dict[str, str]:
    causes = {} if is_signed else {"signature": "?unsigned"}
    if leaf not in WORDS:
        causes["shown"] = "shown_differs"
    elif is_signed and leaf != "latency_ms":
        causes["statement"] = "receipt_of_another_card"
    if leaf == "status":
        causes["kind"] = "kind_contradicted"
    return causes


def _signed_as(forged: Json, made: Json) -> Json:
    """The forged card with a receipt that its author made for it, of the outcome that there was."""
    before = statement(made)["predicate"]
    payload = canonical(statement(forged, id=before["id"])).encode()
    return copy.deepcopy(forged) | {"receipt": receipt(payload, ALICE)}


def inventions() -> Cases:
    """What an attacker made of genuine cards, hashed anew and signed by the author."""
    shown = {"shown": "shown_differs"}
    query = card("query")
    view = query["view"]
    source = view["source"] | {"name": "audited_accounts", "row_count": 12_000_000}
    for name, made, causes in (
        ("another figure beside the recorded one", edited(query, "view", "rows", 0, 1, to="9999999.99"), shown),
        (
            "a row that was never recorded",
            edited(query, "view", "rows", to=[*view["rows"], ["CC", "9", "1"]]),
            shown | {"kind": "kind_contradicted"},
        ),
        ("a row that is not shown", edited(query, "view", "rows", to=view["rows"][:1]), shown),
        ("rows in another order", edited(query, "view", "rows", to=view["rows"][::-1]), shown),
        ("columns in another order", edited(query, "view", "columns", to=view["columns"][::-1]), shown),
        ("a field that no card shows", edited(query, "view", "approved", to=True), shown),
        ("another source in its name alone", edited(query, "view", "source", "name", to="audited_accounts"), shown),
        ("another source, and not in words", edited(query, "view", "source", to=source), shown),
        ("a source of 12,000,000 rows", edited(query, "view", "source", "row_count", to=12_000_000), shown),
        (
            "another question in words",
            edited(query, "view", "question", to="Sum of profit by carrier in flights"),
            shown,
        ),
        ("another ask line", edited(query, "view", "ask", to="sum profit by carrier from flights"), shown),
        ("another engine", edited(query, "view", "engine", to="an audited engine"), shown),
        ("a result in another order, and so shown", _reordered(query), shown),
        ("a group twice", _twice(query), shown),
        ("a limit that its rows exceed", _limited(query), shown),
        ("a mean that is no double", _mean(query), shown),
    ):
        yield case(f"a query that shows {name}", _signed_as(rehashed(made), query), of("query", **causes))
    yield from _conditions_on_groups(query)
    yield from _computations()


def _conditions_on_groups(query: Json) -> Cases:
    """Conditions on groups of sums 1.6 and -2.25, doubles, over 2 rows and 1: met, and contradicted."""
    some, none = {"aggregation": "sum", "metric": "delay"}, {}
    for spelled, leaves, causes in (
        ("sum delay >= -2.25", [some | {"op": "gte", "value": -2.25}], none),
        ("sum delay > -2.25", [some | {"op": "gt", "value": -2.25}], FALSE),
        ("sum delay < 1.6", [some | {"op": "lt", "value": 1.6}], FALSE),
        ("sum delay <= 1.6", [some | {"op": "lte", "value": 1.6}], none),
        ("sum delay = 1.6", [some | {"op": "eq", "value": 1.6}], FALSE),
        ("sum delay != 1e+21", [some | {"op": "ne", "value": 1e21}], none),
        ("sum delay between -2.25 and 1.5", [some | {"op": "between", "values": [-2.25, 1.5]}], FALSE),
        ("sum delay between -2.25 and 1.6", [some | {"op": "between", "values": [-2.25, 1.6]}], none),
        ("sum delay in (-2.25, 0, 1.6)", [some | {"op": "in", "values": [-2.25, 0, 1.6]}], none),
        ("sum delay not in (0, 1.6)", [some | {"op": "not_in", "values": [0, 1.6]}], FALSE),
        ("sum delay is null", [some | {"op": "is_null"}], FALSE),
        ("sum delay is not null", [some | {"op": "is_not_null"}], none),
        ("count > 1", [{"aggregation": "count", "op": "gt", "value": 1}], FALSE),
        ("count >= 1", [{"aggregation": "count", "op": "gte", "value": 1}], none),
        ("count > '0.5'", [{"aggregation": "count", "op": "gt", "value": "0.5"}], none),
        ("count < '1e9'", [{"aggregation": "count", "op": "lt", "value": "1e9"}], FALSE),
        ("count > 0.5", [{"aggregation": "count", "op": "gt", "value": 0.5}], FALSE),
        ("count > true", [{"aggregation": "count", "op": "gt", "value": True}], FALSE),
        ("sum delay > '-3'", [some | {"op": "gt", "value": "-3"}], FALSE),
        ("sum delay contains '.'", [some | {"op": "contains", "value": "."}], FALSE),
        (
            "count = 1 and sum delay < 0",
            [{"aggregation": "count", "op": "eq", "value": 1}, some | {"op": "lt", "value": 0}],
            FALSE,
        ),
        (
            "count = 2 or sum delay < 0",
            [{"any": [{"aggregation": "count", "op": "eq", "value": 2}, some | {"op": "lt", "value": 0}]}],
            none,
        ),
        (
            "count = 3 or sum delay < 0",
            [{"any": [{"aggregation": "count", "op": "eq", "value": 3}, some | {"op": "lt", "value": 0}]}],
            FALSE,
        ),
    ):  # fmt: skip
        made = _signed_as(rehashed(_having(query, leaves, spelled)), query)
        yield case(f"a query that keeps the groups where {spelled}", made, of("query", **causes))
    texts = json.loads(query["canonical"]["result"])
    for name, value, spelled, leaf_, causes in (
        ("not a number", "NaN", "sum delay != 1.6", {"op": "ne", "value": 1.6}, FALSE),
        ("not a number", "NaN", "sum delay != 9", {"op": "ne", "value": 9}, none),
        ("not a number", "NaN", "sum delay >= -3", {"op": "gte", "value": -3}, FALSE),
        ("infinite", "-Infinity", "sum delay < 2", {"op": "lt", "value": 2}, none),
        ("infinite", "-Infinity", "sum delay > -3", {"op": "gt", "value": -3}, FALSE),
        ("null", None, "sum delay != 9", {"op": "ne", "value": 9}, FALSE),
    ):  # fmt: skip
        rows = [texts[0], texts[1] | {"delay": value}]
        made = edited(query, "canonical", "result", to=canonical(rows))
        made = edited(made, "view", "rows", 1, 1, to=value)
        made = _signed_as(rehashed(_having(made, [some | leaf_], spelled)), query)
        yield case(f"a query with a sum that is {name}, where {spelled}", made, of("query", **causes))


FALSE = {"shown": "shown_differs"}
SIGNS = {"!=": "≠", ">=": "≥", "<=": "≤", "between": "is between", "not in": "is none of", "in": "is one of"}


def _having(query: Json, conditions: list[Json], spelled: str) -> Json:
    """A question with conditions on groups, all of whose words fit, and the rows of the question without them."""
    plan = json.loads(query["canonical"]["plan"]) | {"having": {"conditions": conditions}}
    made = edited(query, "canonical", "plan", to=canonical(plan))
    words = spelled.replace(" in (", " in ").replace(")", "")
    for sign, said in SIGNS.items():
        words = words.replace(f" {sign} ", f" {said} ", 1 if sign in ("not in", "in", "between") else -1)
    made["view"]["question"] = made["view"]["question"].replace(" in flights", f" in flights having {words}")
    made["view"]["ask"] += f" having {spelled}"
    made["view"]["plan"].insert(3, f"Keep the groups where {words}")
    return made


def _reordered(query: Json) -> Json:
    result = json.loads(query["canonical"]["result"])[::-1]
    made = edited(query, "canonical", "result", to=canonical(result))
    return edited(made, "view", "rows", to=made["view"]["rows"][::-1])


def _twice(query: Json) -> Json:
    first = json.loads(query["canonical"]["result"])[0]
    made = edited(query, "canonical", "result", to=canonical([first, first]))
    return edited(made, "view", "rows", to=[made["view"]["rows"][0]] * 2)


def _limited(query: Json) -> Json:
    plan = json.loads(query["canonical"]["plan"]) | {"limit": 1}
    made = edited(query, "canonical", "plan", to=canonical(plan))
    made["view"]["question"] += ", first 1"
    made["view"]["ask"] += " limit 1"
    made["view"]["plan"].append("Keep the first 1 rows")
    return made


def _mean(query: Json) -> Json:
    """A question for an average, all of whose words fit, over a column that no average has."""
    plan = json.loads(query["canonical"]["plan"]) | {"aggregation": "avg"}
    made = edited(query, "canonical", "plan", to=canonical(plan))
    made["view"]["question"] = made["view"]["question"].replace("Sum of", "Average of")
    made["view"]["ask"] = made["view"]["ask"].replace("sum ", "avg ")
    columns = copy.deepcopy(made["view"]["columns"])
    columns[1]["physical"] = "int64"
    made["view"]["columns"] = columns
    return recorded(made, columns=columns)


def _computations() -> Cases:
    made = card("computation")
    definition = json.loads(made["canonical"]["definition"])
    identity = json.loads(made["canonical"]["identity"])
    entry = definition["capability"]
    unknown = {"capability": "capability_not_in_contract"}
    in_dollars = [[made["view"]["rows"][0][0], "USD", "net present value"]]
    for name, changes, view in (
        ("another formula", {"formula": "sum(cashflows)"}, {"formula": "sum(cashflows)"}),
        ("another unit", {"result": entry["result"] | {"unit": "USD"}}, {"rows": in_dollars}),
        ("another citation", {"source": "the auditor"}, {"citation": "the auditor"}),
        ("another summary", {"summary": "Audited profit."}, {"summary": "Audited profit."}),
        ("another tier", {"tier": "pinned"}, {}),
        ("another version", {"version": 2}, {}),
        ("another LaTeX", {"latex": "x"}, {"latex": "x"}),
    ):  # fmt: skip
        forged = edited(made, "canonical", "definition", to=canonical(definition | {"capability": entry | changes}))
        forged["view"].update(view)
        causes = dict(unknown)
        if changes.keys() & {"tier", "version"}:
            causes["shown"] = "shown_differs"
        yield case(f"a capability of {name}", _signed_as(rehashed(forged), made), of("computation", **causes))
    invented = entry | {"id": "finance.audited_profit_2025", "function": "audited_profit_2025"}
    forged = edited(made, "canonical", "definition", to=canonical(definition | {"capability": invented}))
    forged["canonical"]["identity"] = canonical(identity | {"function": "audited_profit_2025"})
    forged["view"]["call"] = invented["id"]
    forged["view"]["question"] = made["view"]["question"].replace(entry["id"], invented["id"])
    yield case("a capability that no contract has", signed(rehashed(forged), ALICE), of("computation", **unknown))
    for name, edit in (
        ("the place of another capability", {"index": definition["index"] + 1}),
        ("a proof that is cut short", {"proof": definition["proof"][:-1]}),
        ("no proof", {"proof": []}),
        ("a contract of one capability", {"proof": [], "index": 0, "size": 1}),
    ):
        forged = edited(made, "canonical", "definition", to=canonical(definition | edit))
        yield case(f"a capability with {name}", signed(rehashed(forged), ALICE), of("computation", **unknown))
    misfit, words = {"capability": "call_misfit"}, {"shown": "shown_differs"}
    for name, changes, causes in (
        ("a rate that is text", {"kwargs": {"rate": "0.1"}}, misfit | words),
        ("a rate twice", {"args": [0.1]}, misfit),
        ("no rate", {"kwargs": {}}, misfit | words),
        ("an argument more", {"kwargs": {"rate": 0.1, "tax": 0}}, misfit),
        ("a column more", {"resolved_bindings": 2 * identity["resolved_bindings"]}, misfit),
        ("no column", {"resolved_bindings": []}, misfit | words),
        ("null for a column", {"resolved_bindings": [None]}, misfit | words),
        ("another column", {"resolved_bindings": [{"input_hash": "0" * 64}]}, words),
        ("a seed", {"seed": 1}, misfit | words),
        ("the function of another module", {"module": "stats"}, misfit),
    ):
        forged = edited(made, "canonical", "identity", to=canonical(identity | changes))
        yield case(f"a call with {name}", signed(rehashed(forged), ALICE), of("computation", **causes))
    older = [
        identity["resolved_bindings"][0] | {"parameter": "cashflows", "source_name": "flights", "fields": ["delay"]}
    ]
    forged = edited(made, "canonical", "identity", to=canonical(identity | {"resolved_bindings": older}))
    unread = {"shown": "?older_form", "capability": "?older_form"}
    yield case("a call of an earlier version", signed(rehashed(forged), ALICE), of("computation", **unread))
    for name, text in (
        ("other arguments", "[0.2,[1.5,-2.25,0.1]]"),
        ("an argument less", "[0.1]"),
        ("a number", "0.1"),
    ):
        forged = edited(made, "canonical", "arguments", to=text)
        forged = rehashed(recorded(forged, determinism=_hashed(made, text)))
        forged["view"]["determinism"] = _hashed(made, text)
        yield case(f"a call that passed {name}", signed(rehashed(forged), ALICE), of("computation", **misfit))
    twice = of("computation", contract="?contract_unknown", **misfit, **words)
    yield case("a call whose capability names a parameter twice", _named_twice(made), twice)
    for name, value in (("text", '"1"'), ("a list", "[1]"), ("null", "null"), ("true", "true")):
        forged = edited(made, "canonical", "value", to=value)
        yield case(f"a value that is {name}", signed(rehashed(forged), ALICE), of("computation", **misfit, **words))


def _named_twice(made: Json) -> Json:
    """A call under a contract of its own, whose capability names a parameter twice."""
    definition = json.loads(made["canonical"]["definition"])
    entry = definition["capability"]
    entry["params"] = [entry["params"][1], entry["params"][1], entry["params"][0]]
    own = f"sha256:{leaf(canonical(entry).encode()).hex()}"
    identity = json.loads(made["canonical"]["identity"]) | {"contract_hash": own}
    forged = edited(made, "canonical", "identity", to=canonical(identity))
    alone = definition | {"index": 0, "size": 1, "proof": []}
    forged = edited(forged, "canonical", "definition", to=canonical(alone))
    return signed(rehashed(forged), ALICE)


def _hashed(made: Json, arguments: str) -> Json:
    """What ran a call, with the hash of other arguments."""
    run: Json = made["view"]["determinism"] | {"input_hash": sha(arguments)}
    return run


def cases() -> Cases:
    yield from altered_leaves()
    yield from inventions()
