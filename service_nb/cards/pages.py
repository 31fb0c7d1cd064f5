"""Pages that look like cards but have no hashes: sources, capabilities, the log, many results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from service_nb.cards import format as fmt
from service_nb.cards.blocks import (
    Block,
    Command,
    Commands,
    Fact,
    Facts,
    Formula,
    Head,
    Sentence,
    Status,
    Table,
    TextSpan,
    build_heads,
)
from service_nb.cards.compose import CELL_WIDTH, describe_source
from service_nb.cards.faces import Bundle, write_bundle
from service_nb.cards.faces.text import WIDTH, write_text

FIELDS_SHOWN = 40
SOURCES_SHOWN = 100

_CONNECTING = (
    "Connect one with %service_connect NAME, or name a source of the deployment in a question or a computation."
)

Source = Mapping[str, Any]
Samples = Mapping[str, Sequence[str]]  # field -> a few of its values, as the policy permits


class OfferedSource(Protocol):
    """A source that is not connected."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def place(self) -> str:
        """The place that keeps it, such as `deployment`."""

    @property
    def fields(self) -> Sequence[Any]:
        """Its columns, where they are known."""

    @property
    def row_count(self) -> int | None:
        """Its rows, where they are known."""


def write_source(source: Source, samples: Samples | None = None, width: int = WIDTH) -> str:
    """Write a `ServiceSource` as plain text."""
    return write_text(compose_source(source, samples), width)


def build_source_bundle(source: Source, samples: Samples | None = None) -> Bundle:
    """Build `(data, metadata)` of a source for `_repr_mimebundle_`."""
    return write_bundle(compose_source(source, samples))


def compose_source(source: Source, samples: Samples | None = None) -> list[Block]:
    """Compose a source, with a few values of its columns."""
    samples = samples or {}
    fields = source["typed_fields"]
    note = f"{fmt.write_count(source['row_count'])} · {fmt.write_count(len(fields), 'field')}"
    status = source.get("status", "ready")
    facts = [Fact(label="identity", lines=tuple(describe_source(source)))]
    if source.get("notes"):
        facts.append(Fact(label="notes", lines=tuple((TextSpan(line),) for line in source["notes"])))
    return [
        Status(
            tone="source",
            label=fmt.write_word(source["name"]),
            note=note if status == "ready" else f"{status} · {note}",
        ),
        _compose_fields(fields, samples),
        Facts(facts=tuple(facts)),
    ]


def _compose_fields(fields: Sequence[Mapping[str, Any]], samples: Samples) -> Table:
    shown = fields[:FIELDS_SHOWN]
    titles = ["field", "type", "held as", *(["for example"] if samples else [])]
    rows = []
    for field in shown:
        told = ", ".join(fmt.write_word(value) for value in samples.get(field["name"], ()))
        row = [fmt.write_word(field["name"]), field["type"], field["physical"], *([told] if samples else [])]
        rows.append(tuple(fmt.clip(fmt.make_visible(text), CELL_WIDTH) for text in row))
    return Table(
        heads=build_heads(*titles),
        rows=tuple(rows),
        caption=fmt.write_share(len(shown), len(fields), "field", tells_rest=True),
    )


def compose_source_list(
    sources: Sequence[Source], offers: Sequence[OfferedSource] = (), fault: str | None = None
) -> list[Block]:
    """Compose a list of sources; `offers` are not connected, `fault` says why a deployment's are unknown."""
    blocks = _compose_connected(sources)
    if offers:
        blocks = blocks[: 2 if sources else 1]  # how to connect is said below
        blocks += [_compose_offers(offers), Sentence(text=_CONNECTING, role="hint")]
    if fault is not None:
        blocks.append(Sentence(text=f"The sources of the deployment are unknown now. {fault}", role="message"))
    return blocks


def _compose_offers(offers: Sequence[OfferedSource]) -> Table:
    shown = offers[:SOURCES_SHOWN]
    heads = [("not connected", "left"), ("rows", "point"), ("fields", "point"), ("kept in", "left")]
    rows = tuple(
        (
            fmt.clip(fmt.write_word(each.name), CELL_WIDTH),
            "" if each.row_count is None else f"{each.row_count:,}",
            f"{len(each.fields):,}" if each.fields else "",
            each.place,
        )
        for each in shown
    )
    return Table(
        heads=tuple(Head(text=text, aligned=aligned) for text, aligned in heads),  # type: ignore[arg-type]
        rows=rows,
        caption=f"{fmt.write_share(len(shown), len(offers), 'source', tells_rest=True)}, not connected",
    )


def _compose_connected(sources: Sequence[Source]) -> list[Block]:
    status = Status(tone="source", label="Sources", note=fmt.write_count(len(sources), "source") if sources else "")
    if not sources:
        return [
            status,
            Sentence(text="No source is connected. Connect one with %service_connect NAME PATH.", role="message"),
        ]
    shown = sources[:SOURCES_SHOWN]
    heads = [("name", "left"), ("rows", "point"), ("fields", "point"), ("schema", "left"), ("content", "left")]
    return [
        status,
        Table(
            heads=tuple(Head(text=text, aligned=aligned) for text, aligned in heads),  # type: ignore[arg-type]
            rows=tuple(_write_source_row(source) for source in shown),
            caption=fmt.write_share(len(shown), len(sources), "source", tells_rest=True),
        ),
    ]


def _write_source_row(source: Source) -> tuple[str, ...]:
    told = source.get("content") or {}
    undigested = told["algorithm"] if told.get("algorithm") in ("live", "hidden") else fmt.NULL
    content = told.get("sha256") or undigested
    return (
        fmt.clip(fmt.write_word(source["name"]), CELL_WIDTH),
        f"{source['row_count']:,}",
        f"{len(source['typed_fields']):,}",
        source["schema_revision"][: fmt.SHORT_DIGEST],
        content[: fmt.SHORT_DIGEST],
    )


# --- capabilities -----------------------------------------------------------------------------------------------------

COMPUTE = "%service_compute"
CASES_SHOWN = 3
PROMISES = {
    "certified": "The double nearest to the true value of this formula, proven; the same on every machine.",
    "pinned": "The same bits wherever the pinned runtime runs.",
    "seeded": "A simulation: the same bits for the same seed.",
}

Entry = Mapping[str, Any]  # a capability as the contract has it


def write_signature(entry: Entry) -> str:
    """Write how a capability is called, with the types of its parameters and its value."""
    inside = ", ".join(f"{parameter['name']}: {_write_type(parameter)}" for parameter in entry["params"])
    return f"{entry['id']}({inside}) → {_write_type(entry['result'])}"


def write_example(entry: Entry) -> str:
    """Write a line that runs: the capability with the arguments of its first case."""
    case = next(case for case in entry["cases"] if "error" not in case)
    given = " ".join(f"{name}={_write_literal(value)}" for name, value in case["arguments"].items())
    seed = f" seed={case['seed']}" if "seed" in case else ""
    return f"{entry['id']} {given}{seed}"


def compose_capability(entry: Entry) -> list[Block]:
    """Compose the page of a capability."""
    formula, latex = entry.get("formula", ""), entry.get("latex", "")
    facts = []
    if formula and latex:
        facts.append(Fact(label="formula", lines=tuple((TextSpan(line, "code"),) for line in formula.splitlines())))
    if entry.get("requires"):
        facts.append(Fact(label="needs", lines=tuple((TextSpan(text, "code"),) for text in entry["requires"])))
    facts += [
        Fact(label=entry["tier"], lines=((TextSpan(PROMISES[entry["tier"]]),),)),
        Fact(label="source", lines=((TextSpan(entry["source"]),),)),
        Fact(label="cases", lines=tuple(_list_cases(entry))),
        Fact(label="digest", lines=((TextSpan(entry["digest"], "digest"), TextSpan(f" version {entry['version']}")),)),
    ]
    return [
        Status(tone="source", label=entry["id"], note=entry["tier"]),
        Sentence(text=entry["summary"], role="message"),
        *([Formula(text=formula, latex=latex)] if formula or latex else []),
        _compose_parameters(entry),
        Commands(title="For example", commands=(Command(line=f"{COMPUTE} {write_example(entry)}"),)),
        Facts(facts=tuple(facts)),
    ]


def _compose_parameters(entry: Entry) -> Table:
    rows = [_write_parameter_row(parameter["name"], parameter) for parameter in entry["params"]]
    result = entry["result"]
    fields = result.get("fields") or {"value": result}
    rows += [_write_parameter_row(f"→ {name}", field) for name, field in fields.items()]
    return Table(
        heads=build_heads("", "type", "unit", "domain", "meaning"),
        rows=tuple(rows),
        caption=write_signature(entry),
    )


def _write_parameter_row(name: str, part: Entry) -> tuple[str, ...]:
    domain = ", ".join(part["choices"]) if part.get("choices") else part.get("domain", "")
    shown = "" if domain == "(-inf, inf)" else domain
    cells = (
        name,
        _write_type(part),
        "" if part.get("unit") == "1" else part.get("unit", ""),
        shown,
        part.get("about", ""),
    )
    return tuple(fmt.clip(cell, CELL_WIDTH) for cell in cells)


def _write_type(part: Entry) -> str:
    if part.get("fields"):
        return "{" + ", ".join(part["fields"]) + "}"
    scalar = part["type"].removesuffix("[]").removesuffix("[]")
    return f"{scalar}[{','.join(part['shape'])}]" if part.get("shape") else part["type"]


def _list_cases(entry: Entry) -> Iterable[tuple[TextSpan, ...]]:
    for case in entry["cases"][:CASES_SHOWN]:
        given = ", ".join(f"{name}={_write_literal(value)}" for name, value in case["arguments"].items())
        gives = case.get("error", case.get("result"))
        told = f"{fmt.clip(given, CELL_WIDTH)} → {fmt.clip(_write_literal(gives), CELL_WIDTH)}"
        yield (TextSpan(told, "code"), TextSpan(f" {case['origin']}"))


def _write_literal(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case list():
            return "[" + ", ".join(map(_write_literal, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{name}: {_write_literal(item)}" for name, item in value.items()) + "}"
    return repr(value)


def compose_hits(hits: Sequence[Entry], query: str) -> list[Block]:
    """Compose the hits of a search."""
    status = Status(tone="source", label="Capabilities", note=f"for {fmt.write_word(query)}")
    if not hits:
        return [
            status,
            Sentence(text="Nothing matches.", role="message"),
            Sentence(text="Try other words, or part of a name: %service_search present value", role="hint"),
        ]
    heads = build_heads("capability", "result", whole=("capability",))
    rows = tuple((hit["name"], _describe_hit(hit)) for hit in hits)
    return [
        status,
        Table(heads=heads, rows=rows, caption="best match first"),
        Commands(commands=(Command(line=f"%service_help {hits[0]['name']}", note="formula, units, cases"),)),
    ]


def _describe_hit(hit: Entry) -> str:
    units = ", ".join(f"{name} {unit}" for name, unit in hit["units"].items() if unit != "1")
    return " · ".join(part for part in (hit["summary"], units, hit["tier"]) if part)


# --- the log ----------------------------------------------------------------------------------------------------------

# Of each kind the digest that says what came of it.
_TELLING = ("result_hash", "computation_hash", "refusal_hash", "error_hash", "replay_hash")
_HEADS = ("time (UTC)", "id", "kind", "question", "hash", "signed")


def compose_log(lines: Sequence[Mapping[str, Any]]) -> list[Block]:
    """Compose the entries that `Service.log` returns, a line each, newest first."""
    if not lines:
        return [
            Status(tone="source", label="Nothing is recorded yet", note="here"),
            Sentence(text="Questions and computations are recorded when they run.", role="hint"),
        ]
    heads = build_heads(*_HEADS, whole=("id", "hash"))
    rows = tuple(_write_log_row(line) for line in lines)
    return [
        Status(tone="source", label="Recorded", note="newest first"),
        Table(heads=heads, rows=rows, caption=fmt.write_count(len(lines), "result")),
    ]


def _write_short_hash(digests: Mapping[str, str]) -> str:
    """Write the first digits of the digest of an outcome's result."""
    telling = next((digests[name] for name in _TELLING if name in digests), "")
    return telling[: fmt.SHORT_DIGEST]


def _write_log_row(line: Mapping[str, Any]) -> tuple[str, ...]:
    time = str(line["time"]).replace("T", " ").partition(".")[0]
    question = fmt.clip(fmt.make_visible(str(line["question"])), 64)
    signed = "yes" if line["signed"] else "no"
    return (time, line["id"], line["kind"], question, _write_short_hash(line["digests"]), signed)


# --- many computations ------------------------------------------------------------------------------------------------

MOST_CARDS = 20  # that a cell shows of a list


def build_groups_bundle(computations: Sequence[Mapping[str, object]], *, shown: int = 0) -> Bundle:
    """Build the bundle that counts a list's computations by call; values are shown only on cards."""
    return write_bundle(_compose_groups(computations, shown))


def _compose_groups(computations: Sequence[Mapping[str, object]], shown: int) -> list[Block]:
    said = fmt.write_count(len(computations), "computation")
    calls = Counter(f"{each['module']}.{each['function']}" for each in computations)
    note = ", ".join(call for call, _ in calls.most_common(3)) + (", …" if len(calls) > 3 else "")
    status = Status(tone="source", label=f"First {shown} of {said}" if shown else said, note=note)
    hint = Sentence(text="Each has its own card: select one by its index, such as `found[0]`.", role="hint")
    return [status, hint] if computations else [status]
