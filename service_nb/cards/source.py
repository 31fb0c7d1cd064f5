"""The faces of a source and of a list of sources: the same look as a card's, but nothing hashed and nothing claimed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Block, Fact, Facts, Head, Sentence, Span, Status, Table
from service_nb.cards.bundle import Bundle, write_bundle
from service_nb.cards.compose import CELL_WIDTH, source_lines
from service_nb.cards.text import WIDTH, write_text

FIELDS_SHOWN = 40
SOURCES_SHOWN = 100

_CONNECTING = (
    "Connect one with %service_connect NAME, or name a source of the deployment in a question or a computation."
)

Source = Mapping[str, Any]
Samples = Mapping[str, Sequence[str]]  # field -> a few of its values, as the policy permits


class Offered(Protocol):
    """A source that is not connected."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def place(self) -> str:
        """Who keeps it."""

    @property
    def fields(self) -> Sequence[Any]:
        """Its columns, where they are known."""

    @property
    def row_count(self) -> int | None:
        """Its rows, where they are known."""


def source_text(source: Source, samples: Samples | None = None, width: int = WIDTH) -> str:
    """Return a `ServiceSource` as plain text."""
    return write_text(source_blocks(source, samples), width)


def source_bundle(source: Source, samples: Samples | None = None) -> Bundle:
    """Return `(data, metadata)` of a source as `_repr_mimebundle_` does."""
    return write_bundle(source_blocks(source, samples))


def sources_bundle(sources: Iterable[Source], offers: Sequence[Offered] = (), fault: str | None = None) -> Bundle:
    """Return `(data, metadata)` of a list of sources.

    Parameters
    ----------
    offers : sequence
        What is not connected, and a name alone would connect.
    fault : str, optional
        Why it is not known what a deployment has.
    """
    return write_bundle(sources_blocks(list(sources), offers, fault))


def source_blocks(source: Source, samples: Samples | None = None) -> list[Block]:
    """Compose a source, with a few values of its columns."""
    samples = samples or {}
    fields = source["typed_fields"]
    note = f"{fmt.count(source['row_count'])} · {fmt.count(len(fields), 'field')}"
    status = source.get("status", "ready")
    facts = [Fact(label="identity", lines=tuple(source_lines(source)))]
    if source.get("notes"):
        facts.append(Fact(label="notes", lines=tuple((Span(line),) for line in source["notes"])))
    return [
        Status(tone="source", label=fmt.word(source["name"]), note=note if status == "ready" else f"{status} · {note}"),
        _fields(fields, samples),
        Facts(facts=tuple(facts)),
    ]


def _fields(fields: Sequence[Mapping[str, Any]], samples: Samples) -> Table:
    shown = fields[:FIELDS_SHOWN]
    titles = ["field", "type", "held as", *(["for example"] if samples else [])]
    rows = []
    for field in shown:
        told = ", ".join(fmt.word(value) for value in samples.get(field["name"], ()))
        row = [fmt.word(field["name"]), field["type"], field["physical"], *([told] if samples else [])]
        rows.append(tuple(fmt.clip(fmt.make_visible(text), CELL_WIDTH) for text in row))
    return Table(
        heads=tuple(Head(text=title, aligned="left") for title in titles),
        rows=tuple(rows),
        caption=_shown_of(len(shown), len(fields), "field"),
    )


def _shown_of(shown: int, total: int, noun: str) -> str:
    if shown == total:
        return fmt.count(total, noun)
    return f"First {shown:,} of {fmt.count(total, noun)}; {total - shown:,} not shown"


def sources_blocks(sources: Sequence[Source], offers: Sequence[Offered] = (), fault: str | None = None) -> list[Block]:
    """Compose a list of sources; `offers` are not connected, `fault` says why a deployment's are unknown."""
    blocks = _sources(sources)
    if offers:
        blocks = blocks[: 2 if sources else 1]  # how to connect is said below
        blocks += [_offers(offers), Sentence(text=_CONNECTING, role="hint")]
    if fault is not None:
        blocks.append(Sentence(text=f"The sources of the deployment are unknown now. {fault}", role="message"))
    return blocks


def _offers(offers: Sequence[Offered]) -> Table:
    shown = offers[:SOURCES_SHOWN]
    heads = [("not connected", "left"), ("rows", "point"), ("fields", "point"), ("kept in", "left")]
    rows = tuple(
        (
            fmt.clip(fmt.word(each.name), CELL_WIDTH),
            "" if each.row_count is None else f"{each.row_count:,}",
            f"{len(each.fields):,}" if each.fields else "",
            each.place,
        )
        for each in shown
    )
    return Table(
        heads=tuple(Head(text=text, aligned=aligned) for text, aligned in heads),  # type: ignore[arg-type]
        rows=rows,
        caption=f"{_shown_of(len(shown), len(offers), 'source')}, not connected",
    )


def _sources(sources: Sequence[Source]) -> list[Block]:
    status = Status(tone="source", label="Sources", note=fmt.count(len(sources), "source") if sources else "")
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
            rows=tuple(_row(source) for source in shown),
            caption=_shown_of(len(shown), len(sources), "source"),
        ),
    ]


def _row(source: Source) -> tuple[str, ...]:
    told = source.get("content") or {}
    undigested = told["algorithm"] if told.get("algorithm") in ("live", "hidden") else fmt.NULL
    content = told.get("sha256") or undigested
    return (
        fmt.clip(fmt.word(source["name"]), CELL_WIDTH),
        f"{source['row_count']:,}",
        f"{len(source['typed_fields']):,}",
        source["schema_revision"][: fmt.SHORT_DIGEST],
        content[: fmt.SHORT_DIGEST],
    )
