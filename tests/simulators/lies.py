"""What an author forges, whose own key signs it: what is shown contradicts what is recorded, or what a contract has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.simulators import evidence as genuine
from tests.simulators.contracts import CAPABILITIES, HEAD, definition
from tests.simulators.evidence import AUTHOR
from tests.simulators.forged import (
    CLARIFICATION,
    COMPUTATION,
    ERROR,
    OTHER_QUERY,
    QUERY,
    REJECTION,
    REPLAY,
    UNSIGNED,
    Json,
    defined,
    edited,
)
from tests.simulators.mutants import put, without

Case = tuple[str, str, Any, str | None]  # name, what the forger did, the document, the check and the cause


def authors() -> Iterator[Case]:
    """What is shown contradicts what is recorded, and the author's own key has signed it."""
    wrong = "shown shown_differs"
    for name, says, card in (*_other_answers(), *_other_words(), *_other_calls()):
        yield name, says, resigned(card), wrong
    yield from _inventions()
    stated = resigned(QUERY, inputs=[_SOURCE | {"name": "audited_accounts"}])
    another = "statement receipt_of_another_card"
    yield "inputs_invented", "The author signed another source than the card records.", stated, another
    named = resigned(genuine.sealed(put(QUERY, ("view", "query_id"), "query_00000000000000ff")), id=_id_of(QUERY))
    yield "id_of_another", "The card shows the id of another outcome than its author signed.", named, another
    run = resigned(COMPUTATION, determinism={"thread_count": 1, "tier": "certified"})
    yield "run_invented", "The author signed another run than the card records.", run, another
    unsigned = genuine.sealed(UNSIGNED[0] | {"receipt": None})
    yield "unsigned", "The card was never signed: anyone can have made it.", unsigned, "signature unsigned"
    stripped = without(OTHER_QUERY, ("canonical", "result"))
    yield (
        "result_removed",
        "The recorded result was taken out, and the table left as it is.",
        stripped,
        "shown shown_not_kept",
    )
    stripped = without(COMPUTATION, ("canonical", "definition"))
    yield (
        "definition_removed",
        "What the contract says of the capability was taken out.",
        stripped,
        "shown shown_not_kept",
    )


_SOURCE = json.loads(QUERY["canonical"]["provenance"])["sources"][0]


def resigned(card: Json, **changes: Any) -> Json:
    """The card, all hashes made to fit, with a receipt by its author; `changes` are of what is signed."""
    fitting = genuine.sealed(card)
    payload = genuine.text(genuine.statement(fitting, 0, **changes)).encode()
    return fitting | {"receipt": genuine.Log(AUTHOR, payloads=[payload]).receipt(0)}


def _id_of(card: Json) -> str:
    return str(card["view"].get("query_id") or card["view"]["request_id"])


def _other_answers() -> Iterator[tuple[str, str, Json]]:
    view = QUERY["view"]
    yield "figure_invented", "Another figure is shown than was recorded.", _view(QUERY, "rows", 0, 1, to="9999999.99")
    yield "row_withheld", "A recorded row is not shown.", _view(QUERY, "rows", to=view["rows"][:2])
    yield "rows_reordered", "The shown rows stand in another order.", _view(QUERY, "rows", to=view["rows"][::-1])
    yield "rows_inflated", "More rows are counted than were recorded.", _view(QUERY, "row_count", to=12_000_000)
    turned = _view(QUERY, "columns", to=[*view["columns"][1::-1], view["columns"][2]])
    yield "columns_turned", "The columns stand in another order.", turned
    renamed = _view(QUERY, "columns", 1, "name", to="profit")
    yield "column_renamed", "A column has another name.", renamed
    reversed_ = edited(QUERY, "result", lambda rows: rows[::-1])
    told = put(reversed_, ("view", "rows"), view["rows"][::-1])
    yield "result_reordered", "The recorded rows are not in the order of the plan.", told
    twice = edited(QUERY, "result", lambda rows: [rows[0], rows[0] | {"arr_delay": 2.0}, rows[2]])
    told = put(twice, ("view", "rows", 1), ["AA", "2", "4"])
    yield "group_twice", "The recorded result has two rows of one group.", told
    longer = edited(QUERY, "provenance", lambda how: how | {"row_count": 12_000_000})
    told = put(longer, ("view", "row_count"), 12_000_000)
    yield "result_inflated", "The recorded result has fewer rows than are counted.", told
    limited = edited(QUERY, "plan", lambda plan: plan | {"limit": 1})
    yield "limit_exceeded", "The plan keeps one row, and three are recorded.", limited


def _other_words() -> Iterator[tuple[str, str, Json]]:
    yield "question_invented", "Another question is shown.", _view(QUERY, "question", to="Sum of profit in flights")
    yield "ask_invented", "Another line to ask is shown.", _view(QUERY, "ask", to="sum profit from flights")
    yield "step_invented", "A step is shown that the plan does not have.", _view(QUERY, "plan", 0, to="Read an audit")
    source = _view(QUERY, "source", "name", to="audited_accounts")
    yield "source_invented", "Another source is shown.", source
    yield "source_inflated", "The source is shown with more rows.", _view(QUERY, "source", "row_count", to=12_000_000)
    content = _view(QUERY, "source", "content", "sha256", to="0" * 64)
    yield "content_invented", "The source is shown with another digest.", content
    yield "reading_hidden", "It is not shown how the source was read.", _view(QUERY, "source", "reading", to={})
    yield "method_invented", "Another method is shown.", _view(QUERY, "method", to="audited twice")
    yield "engine_invented", "Another engine is shown.", _view(QUERY, "engine", to="an audited engine")
    yield "path_invented", "Another way to the plan is shown.", _view(QUERY, "decision_path", to="approved")
    yield "note_hidden", "A recorded note is not shown.", _view(QUERY, "notes", to=[])
    yield "note_invented", "A note is shown that was not recorded.", _view(QUERY, "notes", 0, to="nulls: none")
    yield (
        "field_invented",
        "The view has a field that no card has.",
        _view(QUERY, to=QUERY["view"] | {"approved": True}),
    )
    lenient = _view(REJECTION, "rule", to="all is well")
    yield "rule_invented", "A refusal shows another rule.", lenient
    yield "hint_invented", "A clarification offers another column.", _view(CLARIFICATION, "did_you_mean", to=["profit"])
    yield "error_invented", "An error shows another message.", _view(ERROR, "message", to="All is well.")
    yield "replay_invented", "A replay shows another question.", _view(REPLAY, "question", to="Sum of profit")
    yield "replay_of_another", "A replay shows another subject.", _view(REPLAY, "subject", to="query_01")


def _other_calls() -> Iterator[tuple[str, str, Json]]:
    row = COMPUTATION["view"]["rows"][0]
    yield "value_invented", "Another value is shown.", _view(COMPUTATION, "rows", 0, 0, to="9999999.99")
    yield "unit_invented", "Another unit is shown.", _view(COMPUTATION, "rows", to=[[row[0], "USD", row[2]]])
    yield "formula_invented", "Another formula is shown.", _view(COMPUTATION, "formula", to="sum(cashflows)")
    yield "latex_invented", "Another formula is typeset.", _view(COMPUTATION, "latex", to="x")
    yield "citation_invented", "Another citation is shown.", _view(COMPUTATION, "citation", to="the auditor")
    yield "summary_invented", "Another meaning is shown.", _view(COMPUTATION, "summary", to="Audited profit.")
    yield "promise_invented", "Another promise is shown.", _view(COMPUTATION, "promise", to="Audited.")
    yield "tier_invented", "Another tier is shown.", _view(COMPUTATION, "tier", to="pinned")
    yield "call_invented", "Another capability is shown.", _view(COMPUTATION, "call", to="finance.audited_profit")
    yield "scope_invented", "Another machine is shown.", _view(COMPUTATION, "scope", to="linux-arm64:local")
    binding = _view(COMPUTATION, "bindings", 0, "row_count", to=12_000_000)
    yield "binding_invented", "An argument is shown to have been read from more rows.", binding
    run = _view(COMPUTATION, "determinism", "thread_count", to=64)
    yield "threads_invented", "Another run is shown.", run
    other = edited(COMPUTATION, "identity", lambda call: call | {"kwargs": {"rate": 0.2}})
    yield "argument_invented", "Another argument is shown than was recorded.", other
    bound = edited(COMPUTATION, "identity", lambda call: call | {"resolved_bindings": []})
    yield "binding_withheld", "The call does not record an argument that was read from data.", bound


def _inventions() -> Iterator[Case]:
    """Calls that fit what is shown of them, and that no contract has."""
    wrong = "capability capability_not_in_contract"

    def of(view: Json, **changes: Any) -> Json:
        made = edited(COMPUTATION, "definition", defined(**changes))
        return resigned(made | {"view": made["view"] | view})

    question = str(COMPUTATION["view"]["question"]).replace("finance.npv", "finance.audited_profit_2025")
    called = {"call": "finance.audited_profit_2025", "question": question}
    entry = {"id": "finance.audited_profit_2025", "function": "audited_profit_2025"}
    made = edited(COMPUTATION, "definition", defined(**entry))
    made = edited(made, "identity", lambda call: call | {"function": "audited_profit_2025"})
    made = resigned(made | {"view": made["view"] | called})
    yield "capability_invented", "A capability is named that the contract does not have.", made, wrong
    result = {"type": "float64", "unit": "USD", "about": "net present value"}
    rows = [[COMPUTATION["view"]["rows"][0][0], "USD", "net present value"]]
    yield "unit_defined", "The contract is said to have another unit.", of({"rows": rows}, result=result), wrong
    for field, key, to in (
        ("formula", "formula", "sum(cashflows)"),
        ("latex", "latex", "x"),
        ("source", "citation", "the auditor"),
        ("summary", "summary", "Audited profit."),
    ):
        says = f"The contract is said to have another {key}."
        yield f"{key}_defined", says, of({key: to}, **{field: to}), wrong
    moved = edited(COMPUTATION, "definition", lambda told: told | {"index": told["index"] + 1})
    yield "capability_moved", "The capability is said to stand elsewhere in the contract.", resigned(moved), wrong
    alone = edited(COMPUTATION, "definition", lambda told: told | {"index": 0, "size": 1, "proof": []})
    yield "contract_of_one", "The contract is said to have one capability.", resigned(alone), wrong
    other = definition(HEAD, CAPABILITIES, "finance.irr")
    borrowed = edited(COMPUTATION, "definition", lambda told: told | {key: other[key] for key in ("index", "proof")})
    yield "proof_borrowed", "The proof is of another capability of the contract.", resigned(borrowed), wrong
    misfit = "capability call_misfit"
    arguments = edited(COMPUTATION, "identity", lambda call: call | {"args": [0.1]})
    yield "argument_twice", "An argument is given twice.", resigned(arguments), misfit


def _view(card: Json, *path: Any, to: Any) -> Json:
    return put(card, ("view", *path), to)
