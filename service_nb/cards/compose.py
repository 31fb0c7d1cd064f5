"""The composition of a card's blocks: their content and order, the same on every face."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

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
    Mark,
    Sentence,
    Status,
    Table,
    TextSpan,
    build_heads,
)
from service_nb.core.canonical import write_canonical_text
from service_nb.schema.card import Card

ASK = "%service_ask"
CELL_WIDTH = 64  # a longer text in a cell is cut; the exact text stays in the canonical result
MOST_OPTIONS = 10  # types, or texts for null, that are shown
_PATHS = {
    "exact_spec": "every name is written as in the source",
    "normalized_name": "a name was matched without regard to case and separators",
    "alias": "a name is a declared alias",
}


def compose_card(card: Card) -> list[Block]:
    """Compose the card's blocks: status, answer, question, details."""
    match card["kind"]:
        case "query":
            return _compose_answer(card)
        case "computation":
            return _compose_computation(card)
        case "clarification" | "rejection":
            return _compose_refusal(card)
        case "replay":
            return _compose_replay(card)
        case _:
            return _compose_error(card)


def compose_face(card: Card, version: str = __version__) -> list[Block]:
    """Compose a face of a card: its blocks, and the mark of the version that writes it (`schema.face`)."""
    return [*compose_card(card), Mark(version=version)]


def _compose_answer(card: Card) -> list[Block]:
    view = card["view"]
    return [
        Status(tone="answered", label="Answered", note=_describe_effort(view), is_evidence=True),
        _compose_rows(card),
        Sentence(text=view["question"], role="question"),
        Commands(commands=(Command(line=f"{ASK} {view['ask']}"),)),
        Facts(facts=tuple(_list_query_facts(card))),
    ]


def _describe_effort(view: Mapping[str, Any]) -> str:
    source = view["source"]
    size = (
        "live data" if _is_live(source) else fmt.write_count(source["row_count"])
    )  # how many rows there are now none knows
    return f"{size} of {fmt.write_word(source['name'])} in {fmt.write_duration(view['latency_ms'])}"


def _is_live(source: Mapping[str, object]) -> bool:
    content = source.get("content")
    return isinstance(content, Mapping) and content.get("algorithm") == "live"


def _compose_rows(card: Card) -> Block:
    view = card["view"]
    columns, rows, row_count = view["columns"], view["rows"], view["row_count"]
    if not rows:
        told = "Nothing to show: the result has no rows." if row_count == 0 else _say_withheld(columns, row_count)
        return Sentence(text=told, role="message")
    shown = [write_row(row, columns) for row in rows]
    if row_count == 1 and not any(column["role"] == "key" for column in columns):
        return _compose_figure(columns, shown[0])
    heads = tuple(
        Head(text=fmt.clip(fmt.write_word(column["name"]), CELL_WIDTH), aligned=_align(column)) for column in columns
    )
    return Table(heads=heads, rows=tuple(shown), caption=_write_caption(card))


def write_row(row: Sequence[str | None], columns: Sequence[Mapping[str, object]]) -> tuple[str, ...]:
    """Write the exact texts of a row as a table shows them."""
    return tuple(_write_cell(value, column) for value, column in zip(row, columns, strict=True))


def _say_withheld(columns: Sequence[Mapping[str, Any]], row_count: int) -> str:
    names = ", ".join(fmt.write_word(column["name"]) for column in columns)
    return f"Values are not kept in this card: {fmt.write_count(row_count)} of {names}. The hash below stands for them."


def _compose_figure(columns: Sequence[Mapping[str, Any]], row: Sequence[str]) -> Figure:
    named = list(zip(columns, row, strict=True))
    metric, value = next((pair for pair in named if pair[0]["role"] == "metric"), named[0])
    others = [f"{fmt.write_word(column['name'])} {shown}" for column, shown in named if column is not metric]
    return Figure(value=value, caption=" · ".join([fmt.write_word(metric["name"]), *others]) + _explain_null([row]))


def _write_caption(card: Card) -> str:
    view = card["view"]
    said = fmt.write_share(len(view["rows"]), view["row_count"], tells_rest=True)
    if "result" not in card["canonical"]:
        said += " · the whole result is kept by its hash only"
    return said + _explain_null(view["rows"])


def _explain_null(rows: Iterable[Sequence[str | None]]) -> str:
    return f" · {fmt.NULL} is null" if any(value is None or value == fmt.NULL for row in rows for value in row) else ""


def _write_cell(value: str | None, column: Mapping[str, Any]) -> str:
    shown = fmt.write_cell(value, type_=column["type"], separated=column["role"] != "key")
    return shown if column["type"] == "number" and fmt.is_number(value or "") else fmt.clip(shown, CELL_WIDTH)


def _align(column: Mapping[str, Any]) -> Any:
    return "point" if column["type"] == "number" else "left"


def _list_query_facts(card: Card) -> Iterable[Fact]:
    view = card["view"]
    source = view["source"]
    yield Fact(label="plan", lines=tuple((TextSpan(step),) for step in view["plan"]), is_steps=True)
    yield Fact(label="source", lines=tuple(describe_source(source)))
    path = view["decision_path"]
    yield Fact(label="names", lines=((TextSpan(path, "code"), TextSpan(f": {_PATHS.get(path, 'unknown')}")),))
    yield Fact.of("method", view["method"])
    yield Fact(label="run", lines=((TextSpan(f"{view['engine']} · "), TextSpan(view["query_id"], "code")),))
    if view["notes"]:
        yield Fact(label="notes", lines=tuple((TextSpan(note),) for note in view["notes"]))
    # The schema's digest stands with its source already.
    yield from _list_proof(card, source["schema_revision"])


def _describe_reading(reading: Mapping[str, Any]) -> str:
    """Describe how a source was read: the options that were given."""
    types = [f"{fmt.write_word(name)}={fmt.write_word(kind)}" for name, kind in _sort_types(reading.get("types") or {})]
    nulls = [fmt.write_word(text) for text in reading.get("nulls") or ()]
    parts = [f"{label} {_join_first(texts)}" for label, texts in (("types", types), ("nulls", nulls)) if texts]
    parts += [f"{key} {fmt.write_word(reading[key])}" for key in ("delimiter", "encoding", "sheet") if reading.get(key)]
    return " · ".join(parts)


def _sort_types(types: Mapping[str, str]) -> list[tuple[str, str]]:
    """Sort types by name, in the order of canonical JSON and of JavaScript: by units of UTF-16."""
    return sorted(types.items(), key=lambda pair: pair[0].encode("utf-16-be", "surrogatepass"))


def _join_first(texts: Sequence[str]) -> str:
    more = f", … {len(texts) - MOST_OPTIONS} more" if len(texts) > MOST_OPTIONS else ""
    return ", ".join(texts[:MOST_OPTIONS]) + more


def describe_source(source: Mapping[str, Any]) -> Iterable[tuple[TextSpan, ...]]:
    """Yield the lines that identify a source: name, rows, id, revision, read options, content."""
    yield (
        TextSpan(f"{fmt.write_word(source['name'])} · {fmt.write_count(source['row_count'])} · "),
        TextSpan(source["source_id"], "code"),
    )
    yield (TextSpan("schema "), TextSpan(source["schema_revision"], "digest"))
    read = _describe_reading(source.get("reading") or {})
    if read:
        yield (TextSpan(f"read with {read}"),)
    content = source.get("content") or {}
    if _is_live(source):
        yield (TextSpan("live: its data may change, so there is no digest of it"),)
        return
    if content.get("algorithm") == "hidden":
        yield (TextSpan("under a policy that hides columns: there is no digest of it"),)
        return
    unit = "rows" if "rows" in content else "bytes"
    if content.get("sha256"):
        size = fmt.write_count(content.get(unit, 0), unit.removesuffix("s"))
        yield (TextSpan(f"{content['algorithm']} of {size} "), TextSpan(content["sha256"], "digest"))
    elif content:
        yield (TextSpan(f"{content['algorithm']} is pending"),)


def _compose_refusal(card: Card) -> list[Block]:
    view = card["view"]
    if card["kind"] == "clarification":
        status = Status(tone="unclear", label="Needs clarification", note="not run", is_evidence=True)
    else:
        note = f"not run · {view['rejection_reason']}"
        status = Status(tone="rejected", label="Rejected", note=note, is_evidence=True)
    blocks: list[Block] = [status, Sentence(text=view["reason"], role="message")]
    if view["candidates"]:
        blocks.append(
            Commands(title="Run one of these", commands=tuple(_write_candidate(item) for item in view["candidates"]))
        )
    if view["question"] != view["ask"]:
        blocks.append(Sentence(text=view["question"], role="question"))
    if view["ask"]:
        blocks.append(Commands(title="Asked", commands=(Command(line=f"{ASK} {view['ask']}"),)))
    blocks.append(Facts(facts=tuple(_list_refusal_facts(card))))
    return blocks


def _write_candidate(candidate: Mapping[str, Any]) -> Command:
    note = " · ".join(
        part for part in (candidate["slot"].replace("_", " "), candidate["name"], candidate["type"]) if part
    )
    return Command(line=f"{ASK} {candidate['ask']}", note=note)


def _list_refusal_facts(card: Card) -> Iterable[Fact]:
    view = card["view"]
    if view["missing"]:
        yield Fact.of("missing", ", ".join(view["missing"]))
    if view["did_you_mean"]:
        yield Fact.of("similar", ", ".join(fmt.write_word(name) for name in view["did_you_mean"]))
    if view["rule"]:
        yield Fact.of("rule", view["rule"])
    yield from _list_proof(card)


def _compose_error(card: Card) -> list[Block]:
    view = card["view"]
    blocks: list[Block] = [
        Status(tone="error", label="Error", note=view["code"], is_evidence=True),
        Sentence(text=view["message"], role="message"),
    ]
    if view["hint"]:
        blocks.append(Sentence(text=view["hint"], role="hint"))
    blocks.append(Facts(facts=tuple(_list_proof(card))))
    return blocks


# --- computations -----------------------------------------------------------------------------------------------------

FIGURE_WIDTH = 96  # as above, of a single value


def _compose_computation(card: Card) -> list[Block]:
    """Compose the blocks of a computation: status, value with its unit, call, formula, details."""
    view = card["view"]
    note = f"{view['call']} · {view['tier']} in {fmt.write_duration(view['latency_ms'])}"
    formula = view["formula"] or ""
    return [
        Status(tone="answered", label="Computed", note=note, is_evidence=True),
        _compose_value(card),
        Sentence(text=view["question"], role="question"),
        *([Formula(text=formula, latex=view["latex"] or "")] if formula or view["latex"] else []),
        Facts(facts=tuple(_list_computation_facts(card))),
    ]


def _compose_value(card: Card) -> Block:
    view = card["view"]
    columns, rows = view["columns"], view["rows"]
    if columns == ["value", "unit", "about"] and rows:
        value, unit, about = rows[0]
        said = [_write_unit(unit), *([about] if about else [])]
        return Figure(value=fmt.clip(_write_number(value), FIGURE_WIDTH), caption=" · ".join(filter(None, said)))
    if not rows:
        return Sentence(text=_say_no_items(view["row_count"]), role="message")
    heads = columns or [str(index) for index in range(max(map(len, rows)))]
    shown = [tuple(_write_item(row[at]) if at < len(row) else "" for at in range(len(heads))) for row in rows]
    return Table(
        heads=tuple(Head(text=head, aligned=_align_items(rows, at)) for at, head in enumerate(heads)),
        rows=tuple(shown),
        caption=_write_value_caption(card),
    )


def _say_no_items(total: int) -> str:
    """Say why no items are shown: there are none, or the card does not keep them."""
    if total == 0:
        return "Nothing to show: the value has no items."
    return f"Values are not kept in this card: {fmt.write_count(total, 'item')}. The hash below stands for them."


def _write_unit(unit: str) -> str:
    """Write a unit in words; a unit variable such as `?u` stands for the unit of the arguments."""
    if unit == "1":
        return "without unit"
    return "in the unit of the arguments" if unit[:1] == "?" and unit[1:].isalpha() else unit


def _write_number(text: str) -> str:
    return fmt.write_number(text) if fmt.is_number(text) else fmt.write_word(text)


def _write_item(text: str) -> str:
    return text if fmt.is_number(text) and len(text) <= CELL_WIDTH else fmt.clip(fmt.write_word(text), CELL_WIDTH)


def _align_items(rows: Sequence[Sequence[str]], at: int) -> Any:
    return "point" if all(at >= len(row) or fmt.is_number(row[at]) for row in rows) else "left"


def _write_value_caption(card: Card) -> str:
    view = card["view"]
    said = fmt.write_share(len(view["rows"]), view["row_count"], "item")
    if "value" not in card["canonical"]:
        said += " · the whole value is kept by its hash only"
    return said


def _list_computation_facts(card: Card) -> Iterable[Fact]:
    view = card["view"]
    yield Fact.of("meaning", view["summary"])
    if view["formula"] and view["latex"]:
        yield Fact(label="formula", lines=tuple((TextSpan(line, "code"),) for line in view["formula"].splitlines()))
    yield Fact.of("source", view["citation"])
    yield Fact.of("tier", f"{view['tier']}: {view['promise']}")
    for binding in view["bindings"]:
        yield Fact(label="columns", lines=tuple(_describe_binding(binding)))
    yield Fact(label="run", lines=tuple(_describe_run(view)))
    yield from _list_proof(card)


def _describe_binding(binding: Mapping[str, Any]) -> Iterable[tuple[TextSpan, ...]]:
    pairs = zip(binding["parameters"], binding["fields"], strict=True)
    source = fmt.write_word(binding["source_name"])
    named = ", ".join(f"{parameter} = {source}.{fmt.write_word(field)}" for parameter, field in pairs)
    dropped = f", {fmt.write_count(binding['dropped'])} with a null dropped" if binding["dropped"] else ""
    filtered = f", {fmt.write_count(len(binding['filter']['conditions']), 'condition')}" if "filter" in binding else ""
    yield (TextSpan(f"{named} · {fmt.write_count(binding['row_count'])}{filtered}{dropped}"),)
    if "filter" in binding:
        yield (TextSpan(f"where {_write_conditions(binding['filter']['conditions'])}"),)
    yield (TextSpan("input "), TextSpan(binding["input_hash"], "digest"))
    yield (TextSpan("schema "), TextSpan(binding["schema_revision"], "digest"))


_OPERATORS = {"eq": "=", "ne": "≠", "gt": ">", "gte": "≥", "lt": "<", "lte": "≤"}
_MOST_CONDITIONS = 5


def _write_conditions(conditions: Sequence[Mapping[str, Any]]) -> str:
    """Write the conditions that selected the rows; only they differ between the computations of `over`."""
    told = [fmt.clip(_write_condition(each), CELL_WIDTH) for each in conditions[:_MOST_CONDITIONS]]
    more = len(conditions) - len(told)
    return " and ".join([*told, *([f"{more:,} more"] if more else [])])


def _write_condition(condition: Mapping[str, Any]) -> str:
    told = (condition.get(key) for key in ("column", "op"))
    column, op = (text if isinstance(text, str) else "…" for text in told)
    operand = next((f" {write_canonical_text(condition[key])}" for key in ("value", "values") if key in condition), "")
    return fmt.make_visible(f"{fmt.write_word(column)} {_OPERATORS.get(op) or op.replace('_', ' ')}{operand}")


_PACKAGES = ("numpy", "python-flint", "scipy")


def _describe_run(view: Mapping[str, Any]) -> Iterable[tuple[TextSpan, ...]]:
    run = view["determinism"]
    yield (TextSpan(f"{run['kernel_build']} · {_list_libraries(run['libraries'])}"),)
    seed = f" · seed {run['seed']}" if "seed" in run else ""
    pinning = f" · {run['pinning']}" if "pinning" in run else ""
    threads = fmt.write_count(run["thread_count"], "thread")
    yield (TextSpan(f"{view['scope']} · {run['precision_mode']} · {threads}{seed}{pinning}"),)
    yield from _describe_bundle(run)
    profile = f"profile {run['profile']} · " if "profile" in run else ""
    yield (TextSpan(f"{profile}version {view['version']} of the capability · "), TextSpan(view["request_id"], "code"))


def _list_libraries(effective: Mapping[str, str]) -> str:
    """List the packages that computed and the C library; kernels, threads and digests are in the envelope."""
    packages = [f"{name} {effective[name]}" for name in _PACKAGES if name in effective]
    return ", ".join([*packages, *(effective[name] for name in ("libc",) if name in effective)])


def _describe_bundle(run: Mapping[str, Any]) -> Iterable[tuple[TextSpan, ...]]:
    version, digest = run["runtime_bundle_version"], run["runtime_bundle_sha256"]
    if version == digest:
        yield (TextSpan(f"runtime bundle {version}"),)
    else:
        yield (TextSpan(f"runtime bundle {version} "), TextSpan(digest, "digest"))


def explain_computation(view: Mapping[str, Any]) -> list[str]:
    """Say what was computed, in sentences."""
    lines = [f"{view['question']} was computed: {view['summary']}"]
    if view["formula"]:
        lines.append(f"Formula: {view['formula']}")
    lines.append(f"Source: {view['citation']}")
    for binding in view["bindings"]:
        lines += ["".join(span.text for span in spans) for spans in list(_describe_binding(binding))[:1]]
    return [*lines, f"Tier {view['tier']}: {view['promise']}"]


# --- replays ----------------------------------------------------------------------------------------------------------

_REPLAY_TONES: Mapping[str, tuple[Any, str]] = {
    "identical": ("answered", "Identical"),
    "differs": ("error", "Differs"),
    "refused": ("rejected", "Not replayed"),
}


def _compose_replay(card: Card) -> list[Block]:
    """Compose the blocks of a replay: status, message, the values that differ, details."""
    view = card["view"]
    tone, label = _REPLAY_TONES[view["status"]]
    note = view["result_id"] or view["subject"]
    return [
        Status(tone=tone, label=label, note=note, is_evidence=True),
        Sentence(text=view["message"], role="message"),
        *([_compose_differences(view)] if view["rows"] else []),
        *([Sentence(text=view["question"], role="question")] if view["question"] else []),
        Facts(facts=tuple(_list_replay_facts(card))),
    ]


def _compose_differences(view: Mapping[str, Any]) -> Block:
    heads = (*build_heads("where", "stored", "now"), Head(text="doubles apart", aligned="point"))
    rows = tuple(tuple("" if cell is None else fmt.clip(str(cell), CELL_WIDTH) for cell in row) for row in view["rows"])
    said = fmt.write_share(len(view["rows"]), view["row_count"], "value")
    return Table(heads=heads, rows=rows, caption=f"{said} that {'differs' if view['row_count'] == 1 else 'differ'}")


def _list_replay_facts(card: Card) -> Iterable[Fact]:
    view = card["view"]
    if view["cause"]:
        yield Fact(label="cause", lines=((TextSpan(view["cause"], "code"),),))
    if view["expected"]:
        label = str(view["digest"]).removesuffix("_hash")
        lines = [(TextSpan(f"{label} then "), TextSpan(view["expected"], "digest"))]
        lines += [(TextSpan(f"{label} now "), TextSpan(view["met"], "digest"))] if view["met"] else []
        yield Fact(label="compared", lines=tuple(lines))
    for source in view["sources"]:
        yield Fact(label="source", lines=((TextSpan(f"{fmt.write_word(source['name'])}: {source['found']}"),),))
    for change in view["changes"]:
        then, now = ("nothing" if change[key] is None else change[key] for key in ("expected", "met"))
        told = f"{change['what']}: {then} then, {now} now"
        yield Fact(label="changed", lines=((TextSpan(told),),))
    yield from _list_proof(card)


# --- proof ------------------------------------------------------------------------------------------------------------

_LABELS = {
    "plan_hash": "plan",
    "result_hash": "result",
    "schema_revision": "schema",
    "refusal_hash": "refusal",
    "error_hash": "error",
    "invocation_hash": "invocation",
    "computation_hash": "computation",
    "input_hash": "input",
    "contract_hash": "contract",
    "replay_hash": "replay",
}


def _list_proof(card: Card, *shown: str) -> Iterator[Fact]:
    """List the digests of what was asked and answered, but for those `shown` elsewhere, and the signature."""
    # The digests of the view are for verifiers: a person sees the view itself.
    digests = card["digests"]
    # In this order, whatever order the keys have: who saves a notebook may sort them.
    told = {label: digests[name] for name, label in _LABELS.items() if name in digests and digests[name] not in shown}
    lines = (
        (TextSpan(f"{label} "), TextSpan(digest.removeprefix("sha256:"), "digest")) for label, digest in told.items()
    )
    yield Fact(label="hashes", lines=tuple(lines))
    yield Fact(label="signed", lines=(tuple(_describe_signature(card)),))


def _describe_signature(card: Card) -> Iterator[TextSpan]:
    receipt = card["receipt"]
    if receipt is None:
        yield TextSpan("no; the hashes stand for themselves")
        return
    signatures, log = receipt["envelope"]["signatures"], receipt["log"]
    yield TextSpan("by device ")
    yield TextSpan(signatures[0]["keyid"], "code")
    yield TextSpan(f" · entry {log['index'] + 1:,} of the ledger ")
    yield TextSpan(log["checkpoint"].partition("\n")[0].removeprefix("service-nb/"), "digest")
