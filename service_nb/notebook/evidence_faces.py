"""How verdicts and the log look in a notebook: dicts and lists that stay what they are, with a face of blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Block, Fact, Facts, Head, Sentence, Span, Status, Table, Tone
from service_nb.cards.bundle import write_bundle
from service_nb.cards.log import log_blocks
from service_nb.evidence.causes import CHECKS, STATUSES, explained, headline
from service_nb.evidence.report import worst
from service_nb.evidence.standalone import Verdict, VerdictStatus
from service_nb.notebook.faces import Bundle, Shown

_TONES: Mapping[VerdictStatus, Tone] = {"verified": "verified", "altered": "error"}  # all else is neutral
_MARKS = {"passed": "✓", "not_checkable": "○", "failed": "✗"}


class VerdictPage(Shown, dict[str, Any]):
    """The verdict of one card: its checks, and what became of each."""

    def __init__(self, verdict: Verdict, words: str = "") -> None:
        super().__init__(verdict.to_dict() | {"headline": headline(verdict)})
        self._words = words

    def _repr_mimebundle_(self, **_: Any) -> Bundle:
        return write_bundle(_verdict(self, self._words))


class VerdictList(Shown, list[dict[str, Any]]):
    """The verdicts of several cards; `words` says of a subject what it is."""

    def __init__(self, verdicts: Iterable[Verdict], words: Mapping[str, str] | None = None) -> None:
        super().__init__(verdict.to_dict() | {"headline": headline(verdict)} for verdict in verdicts)
        self._words = dict(words or {})

    def _repr_mimebundle_(self, **_: Any) -> Bundle:
        return write_bundle(_verdicts(self, self._words))


class LogPage(Shown, list[dict[str, Any]]):
    """What the ledger has recorded, as `Service.log` returns it."""

    def _repr_mimebundle_(self, **_: Any) -> Bundle:
        return write_bundle(log_blocks(self))


def _verdict(verdict: Mapping[str, Any], words: str) -> list[Block]:
    checks = verdict["checks"]
    held = sum(check["status"] == "passed" for check in checks)
    heads = (
        Head(text="", aligned="left"),
        Head(text="check", aligned="left"),
        Head(text="what it proves if it holds", aligned="left"),
    )
    rows = tuple((_MARKS[check["status"]], _label(check["check"]), CHECKS.get(check["check"], "")) for check in checks)
    return [
        _status(
            verdict["status"],
            f"{verdict['subject']} · {held} of {fmt.count(len(checks), 'check')} passed",
            label=verdict["headline"],
        ),
        *([Sentence(text=words, role="question")] if words else []),
        *_causes(checks),
        Table(heads=heads, rows=rows, caption=f"{fmt.count(len(checks), 'check')}, made here and now"),
    ]


def _verdicts(verdicts: Sequence[Mapping[str, Any]], words: Mapping[str, str]) -> list[Block]:
    if not verdicts:
        return [Status(tone="unclear", label="Nothing to verify", note="no result is there")]
    counts = Counter(verdict["status"] for verdict in verdicts)
    status: VerdictStatus = worst(verdict["status"] for verdict in verdicts)
    told = ", ".join(f"{counts[each]:,} {STATUSES[each].word.lower()}" for each in STATUSES if counts[each])
    heads = tuple(Head(text=text, aligned="left") for text in ("", "where", "what it says of itself", "status"))
    rows = tuple(
        (
            STATUSES[each["status"]].sign,
            each["subject"],
            fmt.clip(fmt.visible(words.get(each["subject"], "")), 64),
            each["headline"],
        )
        for each in verdicts
    )
    return [
        _status(status, told),
        *_causes([check for verdict in verdicts for check in verdict["checks"]]),
        Table(heads=heads, rows=rows, caption=fmt.count(len(verdicts), "card")),
    ]


def _status(status: VerdictStatus, note: str, *, label: str = "") -> Status:
    return Status(tone=_TONES.get(status, "unclear"), label=label or STATUSES[status].word, note=note)


def _causes(checks: Iterable[Mapping[str, Any]]) -> list[Block]:
    """What failed, then what could not be checked, each cause once."""
    met = {check["cause"]: check["status"] for check in checks if check["cause"]}
    ordered = sorted(met, key=lambda cause: (met[cause] != "failed", cause))
    facts = tuple(Fact(label=f"{_MARKS[met[cause]]} {cause}", lines=_explanation(cause)) for cause in ordered)
    return [Facts(facts=facts)] if facts else []


def _explanation(cause: str) -> tuple[tuple[Span, ...], ...]:
    known = explained(cause)
    return ((Span(known.means),), (Span(known.remedy),))


def _label(name: str) -> str:
    return "contract named" if name == "contract_hash" else name.removesuffix("_hash").replace("_", " ")
