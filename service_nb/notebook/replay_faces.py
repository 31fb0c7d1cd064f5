"""How several replays look in a notebook: a list of dicts that stays one, with a face of blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Block, Fact, Facts, Head, Span, Status, Table
from service_nb.cards.bundle import write_bundle
from service_nb.client.replay.outcome import Replays
from service_nb.notebook.faces import Bundle, Shown

WIDTH = 64
_SIGNS = {"identical": "✓", "differs": "✗", "refused": "○"}


class ReplayPage(Shown, list[Mapping[str, Any]]):
    """The replays of a notebook, a ledger or a session, each as a dict; `report` is the whole of them."""

    def __init__(self, replays: Replays) -> None:
        super().__init__(dict(replay) for replay in replays)
        self.report = replays.report

    def _repr_mimebundle_(self, **_: Any) -> Bundle:
        return write_bundle(list(_blocks(self, self.report.counts)))


def _blocks(replays: list[Mapping[str, Any]], counts: Mapping[str, int]) -> Iterable[Block]:
    if not replays:
        yield Status(tone="unclear", label="Nothing to replay", note="no result is there")
        return
    said = ", ".join(f"{count:,} {status.replace('_', ' ')}" for status, count in counts.items() if count)
    yield _status(counts, said)
    heads = tuple(Head(text=text, aligned="left") for text in ("", "where", "what was asked", "now"))
    rows = tuple(
        (_sign(each), each["subject"], fmt.clip(fmt.word(each["question"] or each["kind"] or ""), WIDTH), _now(each))
        for each in replays
    )
    yield Table(heads=heads, rows=rows, caption=fmt.count(len(replays), "result"))
    told = {each["cause"]: each["message"] for each in replays if each["cause"] not in (None, "not_replayable")}
    if told:
        facts = (Fact(label=cause, lines=((Span(message),),)) for cause, message in told.items())
        yield Facts(facts=tuple(facts))


def _status(counts: Mapping[str, int], said: str) -> Block:
    if counts["differs"]:
        return Status(tone="error", label="Not all results are identical", note=said)
    if counts["refused"]:
        return Status(tone="unclear", label="Not all results were run", note=said)
    return Status(tone="verified", label="Identical", note=said)


def _sign(replay: Mapping[str, Any]) -> str:
    return "·" if replay["cause"] == "not_replayable" else _SIGNS[replay["status"]]


def _now(replay: Mapping[str, Any]) -> str:
    if replay["cause"] == "not_replayable":
        return "nothing to run again"
    comparison = replay["comparison"]
    if replay["status"] == "differs" and comparison and comparison["differing"]:
        return f"{fmt.count(comparison['differing'], 'value')} of {comparison['values']:,}: {replay['cause']}"
    return " · ".join(filter(None, (replay["status"], replay["cause"])))
