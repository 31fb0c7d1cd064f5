"""From the card of a computation to blocks: status, value with its unit, call, formula, and the evidence below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Block, Fact, Facts, Figure, Formula, Head, Sentence, Span, Status, Table
from service_nb.cards.proof import proof
from service_nb.core.canonical import canonical_text
from service_nb.schema.card import Card

CELL_WIDTH = 64  # a longer text in a cell is cut; the exact text stays in the canonical value
FIGURE_WIDTH = 96  # as above, of a single value


def compose_computation(card: Card) -> list[Block]:
    """Return the card's blocks: status, value, call, formula, details."""
    view = card["view"]
    note = f"{view['call']} · {view['tier']} in {fmt.duration(view['latency_ms'])}"
    formula = view["formula"] or ""
    return [
        Status(tone="answered", label="Computed", note=note, is_evidence=True),
        _value(card),
        Sentence(text=view["question"], role="question"),
        *([Formula(text=formula, latex=view["latex"] or "")] if formula or view["latex"] else []),
        Facts(facts=tuple(_facts(card))),
    ]


def _value(card: Card) -> Block:
    view = card["view"]
    columns, rows = view["columns"], view["rows"]
    if columns == ["value", "unit", "about"] and rows:
        value, unit, about = rows[0]
        said = [_unit(unit), *([about] if about else [])]
        return Figure(value=fmt.clip(_number(value), FIGURE_WIDTH), caption=" · ".join(filter(None, said)))
    if not rows:
        return Sentence(text=_no_items(view["row_count"]), role="message")
    heads = columns or [str(index) for index in range(max(map(len, rows)))]
    shown = [tuple(_cell(row[at]) if at < len(row) else "" for at in range(len(heads))) for row in rows]
    return Table(
        heads=tuple(Head(text=head, aligned=_alignment(rows, at)) for at, head in enumerate(heads)),
        rows=tuple(shown),
        caption=_caption(card),
    )


def _no_items(total: int) -> str:
    """Why nothing is shown: there is nothing, or it was taken out of the card."""
    if total == 0:
        return "Nothing to show: the value has no items."
    return f"Values are not kept in this card: {fmt.count(total, 'item')}. The hash below stands for them."


def _unit(unit: str) -> str:
    """A unit in words; a unit variable such as `?u` is whatever the arguments are in."""
    if unit == "1":
        return "without unit"
    return "in the unit of the arguments" if unit[:1] == "?" and unit[1:].isalpha() else unit


def _number(text: str) -> str:
    return fmt.number(text) if fmt.is_number(text) else fmt.word(text)


def _cell(text: str) -> str:
    return text if fmt.is_number(text) and len(text) <= CELL_WIDTH else fmt.clip(fmt.word(text), CELL_WIDTH)


def _alignment(rows: Sequence[Sequence[str]], at: int) -> Any:
    return "point" if all(at >= len(row) or fmt.is_number(row[at]) for row in rows) else "left"


def _caption(card: Card) -> str:
    view = card["view"]
    shown, total = len(view["rows"]), view["row_count"]
    said = fmt.count(total, "item") if shown >= total else f"First {shown:,} of {fmt.count(total, 'item')}"
    if "value" not in card["canonical"]:
        said += " · the whole value is kept by its hash only"
    return said


def _facts(card: Card) -> Iterable[Fact]:
    view = card["view"]
    yield Fact.of("meaning", view["summary"])
    if view["formula"] and view["latex"]:
        yield Fact(label="formula", lines=tuple((Span(line, "code"),) for line in view["formula"].splitlines()))
    yield Fact.of("source", view["citation"])
    yield Fact.of("tier", f"{view['tier']}: {view['promise']}")
    for binding in view["bindings"]:
        yield Fact(label="columns", lines=tuple(_binding(binding)))
    yield Fact(label="run", lines=tuple(_run(view)))
    yield from proof(card)


def _binding(binding: Mapping[str, Any]) -> Iterable[tuple[Span, ...]]:
    pairs = zip(binding["parameters"], binding["fields"], strict=True)
    source = fmt.word(binding["source_name"])
    named = ", ".join(f"{parameter} = {source}.{fmt.word(field)}" for parameter, field in pairs)
    dropped = f", {fmt.count(binding['dropped'])} with a null dropped" if binding["dropped"] else ""
    filtered = f", {fmt.count(len(binding['filter']['conditions']), 'condition')}" if "filter" in binding else ""
    yield (Span(f"{named} · {fmt.count(binding['row_count'])}{filtered}{dropped}"),)
    if "filter" in binding:
        yield (Span(f"where {_conditions(binding['filter']['conditions'])}"),)
    yield (Span("input "), Span(binding["input_hash"], "digest"))
    yield (Span("schema "), Span(binding["schema_revision"], "digest"))


_OPERATORS = {"eq": "=", "ne": "≠", "gt": ">", "gte": "≥", "lt": "<", "lte": "≤"}
_MOST_CONDITIONS = 5


def _conditions(conditions: Sequence[Mapping[str, Any]]) -> str:
    """Return which rows were taken: it is all that tells the computations of `over` apart."""
    told = [fmt.clip(_condition(each), CELL_WIDTH) for each in conditions[:_MOST_CONDITIONS]]
    more = len(conditions) - len(told)
    return " and ".join([*told, *([f"{more:,} more"] if more else [])])


def _condition(condition: Mapping[str, Any]) -> str:
    told = (condition.get(key) for key in ("column", "op"))
    column, op = (text if isinstance(text, str) else "…" for text in told)
    operand = next((f" {canonical_text(condition[key])}" for key in ("value", "values") if key in condition), "")
    return fmt.make_visible(f"{fmt.word(column)} {_OPERATORS.get(op) or op.replace('_', ' ')}{operand}")


_PACKAGES = ("numpy", "python-flint", "scipy")


def _run(view: Mapping[str, Any]) -> Iterable[tuple[Span, ...]]:
    run = view["determinism"]
    yield (Span(f"{run['kernel_build']} · {_libraries(run['libraries'])}"),)
    seed = f" · seed {run['seed']}" if "seed" in run else ""
    pinning = f" · {run['pinning']}" if "pinning" in run else ""
    yield (
        Span(f"{view['scope']} · {run['precision_mode']} · {fmt.count(run['thread_count'], 'thread')}{seed}{pinning}"),
    )
    yield from _bundle(run)
    profile = f"profile {run['profile']} · " if "profile" in run else ""
    yield (Span(f"{profile}version {view['version']} of the capability · "), Span(view["request_id"], "code"))


def _libraries(effective: Mapping[str, str]) -> str:
    """The packages that computed and the C library; kernels, threads and digests are in the envelope."""
    packages = [f"{name} {effective[name]}" for name in _PACKAGES if name in effective]
    return ", ".join([*packages, *(effective[name] for name in ("libc",) if name in effective)])


def _bundle(run: Mapping[str, Any]) -> Iterable[tuple[Span, ...]]:
    version, digest = run["runtime_bundle_version"], run["runtime_bundle_sha256"]
    if version == digest:
        yield (Span(f"runtime bundle {version}"),)
    else:
        yield (Span(f"runtime bundle {version} "), Span(digest, "digest"))


def explained(view: Mapping[str, Any]) -> list[str]:
    """Return what was computed, in sentences."""
    lines = [f"{view['question']} was computed: {view['summary']}"]
    if view["formula"]:
        lines.append(f"Formula: {view['formula']}")
    lines.append(f"Source: {view['citation']}")
    for binding in view["bindings"]:
        lines += ["".join(span.text for span in spans) for spans in list(_binding(binding))[:1]]
    return [*lines, f"Tier {view['tier']}: {view['promise']}"]
