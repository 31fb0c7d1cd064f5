"""Turn outcomes, refusals and errors into what an agent is told: the members that `schema/agent_tools.py` declares."""

from __future__ import annotations

import base64
import datetime
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast, get_args

from service_nb.agents.safe_texts import clean_text, clean_tree, is_safe_name
from service_nb.client.results import QueryOutcome, get_result_id
from service_nb.core.canonical import parse_strict, write_canonical_text
from service_nb.errors import ServiceError
from service_nb.query.ask_line import drop_default_order, format_ask, parse_ask
from service_nb.query.conditions import compute_period_bounds
from service_nb.query.spec import SPEC_KEYS, parse_spec, write_spec
from service_nb.schema.agent_tools import (
    CODES,
    DETAILED,
    MAX_CANDIDATES,
    MAX_CELL_CHARS,
    MAX_DETAIL_CHARS,
    MAX_NAME_CHARS,
    MAX_RESULT_CHARS,
    MAX_ROWS,
    MAX_STEPS,
    QUESTION_PATHS,
    SENTENCES,
)
from service_nb.schema.card import Column
from service_nb.schema.query import Period
from service_nb.schema.source import Value, write_exact_text

Told = dict[str, Any]  # what an agent is told: a JSON object
_STEP = re.compile(r"[a-z_]+")


def describe_outcome(outcome: QueryOutcome) -> Told:
    """Describe an answer, or why there is none."""
    card_id = get_result_id(outcome)
    if outcome["status"] != "ok":
        told = describe_refusal(str(outcome["status"]), outcome["resolution"])
        told |= {"refusal_hash": outcome["refusal_hash"], "card_id": card_id}
        return finish(told, SENTENCES["recorded_refusal"], SENTENCES["card"])
    return _describe_answer(outcome, card_id)


# --- answers ----------------------------------------------------------------------------------------------------------


def _describe_answer(outcome: QueryOutcome, card_id: str) -> Told:
    data, plan = outcome["data"], outcome["resolution"]["plan"]
    columns, provenance = outcome.columns, data["provenance"]
    rows, altered = _write_rows(columns, outcome)
    count = int(data["row_count"])
    told: Told = {
        "status": "ok",
        "text": "",
        "columns": [{"name": clean_text(each["name"], MAX_NAME_CHARS), "type": each["type"]} for each in columns],
        "rows": rows,
        "row_count": count,
        "truncated": len(rows) < count,
    }
    value = _find_value(columns, rows, count)
    said = [SENTENCES["answered"] if value is None else SENTENCES["value"].format(value=value)]
    if "used_rows" in provenance:
        told["used_rows"] = provenance["used_rows"]
    if count == 0 or provenance.get("used_rows") == 0:
        said.append(SENTENCES["empty"])
    if told["truncated"]:
        told["narrow"] = SENTENCES["narrow"]
        said.append(SENTENCES["truncated"].format(rows=len(rows), row_count=count))
    if provenance.get("dropped"):
        dropped = sorted(provenance["dropped"].items())
        told["nulls"] = [{"column": clean_text(name, MAX_NAME_CHARS), "rows": each} for name, each in dropped]
        said.append(SENTENCES["nulls"])
    add_period(told, said, plan)
    if altered:
        told["altered_cells"] = altered
        said.append(SENTENCES["altered"].format(count=altered))
    hashes = {"plan_hash": data["plan_hash"], "result_hash": data["result_hash"], "card_id": card_id}
    told |= {"ask": write_line(plan), **hashes}
    return finish(told, *said, SENTENCES["hashes"], SENTENCES["card"])


def _find_value(columns: Sequence[Column], rows: Sequence[Sequence[str | None]], count: int) -> str | None:
    """Find the one value that was asked for, if it is no text of the data: those never stand in the tool's words."""
    measured = [at for at, column in enumerate(columns) if column["role"] == "metric"] or [len(columns) - 1]
    if count != 1 or len(rows) != 1 or len(measured) != 1 or any(column["role"] == "key" for column in columns):
        return None
    return None if columns[measured[0]]["type"] == "string" else rows[0][measured[0]]


def _write_rows(columns: Sequence[Column], outcome: QueryOutcome) -> tuple[list[list[str | None]], int]:
    """Write the first rows as exact texts, and count the cells that are not shown as they are."""
    rows: list[list[str | None]] = []
    chars = altered = 0
    for row in outcome.rows[:MAX_ROWS]:
        cells, changed = _write_cells(columns, list(row.values()))
        chars += sum(len(cell or "") for cell in cells)
        if rows and chars > MAX_RESULT_CHARS:
            break
        rows.append(cells)
        altered += changed
    return rows, altered


def _write_cells(columns: Sequence[Column], values: Sequence[Value]) -> tuple[list[str | None], int]:
    cells, changed = list[str | None](), 0
    for column, value in zip(columns, values, strict=True):
        text = write_exact_text(value)
        cell = text if text is None else clean_text(text, MAX_CELL_CHARS)
        if text is not None and cell != text:
            changed += 1
            if column["type"] == "number":  # a number without its last digits is another number
                cell = SENTENCES["number_too_long"].format(count=len(text))
        cells.append(cell)
    return cells, changed


def add_period(told: Told, said: list[str], plan: Mapping[str, Any]) -> None:
    """Tell which dates a relative period became."""
    notes = plan.get("notes") or {}
    if "period" not in notes:
        return
    period = str(notes["period"]).partition(" ")[0]
    if period not in get_args(Period):
        return
    today = datetime.datetime.fromisoformat(notes["clock"]).date()
    first, below = compute_period_bounds(cast(Period, period), today)
    dates = {"from": first.isoformat(), "below": below.isoformat()}
    told["period"] = {"period": period, **dates, "clock": notes["clock"], "zone": clean_text(notes["zone"], 60)}
    said.append(SENTENCES["period"].format(**dates, clock=notes["clock"]))


def write_line(plan: Mapping[str, Any]) -> str:
    """Write the ask line of a resolved question; the default order is left out."""
    spec = parse_strict(write_canonical_text({key: plan[key] for key in SPEC_KEYS if key in plan}))  # as cards have it
    return clean_text(format_ask(drop_default_order(spec)), MAX_DETAIL_CHARS)


def describe_plan(resolved: Mapping[str, Any]) -> Told:
    """Describe what `resolve` returned: a plan, or a refusal."""
    if resolved["status"] != "ok":
        return finish(describe_refusal(resolved["status"], resolved))
    plan = resolved["plan"]
    told: Told = {
        "status": "ok",
        "text": "",
        "plan": clean_tree({key: plan[key] for key in SPEC_KEYS if key in plan}, MAX_DETAIL_CHARS),
        "ask": write_line(plan),
        "steps": [clean_text(step, MAX_DETAIL_CHARS) for step in resolved["steps"][:MAX_STEPS]],
    }
    said = [SENTENCES["explained"]]
    add_period(told, said, plan)
    return finish(told | {"plan_hash": resolved["plan_hash"]}, *said)


# --- refusals and errors ----------------------------------------------------------------------------------------------


def describe_refusal(status: str, resolution: Mapping[str, Any]) -> Told:
    """Describe why a question has no answer, and the questions that have one."""
    reason = resolution["rejection_reason"]
    code = status if reason is None else CODES.get(reason, reason)
    told: Told = {"status": status, "text": SENTENCES.get(code, SENTENCES[status]), "code": code}
    if code in DETAILED and resolution["reason"]:
        told["detail"] = clean_text(resolution["reason"], MAX_DETAIL_CHARS)
    if resolution["missing"]:
        told["missing"] = list(resolution["missing"])
    if resolution.get("unknown"):
        told["unknown"] = clean_tree(resolution["unknown"], MAX_NAME_CHARS)
    near = [name for name in resolution["did_you_mean"] if is_safe_name(name)]
    if near:
        told["did_you_mean"] = near
    ways = [way for each in resolution["candidates"] if (way := _build_candidate(each)) is not None]
    if ways:
        told["candidates"] = ways[:MAX_CANDIDATES]
    return told


def _build_candidate(candidate: Mapping[str, str]) -> Told | None:
    """Build a question that can be sent as it stands; None where its names hold what is not shown."""
    with suppress(ServiceError):
        spec = write_spec(parse_spec(parse_ask(candidate["ask"])))
        question = parse_strict(write_canonical_text(spec))
        if clean_tree(question, MAX_DETAIL_CHARS) == question:
            return {"slot": candidate["slot"], "name": clean_text(candidate["name"], 200), "question": question}
    return None


def describe_error(error: ServiceError, *, is_computation: bool = False) -> Told:
    """Describe an error by its code; of the machine, of files and of the policy nothing is told.

    The sentence of an error of a computation names parameters of the contract, and quotes what was sent for them.
    """
    code = CODES.get(error.code, error.code)
    where = error.details.get("path")
    step = _STEP.match(where) if isinstance(where, str) else None
    is_of_question = is_computation or (step is not None and step[0] in QUESTION_PATHS)
    sentence = SENTENCES.get(code) if code not in DETAILED or is_of_question else None
    told: Told = {
        "status": "error",
        "text": sentence or SENTENCES["retryable" if error.retryable else "error"],
        "code": code,
    }
    if is_of_question and code in DETAILED:
        told |= {"detail": clean_text(str(error), MAX_DETAIL_CHARS)}
        if where is not None:
            told["where"] = clean_text(str(where), MAX_NAME_CHARS)
        expected = error.details.get("expected")
        if expected is not None:
            listed = expected if isinstance(expected, list | tuple) else [expected]
            told["expected"] = [clean_text(str(each), MAX_NAME_CHARS) for each in listed]
    card_id = _find_card_id(error)
    return finish(told) if card_id is None else finish(told | {"card_id": card_id}, SENTENCES["card"])


def _find_card_id(error: ServiceError) -> str | None:
    """Return the id under which an error was recorded, from its receipt."""
    receipt = (error.card or {}).get("receipt")
    if receipt is None:
        return None
    statement = parse_strict(base64.b64decode(receipt["envelope"]["payload"]))
    return str(statement["predicate"]["id"])


def describe_failure(code: str) -> Told:
    """Describe a fault of the tool itself."""
    return {"status": "error", "text": SENTENCES[code], "code": code}


def finish(told: Told, *said: str) -> Told:
    """Write the tool's own words: sentences, with numbers, hashes and ids of the result in their places."""
    hashes = {key: told.get(key, "") for key in ("row_count", "plan_hash", "result_hash", "refusal_hash", "card_id")}
    sentences = [told["text"]] if told["text"] else []
    if told.get("candidates"):
        sentences.append(SENTENCES["candidates"].format(count=len(told["candidates"])))
    sentences += [each.format(**hashes) for each in said]
    return told | {"text": " ".join(sentences)}
