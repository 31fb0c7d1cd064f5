"""Pages that look like cards but have no hashes: sources, capabilities, the log, many results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from service_nb.cards import format as fmt
from service_nb.cards.blocks import (
    Block,
    Command,
    Commands,
    Fact,
    Facts,
    Formula,
    Line,
    Sentence,
    Table,
    TextSpan,
    Title,
    build_heads,
)
from service_nb.cards.card_blocks import describe_source
from service_nb.cards.digits import round_alone
from service_nb.cards.distribution import write_distribution
from service_nb.cards.used_rows import CELL_WIDTH
from service_nb.core.canonical import write_canonical_text
from service_nb.core.words import clip, make_visible
from service_nb.schema.compute import GRADES
from service_nb.schema.source import Bin, Frequent

FIELDS_SHOWN = 40
SOURCES_SHOWN = 100
END_WIDTH = 24  # of a least or greatest value

_CONNECTING = (
    "Connect one with %service_connect NAME, or name a source of the deployment in a question or a computation."
)
_OTHER_WORDS = "Try other words, or part of a name: %service_search present value"

Source = Mapping[str, Any]
Samples = Mapping[str, Sequence[str]]  # field -> a few of its values, as the policy permits


class SourceOffer(NamedTuple):
    """A source that is not connected: its name, rows and columns, where they are known, and the place that keeps it."""

    name: str
    row_count: int | None
    fields: int
    place: str


class ColumnLook(NamedTuple):
    """The look of a column: its nulls, and what else is known, else None; `counts` are those of its profile."""

    nulls: int
    distinct: int | None
    minimum: str | None
    maximum: str | None
    counts: Sequence[Bin | Frequent] | None


class SourceLook(NamedTuple):
    """The look of a source: that of its columns, by name, and lines to go on with."""

    columns: Mapping[str, ColumnLook]
    lines: Sequence[str]


NOTES_SHOWN = 5


def list_source_lines(source: Source, look: SourceLook | None) -> list[Command]:
    """List the lines to go on with from a source; first the one that reads it as its notes say."""
    line = (source.get("advice") or {}).get("line")
    advice = [Command(line, "reads these columns as the notes say")] if line is not None else []
    return [*advice, *(map(Command, look.lines) if look is not None else ())]


def compose_source(
    source: Source, samples: Samples | None = None, look: SourceLook | None = None, *, has_lines: bool = True
) -> list[Block]:
    """Compose a source, with a few values of its columns or what is known of them, and lines to go on with.

    Without `has_lines` the lines are shown elsewhere.
    """
    fields, status = source["typed_fields"], source.get("status", "ready")
    note = f"{fmt.write_count(source['row_count'])} · {fmt.write_count(len(fields), 'field')}"
    facts = [Fact("identity", tuple(describe_source(source)))]
    line = (source.get("advice") or {}).get("line")
    notes = [make_visible(each) for each in _list_notes(source, line)]
    told = notes[:NOTES_SHOWN] if look is not None else []
    if len(notes) > len(told):
        facts.append(Fact.from_texts("notes", *notes[len(told) :]))
    columns = look.columns if look is not None else {}
    lines = list_source_lines(source, look) if has_lines else []
    advice = [Commands((each,)) for each in lines if each.line == line]
    ways = tuple(each for each in lines if each.line != line)
    return [
        Title(fmt.write_word(source["name"]), note if status == "ready" else f"{status} · {note}"),
        _compose_columns(fields, columns) if columns else _compose_fields(fields, samples or {}),
        *(Sentence(each, "hint") for each in told),
        *advice,
        *([Commands(ways, "Go on with")] if ways else []),
        Facts(tuple(facts)),
    ]


def _list_notes(source: Source, line: str | None) -> Iterator[str]:
    """Yield why columns have their types, where a line reads them otherwise, and the notes that say something else."""
    reasons = source.get("reasons") or {} if line is not None else {}
    told = {f"{name}: ": each["text"] for name, each in reasons.items() if each["code"] != "text"}
    yield from (f"{lead}{text}" for lead, text in told.items())
    for note in source.get("notes") or ():
        if (line is None or not note.endswith(line)) and not note.startswith(tuple(told)):
            yield note


def _compose_columns(fields: Sequence[Mapping[str, str]], columns: Mapping[str, ColumnLook]) -> Table:
    shown = fields[:FIELDS_SHOWN]
    heads = ["field", "type", "nulls", "distinct", "from", "to", "distribution"]
    rows = [_write_column_row(field, columns.get(field["name"])) for field in shown]
    if not any(row[-1] for row in rows):  # nobody has counted them
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    said = fmt.write_share(len(shown), len(fields), "field", tells_rest=True)
    if any(_has_rounded_end(field, columns.get(field["name"])) for field in shown):
        said += " · from and to are rounded"
    return Table(build_heads(*heads, numbers=("nulls", "distinct")), tuple(map(tuple, rows)), said)


def _write_column_row(field: Mapping[str, str], look: ColumnLook | None) -> list[str]:
    kind = field["type"] if field["type"] == field["physical"] else f"{field['type']} · {field['physical']}"
    cells = [fmt.write_word(field["name"]), kind]
    if look is None:
        cells += [""] * 5
    else:
        distinct = "" if look.distinct is None else f"{look.distinct:,}"
        ends = [_write_end(each, field["type"]) for each in (look.minimum, look.maximum)]
        cells += [f"{look.nulls:,}", distinct, *ends, _write_counts(look.counts)]
    return [clip(make_visible(text), CELL_WIDTH) for text in cells]


def _has_rounded_end(field: Mapping[str, str], look: ColumnLook | None) -> bool:
    ends = () if look is None or field["type"] != "number" else (look.minimum, look.maximum)
    return any(end is not None and round_alone(end) != end for end in ends)


def _write_end(text: str | None, kind: str) -> str:
    if text is None:
        return ""
    return clip(fmt.write_cell(round_alone(text) if kind == "number" else text, type_=kind, separated=False), END_WIDTH)


def _write_counts(counts: Sequence[Bin | Frequent] | None) -> str:
    return "" if counts is None else write_distribution(write_canonical_text([list(each) for each in counts]))


def _compose_fields(fields: Sequence[Mapping[str, str]], samples: Samples) -> Table:
    shown = fields[:FIELDS_SHOWN]
    titles = ["field", "type", "held as", *(["for example"] if samples else [])]
    rows = []
    for field in shown:
        told = ", ".join(fmt.write_word(value) for value in samples.get(field["name"], ()))
        row = [fmt.write_word(field["name"]), field["type"], field["physical"], *([told] if samples else [])]
        rows.append(tuple(clip(make_visible(text), CELL_WIDTH) for text in row))
    return Table(build_heads(*titles), tuple(rows), fmt.write_share(len(shown), len(fields), "field", tells_rest=True))


def compose_source_list(
    sources: Sequence[Source], offers: Sequence[SourceOffer] = (), fault: str | None = None
) -> Iterator[Block]:
    """Compose a list of sources; `offers` are not connected, `fault` says why a deployment's are unknown."""
    yield Title("Sources", fmt.write_count(len(sources), "source") if sources else "")
    if sources:
        heads = build_heads("name", "rows", "fields", "schema", "content", numbers=_NUMBERS)
        rows = tuple(map(_write_source_row, sources[:SOURCES_SHOWN]))
        yield Table(heads, rows, fmt.write_share(len(rows), len(sources), "source", tells_rest=True))
    elif not offers:
        yield Sentence("No source is connected. Connect one with %service_connect NAME PATH.", "message")
    if offers:
        heads = build_heads("not connected", "rows", "fields", "kept in", numbers=_NUMBERS)
        rows = tuple(map(_write_offer_row, offers[:SOURCES_SHOWN]))
        said = fmt.write_share(len(rows), len(offers), "source", tells_rest=True)
        yield Table(heads, rows, f"{said}, not connected")
        yield Sentence(_CONNECTING, "hint")
    if fault is not None:
        yield Sentence(f"The sources of the deployment are unknown now. {fault}", "message")


_NUMBERS = ("rows", "fields")


def _write_offer_row(offer: SourceOffer) -> tuple[str, ...]:
    rows = "" if offer.row_count is None else f"{offer.row_count:,}"
    return (
        clip(fmt.write_word(offer.name), CELL_WIDTH),
        rows,
        f"{offer.fields:,}" if offer.fields else "",
        offer.place,
    )


def _write_source_row(source: Source) -> tuple[str, ...]:
    told = source.get("content") or {}
    undigested = told["algorithm"] if told.get("algorithm") in ("live", "hidden") else fmt.NULL
    digests = [digest[: fmt.SHORT_DIGEST] for digest in (source["schema_revision"], told.get("sha256") or undigested)]
    name = clip(fmt.write_word(source["name"]), CELL_WIDTH)
    return (name, f"{source['row_count']:,}", f"{len(source['typed_fields']):,}", *digests)


# --- capabilities -----------------------------------------------------------------------------------------------------

COMPUTE = "%service_compute"
CASES_SHOWN = 3
PROMISES = {
    "certified": "The double nearest to the true value of this formula, proven; the same on every machine.",
    "pinned": "The same bits wherever the pinned runtime runs.",
    "seeded": "A simulation: the same bits for the same seed.",
}

Entry = Mapping[str, Any]  # a capability as the contract has it


def write_example(entry: Entry) -> str:
    """Write a line that runs: the capability with the arguments of its first case."""
    case = next(case for case in entry["cases"] if "error" not in case)
    given = " ".join(f"{name}={write_literal(value)}" for name, value in case["arguments"].items())
    seed = f" seed={case['seed']}" if "seed" in case else ""
    return f"{entry['id']} {given}{seed}"


def compose_capability(entry: Entry) -> Iterator[Block]:
    """Compose the page of a capability."""
    formula, latex = entry.get("formula", ""), entry.get("latex", "")
    yield Title(entry["summary"].removesuffix("."), " · ".join((entry["id"], entry["tier"], entry["grade"])))
    if formula or latex:
        yield Formula(formula, latex)
    yield _compose_parameters(entry)
    yield Commands((Command(f"{COMPUTE} {write_example(entry)}"),), "For example")
    yield Facts(tuple(_list_capability_facts(entry, formula if latex else "")))


def _list_capability_facts(entry: Entry, formula: str) -> Iterator[Fact]:
    if formula:
        yield Fact.from_texts("formula", *formula.splitlines(), kind="code")
    if entry.get("requires"):
        yield Fact.from_texts("needs", *entry["requires"], kind="code")
    yield Fact.from_texts(entry["tier"], PROMISES[entry["tier"]])
    yield Fact.from_texts(entry["grade"], GRADES[entry["grade"]])
    yield Fact.from_texts("source", entry["source"])
    yield Fact("cases", tuple(_list_cases(entry)))
    yield Fact("digest", ((TextSpan(entry["digest"], "digest"), TextSpan(f" version {entry['version']}")),))


def _compose_parameters(entry: Entry) -> Table:
    parameters, result = {part["name"]: part for part in entry["params"]}, entry["result"]
    fields = result.get("fields") or {"value": result}
    parts = [*parameters.items(), *((f"→ {name}", field) for name, field in fields.items())]
    inside = ", ".join(f"{name}: {_write_argument_type(part)}" for name, part in parameters.items())
    return Table(
        build_heads("", "type", "unit", "domain", "meaning"),
        tuple(_write_parameter_row(name, part) for name, part in parts),
        f"{entry['id']}({inside}) → {_write_type(result)}",
    )


def _write_parameter_row(name: str, part: Entry) -> tuple[str, ...]:
    domain = ", ".join(part["choices"]) if part.get("choices") else part.get("domain", part.get("range", ""))
    unit = "" if part.get("unit") == "1" else part.get("unit", "")
    if "structure" in part:
        domain = part["structure"].replace("_", " ")
    cells = (name, _write_argument_type(part), unit, "" if domain == "(-inf, inf)" else domain, part.get("about", ""))
    return tuple(clip(cell, CELL_WIDTH) for cell in cells)


def _write_argument_type(part: Entry) -> str:
    """Write the type of a parameter, and its default if it has one: `int = 7`."""
    default = f" = {write_canonical_text(part['default'])}" if "default" in part else ""
    return _write_type(part) + default


def _write_type(part: Entry) -> str:
    if part.get("fields"):
        return "{" + ", ".join(part["fields"]) + "}"
    scalar = part["type"].removesuffix("[]").removesuffix("[]")
    return f"{scalar}[{','.join(part['shape'])}]" if part.get("shape") else part["type"]


def _list_cases(entry: Entry) -> Iterator[Line]:
    from_outside_first = sorted(entry["cases"], key=lambda case: [*GRADES].index(case.get("grade", "derived")))
    for case in from_outside_first[:CASES_SHOWN]:
        given = ", ".join(f"{name}={write_literal(value)}" for name, value in case["arguments"].items())
        gives = case.get("error", case.get("result"))
        told = f"{clip(given, CELL_WIDTH)} → {clip(write_literal(gives), CELL_WIDTH)}"
        yield (TextSpan(told, "code"), TextSpan(f" {case['origin']}"))


def write_literal(value: object) -> str:
    """Write a value as it stands in a compute line."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case list() | tuple():
            return "[" + ", ".join(map(write_literal, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{name}: {write_literal(item)}" for name, item in value.items()) + "}"
    return repr(value)


def compose_hits(hits: Sequence[Entry], query: str) -> Iterator[Block]:
    """Compose the hits of a search; those that share a word by chance are shown only where there are no others."""
    near = [hit for hit in hits if hit["match"] != "weak"]
    shown = near or hits
    yield Title("Capabilities", f"for {fmt.write_word(query)}{', best match first' if near else ''}")
    if not shown:
        yield Sentence("Nothing matches.", "message")
        yield Sentence(_OTHER_WORDS, "hint")
        return
    if not near:
        yield Sentence("Nothing matches well. These have some of the words:", "message")
    for note in dict.fromkeys(hit["note"] for hit in shown if hit["match"] == "nearest"):
        yield Sentence(note, "message")
    yield Facts(tuple(Fact.from_texts(hit["name"], _describe_hit(hit)) for hit in shown), is_answer=True)
    if near:
        yield Commands((Command(f"%service_help {near[0]['name']}", "formula, units, cases"),))
    else:
        yield Sentence(_OTHER_WORDS, "hint")


def _describe_hit(hit: Entry) -> str:
    units = ", ".join(f"{name} {unit}" for name, unit in hit["units"].items() if unit != "1")
    note = hit["note"] if hit["match"] != "nearest" else ""
    return " · ".join(filter(None, (note, hit["summary"], units, hit["tier"], hit["grade"])))


# --- the log ----------------------------------------------------------------------------------------------------------

# Of each kind the digest that says what came of it.
_TELLING = ("result_hash", "computation_hash", "refusal_hash", "error_hash", "replay_hash")
_HEADS = ("time (UTC)", "id", "kind", "question", "hash", "signed")


def compose_log(lines: Sequence[Mapping[str, Any]]) -> list[Block]:
    """Compose the entries that `Service.log` returns, a line each, newest first."""
    if not lines:
        hint = Sentence("Questions and computations are recorded when they run.", "hint")
        return [Title("Nothing is recorded yet", "here"), hint]
    heads = build_heads(*_HEADS, whole=("id", "hash"))
    rows = tuple(map(_write_log_row, lines))
    return [Title("Recorded", "newest first"), Table(heads, rows, fmt.write_count(len(lines), "result"))]


def _write_log_row(line: Mapping[str, Any]) -> tuple[str, ...]:
    time = str(line["time"]).replace("T", " ").partition(".")[0]
    question = clip(make_visible(str(line["question"])), CELL_WIDTH)
    digest = next((line["digests"][name] for name in _TELLING if name in line["digests"]), "")
    return (time, line["id"], line["kind"], question, digest[: fmt.SHORT_DIGEST], "yes" if line["signed"] else "no")


# --- many computations ------------------------------------------------------------------------------------------------

MOST_CARDS = 20  # that a cell shows of a list


def compose_groups(computations: Sequence[Mapping[str, object]], shown: int = 0) -> list[Block]:
    """Compose the counts of a list's computations by call; values are shown only on cards."""
    said = fmt.write_count(len(computations), "computation")
    calls = Counter(f"{each['module']}.{each['function']}" for each in computations)
    note = ", ".join(call for call, _ in calls.most_common(3)) + (", …" if len(calls) > 3 else "")
    title = Title(f"First {shown} of {said}" if shown else said, note)
    hint = Sentence("Each has its own card: select one by its index, such as `found[0]`.", "hint")
    return [title, hint] if computations else [title]
