"""The faces of capabilities: a list of what a search found, and the page of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Block, Command, Commands, Fact, Facts, Formula, Head, Sentence, Span, Status, Table
from service_nb.cards.compose import CELL_WIDTH

COMPUTE = "%service_compute"
CASES_SHOWN = 3
PROMISES = {
    "certified": "The double nearest to the true value of this formula, proven; the same on every machine.",
    "pinned": "The same bits wherever the pinned runtime runs.",
    "seeded": "A simulation: the same bits for the same seed.",
}

Entry = Mapping[str, Any]  # a capability as the contract has it


def signature(entry: Entry) -> str:
    """Return how a capability is called, with the types of its parameters and its value."""
    inside = ", ".join(f"{parameter['name']}: {_type(parameter)}" for parameter in entry["params"])
    return f"{entry['id']}({inside}) → {_type(entry['result'])}"


def example(entry: Entry) -> str:
    """Return a line that runs: the capability with the arguments of its first case."""
    case = next(case for case in entry["cases"] if "error" not in case)
    given = " ".join(f"{name}={_literal(value)}" for name, value in case["arguments"].items())
    seed = f" seed={case['seed']}" if "seed" in case else ""
    return f"{entry['id']} {given}{seed}"


def capability_blocks(entry: Entry) -> list[Block]:
    """Return the blocks of a capability's page."""
    formula, latex = entry.get("formula", ""), entry.get("latex", "")
    facts = []
    if formula and latex:
        facts.append(Fact(label="formula", lines=tuple((Span(line, "code"),) for line in formula.splitlines())))
    if entry.get("requires"):
        facts.append(Fact(label="needs", lines=tuple((Span(text, "code"),) for text in entry["requires"])))
    facts += [
        Fact(label=entry["tier"], lines=((Span(PROMISES[entry["tier"]]),),)),
        Fact(label="source", lines=((Span(entry["source"]),),)),
        Fact(label="cases", lines=tuple(_cases(entry))),
        Fact(label="digest", lines=((Span(entry["digest"], "digest"), Span(f" version {entry['version']}")),)),
    ]
    return [
        Status(tone="source", label=entry["id"], note=entry["tier"]),
        Sentence(text=entry["summary"], role="message"),
        *([Formula(text=formula, latex=latex)] if formula or latex else []),
        _parameters(entry),
        Commands(title="For example", commands=(Command(line=f"{COMPUTE} {example(entry)}"),)),
        Facts(facts=tuple(facts)),
    ]


def _parameters(entry: Entry) -> Table:
    heads = ("", "type", "unit", "domain", "meaning")
    rows = [_row(parameter["name"], parameter) for parameter in entry["params"]]
    result = entry["result"]
    fields = result.get("fields") or {"value": result}
    rows += [_row(f"→ {name}", field) for name, field in fields.items()]
    return Table(
        heads=tuple(Head(text=head, aligned="left") for head in heads),
        rows=tuple(rows),
        caption=signature(entry),
    )


def _row(name: str, part: Entry) -> tuple[str, ...]:
    domain = ", ".join(part["choices"]) if part.get("choices") else part.get("domain", "")
    shown = "" if domain == "(-inf, inf)" else domain
    cells = (name, _type(part), "" if part.get("unit") == "1" else part.get("unit", ""), shown, part.get("about", ""))
    return tuple(fmt.clip(cell, CELL_WIDTH) for cell in cells)


def _type(part: Entry) -> str:
    if part.get("fields"):
        return "{" + ", ".join(part["fields"]) + "}"
    scalar = part["type"].removesuffix("[]").removesuffix("[]")
    return f"{scalar}[{','.join(part['shape'])}]" if part.get("shape") else part["type"]


def _cases(entry: Entry) -> Iterable[tuple[Span, ...]]:
    for case in entry["cases"][:CASES_SHOWN]:
        given = ", ".join(f"{name}={_literal(value)}" for name, value in case["arguments"].items())
        gives = case.get("error", case.get("result"))
        told = f"{fmt.clip(given, CELL_WIDTH)} → {fmt.clip(_literal(gives), CELL_WIDTH)}"
        yield (Span(told, "code"), Span(f" {case['origin']}"))


def _literal(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case list():
            return "[" + ", ".join(map(_literal, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{name}: {_literal(item)}" for name, item in value.items()) + "}"
    return repr(value)


def hits_blocks(hits: Sequence[Entry], query: str) -> list[Block]:
    """Return the blocks of a search's hits."""
    status = Status(tone="source", label="Capabilities", note=f"for {fmt.word(query)}")
    if not hits:
        return [
            status,
            Sentence(text="Nothing matches.", role="message"),
            Sentence(text="Try other words, or part of a name: %service_search present value", role="hint"),
        ]
    heads = (Head(text="capability", aligned="left", is_whole=True), Head(text="result", aligned="left"))
    rows = tuple((hit["name"], _told(hit)) for hit in hits)
    return [
        status,
        Table(heads=heads, rows=rows, caption="best match first"),
        Commands(commands=(Command(line=f"%service_help {hits[0]['name']}", note="formula, units, cases"),)),
    ]


def _told(hit: Entry) -> str:
    units = ", ".join(f"{name} {unit}" for name, unit in hit["units"].items() if unit != "1")
    return " · ".join(part for part in (hit["summary"], units, hit["tier"]) if part)
