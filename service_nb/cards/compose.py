"""From a card to blocks: what is said, and in which order, on every face."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Block, Command, Commands, Fact, Facts, Figure, Head, Sentence, Span, Status, Table
from service_nb.cards.computation import compose_computation
from service_nb.cards.proof import proof
from service_nb.cards.replay import compose_replay
from service_nb.schema.card import Card

ASK = "%service_ask"
CELL_WIDTH = 64  # a longer text in a cell is cut; the exact text stays in the canonical result
MOST_OPTIONS = 10  # types, or texts for null, that are shown
_PATHS = {
    "exact_spec": "every name is written as in the source",
    "normalized_name": "a name was matched without regard to case and separators",
    "alias": "a name is a declared alias",
}


def compose(card: Card) -> list[Block]:
    """Return the card's blocks: status, answer, question, details."""
    match card["kind"]:
        case "query":
            return _query(card)
        case "computation":
            return compose_computation(card)
        case "clarification" | "rejection":
            return _refusal(card)
        case "replay":
            return compose_replay(card)
        case _:
            return _error(card)


def _query(card: Card) -> list[Block]:
    view = card["view"]
    return [
        Status(tone="answered", label="Answered", note=_effort(view), is_evidence=True),
        _answer(card),
        Sentence(text=view["question"], role="question"),
        Commands(commands=(Command(line=f"{ASK} {view['ask']}"),)),
        Facts(facts=tuple(_query_facts(card))),
    ]


def _effort(view: Mapping[str, Any]) -> str:
    source = view["source"]
    size = "live data" if _is_live(source) else fmt.count(source["row_count"])  # how many rows there are now none knows
    return f"{size} of {fmt.word(source['name'])} in {fmt.duration(view['latency_ms'])}"


def _is_live(source: Mapping[str, Any]) -> bool:
    content = source.get("content")
    return isinstance(content, Mapping) and content.get("algorithm") == "live"


def _answer(card: Card) -> Block:
    view = card["view"]
    columns, rows, row_count = view["columns"], view["rows"], view["row_count"]
    if not rows:
        told = "Nothing to show: the result has no rows." if row_count == 0 else _withheld(columns, row_count)
        return Sentence(text=told, role="message")
    shown = [shown_row(row, columns) for row in rows]
    if row_count == 1 and not any(column["role"] == "key" for column in columns):
        return _figure(columns, shown[0])
    heads = tuple(
        Head(text=fmt.clip(fmt.word(column["name"]), CELL_WIDTH), aligned=_alignment(column)) for column in columns
    )
    return Table(heads=heads, rows=tuple(shown), caption=_caption(card))


def shown_row(row: Sequence[str | None], columns: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the exact texts of a row as a table shows them."""
    return tuple(_cell(value, column) for value, column in zip(row, columns, strict=True))


def _withheld(columns: Sequence[Mapping[str, Any]], row_count: int) -> str:
    names = ", ".join(fmt.word(column["name"]) for column in columns)
    return f"Values are not kept in this card: {fmt.count(row_count)} of {names}. The hash below stands for them."


def _figure(columns: Sequence[Mapping[str, Any]], row: Sequence[str]) -> Figure:
    named = list(zip(columns, row, strict=True))
    metric, value = next((pair for pair in named if pair[0]["role"] == "metric"), named[0])
    others = [f"{fmt.word(column['name'])} {shown}" for column, shown in named if column is not metric]
    return Figure(value=value, caption=" · ".join([fmt.word(metric["name"]), *others]) + _null_legend([row]))


def _caption(card: Card) -> str:
    view = card["view"]
    shown, total = len(view["rows"]), view["row_count"]
    said = fmt.count(total) if shown >= total else f"First {shown:,} of {fmt.count(total)}; {total - shown:,} not shown"
    if "result" not in card["canonical"]:
        said += " · the whole result is kept by its hash only"
    return said + _null_legend(view["rows"])


def _null_legend(rows: Iterable[Sequence[str | None]]) -> str:
    return f" · {fmt.NULL} is null" if any(value is None or value == fmt.NULL for row in rows for value in row) else ""


def _cell(value: str | None, column: Mapping[str, Any]) -> str:
    shown = fmt.cell(value, type_=column["type"], separated=column["role"] != "key")
    return shown if column["type"] == "number" and fmt.is_number(value or "") else fmt.clip(shown, CELL_WIDTH)


def _alignment(column: Mapping[str, Any]) -> Any:
    return "point" if column["type"] == "number" else "left"


def _query_facts(card: Card) -> Iterable[Fact]:
    view = card["view"]
    source = view["source"]
    yield Fact(label="plan", lines=tuple((Span(step),) for step in view["plan"]), is_steps=True)
    yield Fact(label="source", lines=tuple(source_lines(source)))
    path = view["decision_path"]
    yield Fact(label="names", lines=((Span(path, "code"), Span(f": {_PATHS.get(path, 'unknown')}")),))
    yield Fact.of("method", view["method"])
    yield Fact(label="run", lines=((Span(f"{view['engine']} · "), Span(view["query_id"], "code")),))
    if view["notes"]:
        yield Fact(label="notes", lines=tuple((Span(note),) for note in view["notes"]))
    # The schema's digest stands with its source already.
    yield from proof(card, source["schema_revision"])


def _reading(reading: Mapping[str, Any]) -> str:
    """Return in words how a source was read: the options that were given."""
    types = [f"{fmt.word(name)}={fmt.word(kind)}" for name, kind in _sorted(reading.get("types") or {})]
    nulls = [fmt.word(text) for text in reading.get("nulls") or ()]
    parts = [f"{label} {_first(texts)}" for label, texts in (("types", types), ("nulls", nulls)) if texts]
    parts += [f"{key} {fmt.word(reading[key])}" for key in ("delimiter", "encoding", "sheet") if reading.get(key)]
    return " · ".join(parts)


def _sorted(types: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return types by name, in the order of canonical JSON and of JavaScript: by units of UTF-16."""
    return sorted(types.items(), key=lambda pair: pair[0].encode("utf-16-be", "surrogatepass"))


def _first(texts: Sequence[str]) -> str:
    more = f", … {len(texts) - MOST_OPTIONS} more" if len(texts) > MOST_OPTIONS else ""
    return ", ".join(texts[:MOST_OPTIONS]) + more


def source_lines(source: Mapping[str, Any]) -> Iterable[tuple[Span, ...]]:
    """Yield what identifies a source: its name, rows and id, its revision, how it was read, its content."""
    yield (Span(f"{fmt.word(source['name'])} · {fmt.count(source['row_count'])} · "), Span(source["source_id"], "code"))
    yield (Span("schema "), Span(source["schema_revision"], "digest"))
    read = _reading(source.get("reading") or {})
    if read:
        yield (Span(f"read with {read}"),)
    content = source.get("content") or {}
    if _is_live(source):
        yield (Span("live: its data may change, so there is no digest of it"),)
        return
    if content.get("algorithm") == "hidden":
        yield (Span("under a policy that hides columns: there is no digest of it"),)
        return
    unit = "rows" if "rows" in content else "bytes"
    if content.get("sha256"):
        size = fmt.count(content.get(unit, 0), unit.removesuffix("s"))
        yield (Span(f"{content['algorithm']} of {size} "), Span(content["sha256"], "digest"))
    elif content:
        yield (Span(f"{content['algorithm']} is pending"),)


def _refusal(card: Card) -> list[Block]:
    view = card["view"]
    if card["kind"] == "clarification":
        status = Status(tone="unclear", label="Needs clarification", note="not run", is_evidence=True)
    else:
        note = f"not run · {view['rejection_reason']}"
        status = Status(tone="rejected", label="Rejected", note=note, is_evidence=True)
    blocks: list[Block] = [status, Sentence(text=view["reason"], role="message")]
    if view["candidates"]:
        blocks.append(
            Commands(title="Run one of these", commands=tuple(_candidate(item) for item in view["candidates"]))
        )
    if view["question"] != view["ask"]:
        blocks.append(Sentence(text=view["question"], role="question"))
    if view["ask"]:
        blocks.append(Commands(title="Asked", commands=(Command(line=f"{ASK} {view['ask']}"),)))
    blocks.append(Facts(facts=tuple(_refusal_facts(card))))
    return blocks


def _candidate(candidate: Mapping[str, Any]) -> Command:
    note = " · ".join(
        part for part in (candidate["slot"].replace("_", " "), candidate["name"], candidate["type"]) if part
    )
    return Command(line=f"{ASK} {candidate['ask']}", note=note)


def _refusal_facts(card: Card) -> Iterable[Fact]:
    view = card["view"]
    if view["missing"]:
        yield Fact.of("missing", ", ".join(view["missing"]))
    if view["did_you_mean"]:
        yield Fact.of("similar", ", ".join(fmt.word(name) for name in view["did_you_mean"]))
    if view["rule"]:
        yield Fact.of("rule", view["rule"])
    yield from proof(card)


def _error(card: Card) -> list[Block]:
    view = card["view"]
    blocks: list[Block] = [
        Status(tone="error", label="Error", note=view["code"], is_evidence=True),
        Sentence(text=view["message"], role="message"),
    ]
    if view["hint"]:
        blocks.append(Sentence(text=view["hint"], role="hint"))
    blocks.append(Facts(facts=tuple(proof(card))))
    return blocks
