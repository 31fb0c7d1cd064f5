"""The composition of a card's blocks: their content and order, the same on every face."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from service_nb._version import __version__
from service_nb.cards import format as fmt
from service_nb.cards.blocks import (
    Block,
    Command,
    Commands,
    Fact,
    Facts,
    Figure,
    Formula,
    Head,
    Line,
    Mark,
    Sentence,
    Status,
    Table,
    TextSpan,
    Title,
    Tone,
    build_heads,
    build_line,
)
from service_nb.cards.digits import (
    EXACT,
    ColumnDigits,
    Digits,
    choose_digits,
    choose_key_digits,
    round_alone,
    round_number,
)
from service_nb.cards.distribution import write_distribution
from service_nb.cards.heads import write_heads
from service_nb.cards.used_rows import CELL_WIDTH, is_live, list_short_notes, list_used_rows, sort_names
from service_nb.core.canonical import write_canonical_text
from service_nb.core.words import clip, make_visible
from service_nb.query.condition_groups import JOINING_WORDS, find_joiner, list_form_leaves
from service_nb.schema.card import Card, CardKind, Column
from service_nb.schema.reading_notes import write_note
from service_nb.schema.text_order import LETTERS_NOTE

ASK = "%service_ask"
QUESTION_LABEL = "question"  # of the line that asks again
MOST_EXACT = 400  # characters of a number that is written out beside its rounded form
ROUNDED = "rounded for reading; digits=exact shows every digit"
MOST_OPTIONS = 10  # types, or texts for null, that are shown
_PATHS = {
    "exact_spec": "every name is written as in the source",
    "normalized_name": "a name was matched without regard to case and separators",
    "alias": "a name is a declared alias",
}


def compose_card(card: Card, digits: Digits = None) -> list[Block]:
    """Compose the card's blocks: what was asked, the answer, status, details; `digits` are those of its numbers."""
    return list(_COMPOSERS[card["kind"]](card, digits))


def compose_face(card: Card, version: str = __version__, digits: Digits = None) -> list[Block]:
    """Compose a face of a card: its blocks, and the mark of the version that writes it (`schema.card`)."""
    return [*compose_card(card, digits), Mark(version)]


def find_answer(blocks: Iterable[Block]) -> Table | Figure | Sentence:
    """Find the block of a card that is its answer: a table, a value or a sentence."""
    return next(block for block in blocks if isinstance(block, Table | Figure | Sentence))


def _compose_answer(card: Card, digits: Digits) -> Iterator[Block]:
    view = card["view"]
    letters = [clip(fmt.write_word(said), CELL_WIDTH) for said in view["notes"] if said.startswith(LETTERS_NOTE)]
    told = [*letters, *list_used_rows(view), *list_short_notes(view)]
    note = " · ".join([*told, fmt.write_duration(view["latency_ms"])])
    rules = choose_rules(view["columns"], view["rows"], digits)
    answer = _compose_rows(card, rules, digits)
    yield Title(view["question"])
    yield answer
    yield Status("answered", "Answered", note, is_evidence=True)
    exact = [*_list_exact_facts(answer), *_list_rounding_facts(view["rows"], view["columns"], rules, digits)]
    yield Facts((*exact, *_list_query_facts(card)))


def _write_question(ask: str) -> str:
    """Write the line that asks again; of what shows a source, it is a magic already."""
    return ask if ask.startswith("%service_") else f"{ASK} {ask}"


def _list_exact_facts(answer: Block) -> Iterator[Fact]:
    """List the exact text of a single value that is shown rounded or cut."""
    is_short = isinstance(answer, Figure) and 0 < len(answer.exact) <= MOST_EXACT
    if isinstance(answer, Figure) and is_short and answer.value != fmt.write_number(answer.exact):
        yield Fact.from_texts("exact value", answer.exact, kind="code")


def _list_rounding_facts(
    rows: Sequence[Sequence[str | None]], columns: Sequence[Column], rules: Sequence[ColumnDigits], digits: Digits
) -> Iterator[Fact]:
    cells = (pair for row in rows for pair in zip(row, columns, rules, strict=True))
    is_rounded = any(value is not None and _round_cell(value, column, rule) != value for value, column, rule in cells)
    ends = (row[at] for row in rows for at in _find_numeric_extremes(row, columns))
    if is_rounded or any(end is not None and round_alone(end, digits) != end for end in ends):
        yield Fact.from_texts("numbers", ROUNDED)


def _compose_rows(card: Card, rules: Sequence[ColumnDigits], digits: Digits) -> Block:
    view = card["view"]
    columns, rows, row_count = view["columns"], view["rows"], view["row_count"]
    if not rows:
        names = ", ".join(write_heads(card))
        withheld = _say_withheld(f"{fmt.write_count(row_count)} of {names}")
        return Sentence(withheld if row_count else "Nothing to show: the result has no rows.", "message")
    shown = [write_row(row, columns, rules, digits) for row in rows]
    if row_count == 1 and not any(column["role"] == "key" for column in columns):
        return _compose_figure(write_heads(card), columns, shown[0], rows[0])
    pairs = zip(write_heads(card), columns, strict=True)
    heads = (Head(clip(head, CELL_WIDTH), _align(column["type"] == "number")) for head, column in pairs)
    said = fmt.write_share(len(rows), row_count, tells_rest=True)
    if "result" not in card["canonical"]:
        said += " · the whole result is kept by its hash only"
    exact = [_write_exact_row(row, columns) for row in rows]
    return Table(tuple(heads), tuple(shown), said + _explain_null(rows), _keep_exact(shown, exact))


def _keep_exact(shown: Iterable[tuple[str, ...]], exact: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Keep the rows with every digit, if they say more than the shown ones; a text of thousands of digits is cut."""
    if list(shown) == list(exact):
        return ()
    return tuple(tuple(clip(text, MOST_EXACT) for text in row) for row in exact)


def choose_rules(
    columns: Sequence[Column], rows: Sequence[Sequence[str | None]], digits: Digits = None
) -> list[ColumnDigits]:
    """Choose how the numbers of each column are rounded for reading."""
    cells = [[row[at] for row in rows] for at in range(len(columns))]
    return [
        choose_key_digits(column, digits) if each["role"] == "key" else choose_digits(column, digits)
        for each, column in zip(columns, cells, strict=True)
    ]


def write_row(
    row: Sequence[str | None], columns: Sequence[Column], rules: Sequence[ColumnDigits], digits: Digits = None
) -> tuple[str, ...]:
    """Write the exact texts of a row as a table shows them: numbers rounded by the rules of their columns."""
    extremes = _find_numeric_extremes(row, columns)
    return tuple(
        fmt.write_cell(round_alone(value, digits), type_="number", separated=False)
        if at in extremes and value is not None
        else _write_cell(value, column, rule)
        for at, (value, column, rule) in enumerate(zip(row, columns, rules, strict=True))
    )


def _write_exact_row(row: Sequence[str | None], columns: Sequence[Column]) -> tuple[str, ...]:
    extremes = _find_numeric_extremes(row, columns)
    return tuple(
        fmt.write_cell(value, type_="number", separated=False) if at in extremes else _write_cell(value, column, EXACT)
        for at, (value, column) in enumerate(zip(row, columns, strict=True))
    )


def _find_numeric_extremes(row: Sequence[str | None], columns: Sequence[Column]) -> Sequence[int]:
    """Find the least and the largest value in the row of a profile that tells of a column of numbers."""
    is_profile = any(column.get("physical") == "counts" for column in columns)  # nothing else has distributions
    names = [column["name"] for column in columns]
    if not is_profile or row[names.index("type")] != "number":
        return ()
    return [names.index(name) for name in ("minimum", "maximum")]


def _say_withheld(what: str) -> str:
    return f"Values are not kept in this card: {what}. The hash below stands for them."


def _compose_figure(
    heads: Sequence[str], columns: Sequence[Column], row: Sequence[str], exact: Sequence[str | None]
) -> Figure:
    at = next((at for at, column in enumerate(columns) if column["role"] == "metric"), 0)
    others = [f"{head} {shown}" for index, (head, shown) in enumerate(zip(heads, row, strict=True)) if index != at]
    is_number = columns[at]["type"] == "number"
    caption = " · ".join([heads[at], *others]) + _explain_null([row])
    return Figure(row[at], caption, (exact[at] or "") if is_number else "")


def _explain_null(rows: Iterable[Sequence[str | None]]) -> str:
    return f" · {fmt.NULL} is null" if any(value is None or value == fmt.NULL for row in rows for value in row) else ""


def _round_cell(value: str, column: Column, rule: ColumnDigits) -> str:
    return round_number(value, rule) if column["type"] == "number" else value


def _write_cell(value: str | None, column: Column, rule: ColumnDigits) -> str:
    if column.get("physical") == "counts" and value is not None:
        return clip(write_distribution(value), CELL_WIDTH)
    rounded = None if value is None else _round_cell(value, column, rule)
    shown = fmt.write_cell(rounded, type_=column["type"], separated=column["role"] != "key")
    return shown if column["type"] == "number" and fmt.is_number(value or "") else clip(shown, CELL_WIDTH)


def _align(is_number: bool) -> Literal["left", "point"]:
    return "point" if is_number else "left"


def _list_query_facts(card: Card) -> Iterator[Fact]:
    view, source = card["view"], card["view"]["source"]
    yield Fact.from_texts(QUESTION_LABEL, _write_question(view["ask"]), kind="code")
    yield Fact.from_texts("plan", *view["plan"], is_steps=True)
    yield Fact("source", tuple(describe_source(source)))
    path = view["decision_path"]
    yield Fact("names", ((TextSpan(path, "code"), TextSpan(f": {_PATHS.get(path, 'unknown')}")),))
    yield Fact.from_texts("method", view["method"])
    yield Fact("run", (build_line(f"{view['engine']} · ", view["query_id"], "code"),))
    yield from _list_reading_facts(view)
    if view["notes"]:
        yield Fact.from_texts("notes", *view["notes"])
    # The schema's digest stands with its source already.
    yield from _list_proof(card, source["schema_revision"])


def _list_reading_facts(view: Mapping[str, Any]) -> Iterator[Fact]:
    """List the sentences of what readers decided of what was used."""
    if read := view.get("reading_notes"):
        yield Fact.from_texts("reading", *map(write_note, read))


_TEXT_OPTIONS = ("delimiter", "encoding", "sheet", "decimal", "thousands", "date_format", "currency")


def _describe_reading(reading: Mapping[str, Any]) -> str:
    """Describe how a source was read: the options that were given."""
    types = [f"{fmt.write_word(name)}={fmt.write_word(kind)}" for name, kind in _sort_types(reading.get("types") or {})]
    nulls = [fmt.write_word(text) for text in reading.get("nulls") or ()]
    parts = [f"{label} {_join_first(texts)}" for label, texts in (("types", types), ("nulls", nulls)) if texts]
    parts += [f"{key} {fmt.write_word(reading[key])}" for key in _TEXT_OPTIONS if reading.get(key)]
    parts += [key for key in ("percent", "trim") if reading.get(key)]
    return " · ".join(parts)


def _sort_types(types: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(name, types[name]) for name in sort_names(types)]


def _join_first(texts: Sequence[str]) -> str:
    more = f", … {len(texts) - MOST_OPTIONS} more" if len(texts) > MOST_OPTIONS else ""
    return ", ".join(texts[:MOST_OPTIONS]) + more


def describe_source(source: Mapping[str, Any]) -> Iterator[Line]:
    """Yield the lines that identify a source: name, rows, id, revision, read options, content."""
    known = f"{fmt.write_word(source['name'])} · {fmt.write_count(source['row_count'])} · "
    yield build_line(known, source["source_id"], "code")
    yield build_line("schema ", source["schema_revision"])
    if read := _describe_reading(source.get("reading") or {}):
        yield (TextSpan(f"read with {read}"),)
    content = source.get("content") or {}
    unit = "row" if "rows" in content else "byte"
    if is_live(source):
        yield (TextSpan("live: its data may change, so there is no digest of it"),)
    elif content.get("algorithm") == "hidden":
        yield (TextSpan("under a policy that hides columns: there is no digest of it"),)
    elif content.get("sha256"):
        size = fmt.write_count(content.get(f"{unit}s", 0), unit)
        yield build_line(f"{content['algorithm']} of {size} ", content["sha256"])
    elif content:
        yield (TextSpan(f"{content['algorithm']} is pending"),)


def _compose_refusal(card: Card, _digits: Digits) -> Iterator[Block]:
    """Compose a question that was not run: the reason first, lines that run, then what it is."""
    view = card["view"]
    yield Sentence(view["reason"], "message")
    if view["candidates"]:
        yield Commands(tuple(map(_write_candidate, view["candidates"])), "Run one of these")
    if card["kind"] == "clarification":
        yield Status("unclear", "Needs clarification", "not run", is_evidence=True)
    else:
        yield Status("rejected", "Rejected", f"not run · {view['rejection_reason']}", is_evidence=True)
    yield Facts(tuple(_list_refusal_facts(card)))


def _write_candidate(candidate: Mapping[str, str]) -> Command:
    parts = (candidate["slot"].replace("_", " "), candidate["name"], candidate["type"])
    return Command(f"{ASK} {candidate['ask']}", " · ".join(filter(None, parts)))


def _list_refusal_facts(card: Card) -> Iterator[Fact]:
    view = card["view"]
    if view["question"] != view["ask"]:
        yield Fact.from_texts("asked", view["question"])
    if view["ask"]:
        yield Fact.from_texts(QUESTION_LABEL, _write_question(view["ask"]), kind="code")
    if view["missing"]:
        yield Fact.from_texts("missing", ", ".join(view["missing"]))
    if view["did_you_mean"]:
        yield Fact.from_texts("similar", ", ".join(fmt.write_word(name) for name in view["did_you_mean"]))
    if view["rule"]:
        yield Fact.from_texts("rule", view["rule"])
    yield from _list_proof(card)


def _compose_error(card: Card, _digits: Digits) -> Iterator[Block]:
    view = card["view"]
    yield Sentence(view["message"], "message")
    if view["hint"]:
        yield Sentence(view["hint"], "hint")
    yield Status("error", "Error", view["code"], is_evidence=True)
    yield Facts(tuple(_list_proof(card)))


# --- computations -----------------------------------------------------------------------------------------------------

FIGURE_WIDTH = 96  # as above, of a single value


def _compose_computation(card: Card, digits: Digits) -> Iterator[Block]:
    """Compose the blocks of a computation: what it is, value with its unit, status, formula, details."""
    view = card["view"]
    how = f"Seed {view['determinism']['seed']}" if "seed" in view["determinism"] else view["tier"]
    told = [*_list_bound_rows(view["bindings"]), *list_short_notes(view)]
    note = " · ".join([*told, how, fmt.write_duration(view["latency_ms"])])
    answer, is_rounded = _compose_value(card, digits)
    where = _write_where(view["bindings"])
    yield Title(view["summary"].removesuffix(".") + where, clip(view["question"], FIGURE_WIDTH))
    yield answer
    yield Status("answered", "Computed", note, is_evidence=True)
    if view["formula"] or view["latex"]:
        yield Formula(view["formula"] or "", view["latex"] or "")
    rounding = [Fact.from_texts("numbers", ROUNDED)] if is_rounded else []
    yield Facts((*_list_exact_facts(answer), *rounding, *_list_computation_facts(card)))


def _write_where(bindings: Sequence[Mapping[str, Any]]) -> str:
    """Write which rows a computation is of; this alone tells those of `over` apart."""
    told = dict.fromkeys(_write_conditions(each["filter"]["conditions"]) for each in bindings if "filter" in each)
    return f" where {'; '.join(told)}" if told else ""


def _list_bound_rows(bindings: Sequence[Mapping[str, Any]]) -> list[str]:
    """List how many rows of each binding's source were used, and how many were left out for a null."""
    told = []
    for each in bindings:
        # Rows with a null are left out whole, so they are no part of those used.
        used, total = each["row_count"], each.get("source_rows")
        rows = fmt.write_count(used) if total in (None, used) else f"{used:,} of {fmt.write_count(total)}"
        told.append(f"{rows} of {fmt.write_word(each['source_name'])}")
        if each["dropped"]:
            told.append(f"{fmt.write_count(each['dropped'])} with a null left out")
    return list(dict.fromkeys(told))


def _compose_value(card: Card, digits: Digits) -> tuple[Block, bool]:
    """Compose the value of a computation, and tell whether a number in it is rounded."""
    view = card["view"]
    columns, rows = view["columns"], view["rows"]
    if columns == ["value", "unit", "about"] and rows:
        value, unit, about = rows[0]
        rounded = round_alone(value, digits)
        number = fmt.write_number(rounded) if fmt.is_number(value) else fmt.write_word(value)
        caption = " · ".join(filter(None, (_write_unit(unit), about)))
        exact = value if fmt.is_number(value) else ""
        return Figure(clip(number, FIGURE_WIDTH), caption, exact), rounded != value
    if not rows:
        withheld = _say_withheld(fmt.write_count(view["row_count"], "item"))
        text = withheld if view["row_count"] else "Nothing to show: the value has no items."
        return Sentence(text, "message"), False
    heads = columns or [str(index) for index in range(max(map(len, rows)))]
    shown = _round_items(rows, columns, len(heads), digits)
    numbers = [all(at >= len(row) or fmt.is_number(row[at]) for row in rows) for at in range(len(heads))]
    said = fmt.write_share(len(rows), view["row_count"], "item")
    if "value" not in card["canonical"]:
        said += " · the whole value is kept by its hash only"
    cells, exact = _write_items(shown, len(heads)), _write_items(rows, len(heads))
    columns_shown = tuple(map(Head, heads, map(_align, numbers)))
    return Table(columns_shown, cells, said, _keep_exact(cells, exact)), shown != rows


def _write_items(rows: Iterable[Sequence[str]], width: int) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_write_item(row[at]) if at < len(row) else "" for at in range(width)) for row in rows)


def _round_items(rows: Sequence[Sequence[str]], columns: Sequence[str], width: int, digits: Digits) -> list[list[str]]:
    """Round the items of a value: by column, but each field of a record, which has a name, for itself."""
    if columns[:1] == ["name"]:
        return [[round_alone(text, digits) for text in row] for row in rows]
    rules = [choose_digits((row[at] for row in rows if at < len(row)), digits) for at in range(width)]
    return [[round_number(text, rule) for text, rule in zip(row, rules, strict=False)] for row in rows]


def _write_unit(unit: str) -> str:
    """Write a unit in words; a unit variable such as `?u` stands for the unit of the arguments."""
    if unit == "1":
        return "without unit"
    return "in the unit of the arguments" if unit[:1] == "?" and unit[1:].isalpha() else unit


def _write_item(text: str) -> str:
    return text if fmt.is_number(text) and len(text) <= CELL_WIDTH else clip(fmt.write_word(text), CELL_WIDTH)


def _list_computation_facts(card: Card) -> Iterator[Fact]:
    view = card["view"]
    yield Fact.from_texts("call", view["question"], kind="code")
    if view["formula"] and view["latex"]:
        yield Fact.from_texts("formula", *view["formula"].splitlines(), kind="code")
    yield Fact.from_texts("source", view["citation"])
    yield Fact.from_texts("tier", f"{view['tier']}: {view['promise']}")
    if "grade" in view:
        yield Fact.from_texts("grade", view["grade"])
    for binding in view["bindings"]:
        yield Fact("columns", tuple(_describe_binding(binding)))
    yield from _list_reading_facts(view)
    yield Fact("run", tuple(_describe_run(view)))
    yield from _list_proof(card)


def _describe_binding(binding: Mapping[str, Any]) -> Iterator[Line]:
    pairs = zip(binding["parameters"], binding["fields"], strict=True)
    source = fmt.write_word(binding["source_name"])
    named = ", ".join(f"{parameter} = {source}.{fmt.write_word(field)}" for parameter, field in pairs)
    dropped = f", {fmt.write_count(binding['dropped'])} with a null dropped" if binding["dropped"] else ""
    filtered = (
        f", {fmt.write_count(len(list_form_leaves(binding['filter']['conditions'])), 'condition')}"
        if "filter" in binding
        else ""
    )
    yield (TextSpan(f"{named} · {fmt.write_count(binding['row_count'])}{filtered}{dropped}"),)
    if "filter" in binding:
        yield (TextSpan(f"where {_write_conditions(binding['filter']['conditions'])}"),)
    yield build_line("input ", binding["input_hash"])
    yield build_line("schema ", binding["schema_revision"])


_OPERATOR_SIGNS = {"eq": "=", "ne": "≠", "gt": ">", "gte": "≥", "lt": "<", "lte": "≤"}
_MOST_CONDITIONS = 5


def _count_conditions(filter_: Mapping[str, Any]) -> str:
    return fmt.write_count(len(list_form_leaves(filter_["conditions"])), "condition")


def _write_conditions(conditions: Sequence[Mapping[str, object]]) -> str:
    """Write the conditions that selected the rows; only they differ between the computations of `over`."""
    told = [clip(_write_tree(each), CELL_WIDTH) for each in conditions[:_MOST_CONDITIONS]]
    more = len(conditions) - len(told)
    return " and ".join([*told, *([f"{more:,} more"] if more else [])])


def _write_tree(tree: Mapping[str, Any]) -> str:
    joiner = find_joiner(tree)
    return (
        _write_condition(tree) if joiner is None else f"({JOINING_WORDS[joiner].join(map(_write_tree, tree[joiner]))})"
    )


def _write_condition(condition: Mapping[str, object]) -> str:
    told = (condition.get(key) for key in ("column", "op"))
    column, op = (text if isinstance(text, str) else "…" for text in told)
    operand = next((f" {write_canonical_text(condition[key])}" for key in ("value", "values") if key in condition), "")
    return make_visible(f"{fmt.write_word(column)} {_OPERATOR_SIGNS.get(op) or op.replace('_', ' ')}{operand}")


def _describe_run(view: Mapping[str, Any]) -> Iterator[Line]:
    run = view["determinism"]
    yield (TextSpan(f"{run['kernel_build']} · {_list_libraries(run['libraries'])}"),)
    seed = f" · seed {run['seed']}" if "seed" in run else ""
    pinning = f" · {run['pinning']}" if "pinning" in run else ""
    threads = fmt.write_count(run["thread_count"], "thread")
    yield (TextSpan(f"{view['scope']} · {run['precision_mode']} · {threads}{seed}{pinning}"),)
    version, digest = run["runtime_bundle_version"], run["runtime_bundle_sha256"]
    bundle = f"runtime bundle {version}"
    yield (TextSpan(bundle),) if version == digest else build_line(f"{bundle} ", digest)
    profile = f"profile {run['profile']} · " if "profile" in run else ""
    yield build_line(f"{profile}version {view['version']} of the capability · ", view["request_id"], "code")


def _list_libraries(effective: Mapping[str, str]) -> str:
    """List the packages that computed and the C library; kernels, threads and digests are in the envelope."""
    packages = [f"{name} {effective[name]}" for name in ("numpy", "python-flint", "scipy") if name in effective]
    return ", ".join([*packages, *([effective["libc"]] if "libc" in effective else [])])


def explain_computation(view: Mapping[str, Any]) -> list[str]:
    """Say what was computed, in sentences."""
    lines = [f"{view['question']} was computed: {view['summary']}"]
    if view["formula"]:
        lines.append(f"Formula: {view['formula']}")
    lines.append(f"Source: {view['citation']}")
    lines += [next(_describe_binding(binding))[0].text for binding in view["bindings"]]
    lines += map(write_note, view.get("reading_notes", ()))
    graded = f" Grade of evidence: {view['grade']}." if "grade" in view else ""
    return [*lines, f"Tier {view['tier']}: {view['promise']}{graded}"]


# --- replays ----------------------------------------------------------------------------------------------------------

_REPLAY_TONES: Mapping[str, tuple[Tone, str]] = {
    "identical": ("answered", "Identical"),
    "differs": ("error", "Differs"),
    "refused": ("rejected", "Not replayed"),
}


def _compose_replay(card: Card, _digits: Digits) -> Iterator[Block]:
    """Compose the blocks of a replay: what was replayed, what came of it, the values that differ, details."""
    view = card["view"]
    yield Title(f"Replay: {view['question'] or view['subject']}")
    yield Sentence(view["message"], "message")
    if view["rows"]:
        heads = build_heads("where", "stored", "now", "doubles apart", numbers=("doubles apart",))
        rows = (tuple("" if cell is None else clip(str(cell), CELL_WIDTH) for cell in row) for row in view["rows"])
        said = fmt.write_share(len(view["rows"]), view["row_count"], "value")
        yield Table(heads, tuple(rows), f"{said} that {'differs' if view['row_count'] == 1 else 'differ'}")
    yield Status(*_REPLAY_TONES[view["status"]], view["result_id"] or view["subject"], is_evidence=True)
    yield Facts(tuple(_list_replay_facts(card)))


def _list_replay_facts(card: Card) -> Iterator[Fact]:
    view = card["view"]
    if view["cause"]:
        yield Fact.from_texts("cause", view["cause"], kind="code")
    if view["expected"]:
        label = str(view["digest"]).removesuffix("_hash")
        compared = (("then", view["expected"]), ("now", view["met"]))
        yield Fact("compared", tuple(build_line(f"{label} {when} ", digest) for when, digest in compared if digest))
    for source in view["sources"]:
        yield Fact.from_texts("source", f"{fmt.write_word(source['name'])}: {source['found']}")
    for change in view["changes"]:
        then, now = ("nothing" if change[key] is None else change[key] for key in ("expected", "met"))
        yield Fact.from_texts("changed", f"{change['what']}: {then} then, {now} now")
    yield from _list_proof(card)


# --- proof ------------------------------------------------------------------------------------------------------------

_PROVEN = (
    *("plan_hash", "result_hash", "schema_revision", "refusal_hash", "error_hash"),
    *("invocation_hash", "computation_hash", "input_hash", "contract_hash", "replay_hash"),
)


def _list_proof(card: Card, *shown: str) -> Iterator[Fact]:
    """List the digests of what was asked and answered, but for those `shown` elsewhere, and the signature."""
    # The digests of the view are for verifiers: a person sees the view itself.
    digests = card["digests"]
    # In this order, whatever order the keys have: who saves a notebook may sort them.
    told = [
        (name.partition("_")[0], digests[name]) for name in _PROVEN if name in digests and digests[name] not in shown
    ]
    yield Fact("hashes", tuple(build_line(f"{label} ", digest.removeprefix("sha256:")) for label, digest in told))
    receipt = card["receipt"]
    if receipt is None:
        yield Fact.from_texts("signed", "no; the hashes stand for themselves")
        return
    signatures, log = receipt["envelope"]["signatures"], receipt["log"]
    device = build_line("by device ", signatures[0]["keyid"], "code", f" · entry {log['index'] + 1:,} of the ledger ")
    ledger = log["checkpoint"].partition("\n")[0].removeprefix("service-nb/")
    yield Fact("signed", ((*device, TextSpan(ledger, "digest")),))


_COMPOSERS: Mapping[CardKind, Callable[[Card, Digits], Iterator[Block]]] = {
    "query": _compose_answer,
    "computation": _compose_computation,
    "clarification": _compose_refusal,
    "rejection": _compose_refusal,
    "replay": _compose_replay,
    "error": _compose_error,
}
