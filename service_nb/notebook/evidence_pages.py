"""The pages of verdicts and replays in a notebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Block, Fact, Facts, Sentence, Status, Table, TextSpan, Tone, build_heads
from service_nb.client.replay.flow import Replays
from service_nb.evidence.standalone import Verdict, VerdictStatus
from service_nb.evidence.verdicts import CHECKS, STATUSES, describe_verdict, explain_cause, find_worst
from service_nb.notebook.displays import ShownDict, ShownList

_WIDTH = 64
_TONES: Mapping[VerdictStatus, Tone] = {"verified": "verified", "altered": "error"}  # all else is neutral
_MARKS = {"passed": "✓", "not_checkable": "○", "failed": "✗"}
_SIGNS = {"identical": "✓", "differs": "✗", "refused": "○"}


def show_verdict(verdict: Verdict, words: str = "") -> ShownDict:
    """Show the verdict of one card: its checks and their statuses."""
    return ShownDict(verdict.to_dict() | {"headline": describe_verdict(verdict)}, _compose_verdict, words)


def show_verdicts(verdicts: Iterable[Verdict], words: Mapping[str, str] | None = None) -> ShownList:
    """Show the verdicts of several cards; `words` maps a subject to its description."""
    listed = (verdict.to_dict() | {"headline": describe_verdict(verdict)} for verdict in verdicts)
    return ShownList(listed, _compose_verdicts, dict(words or {}))


class ReplayPage(ShownList):
    """The replays of a notebook, a ledger or a session, each as a dict; `report` is the whole of them."""

    def __init__(self, replays: Replays) -> None:
        super().__init__(map(dict, replays), _compose_replays, replays.report.counts)
        self.report = replays.report


def _compose_verdict(verdict: Mapping[str, Any], words: str) -> list[Block]:
    checks = verdict["checks"]
    held = sum(check["status"] == "passed" for check in checks)
    heads = build_heads("", "check", "what it proves if it holds")
    rows = tuple(
        (_MARKS[check["status"]], _name_check(check["check"]), CHECKS.get(check["check"], "")) for check in checks
    )
    return [
        _build_verdict_status(
            verdict["status"],
            f"{verdict['subject']} · {held} of {fmt.write_count(len(checks), 'check')} passed",
            label=verdict["headline"],
        ),
        *([Sentence(text=words, role="question")] if words else []),
        *_compose_causes(checks),
        Table(heads=heads, rows=rows, caption=f"{fmt.write_count(len(checks), 'check')}, made here and now"),
    ]


def _compose_verdicts(verdicts: Sequence[Mapping[str, Any]], words: Mapping[str, str]) -> list[Block]:
    if not verdicts:
        return [Status(tone="unclear", label="Nothing to verify", note="no result is there")]
    counts = Counter(verdict["status"] for verdict in verdicts)
    status: VerdictStatus = find_worst(verdict["status"] for verdict in verdicts)
    told = ", ".join(f"{counts[each]:,} {STATUSES[each].word.lower()}" for each in STATUSES if counts[each])
    heads = build_heads("", "where", "what it says of itself", "status")
    rows = tuple(
        (
            STATUSES[each["status"]].sign,
            each["subject"],
            fmt.clip(fmt.make_visible(words.get(each["subject"], "")), _WIDTH),
            each["headline"],
        )
        for each in verdicts
    )
    return [
        _build_verdict_status(status, told),
        *_compose_causes([check for verdict in verdicts for check in verdict["checks"]]),
        Table(heads=heads, rows=rows, caption=fmt.write_count(len(verdicts), "card")),
    ]


def _build_verdict_status(status: VerdictStatus, note: str, *, label: str = "") -> Status:
    return Status(tone=_TONES.get(status, "unclear"), label=label or STATUSES[status].word, note=note)


def _compose_causes(checks: Iterable[Mapping[str, Any]]) -> list[Block]:
    """Compose the causes of failed checks, then of those that could not be made, each cause once."""
    met = {check["cause"]: check["status"] for check in checks if check["cause"]}
    ordered = sorted(met, key=lambda cause: (met[cause] != "failed", cause))
    facts = tuple(Fact(label=f"{_MARKS[met[cause]]} {cause}", lines=_explain_cause(cause)) for cause in ordered)
    return [Facts(facts=facts)] if facts else []


def _explain_cause(cause: str) -> tuple[tuple[TextSpan, ...], ...]:
    known = explain_cause(cause)
    return ((TextSpan(known.means),), (TextSpan(known.remedy),))


def _name_check(name: str) -> str:
    return "contract named" if name == "contract_hash" else name.removesuffix("_hash").replace("_", " ")


# --- replays ----------------------------------------------------------------------------------------------------------


def _compose_replays(replays: list[Mapping[str, Any]], counts: Mapping[str, int]) -> Iterable[Block]:
    if not replays:
        yield Status(tone="unclear", label="Nothing to replay", note="no result is there")
        return
    said = ", ".join(f"{count:,} {status.replace('_', ' ')}" for status, count in counts.items() if count)
    yield _build_replay_status(counts, said)
    heads = build_heads("", "where", "what was asked", "now")
    asked = [fmt.clip(fmt.write_word(each["question"] or each["kind"] or ""), _WIDTH) for each in replays]
    rows = tuple(
        (_choose_sign(each), each["subject"], question, _describe_change(each))
        for each, question in zip(replays, asked, strict=True)
    )
    yield Table(heads=heads, rows=rows, caption=fmt.write_count(len(replays), "result"))
    told = {each["cause"]: each["message"] for each in replays if each["cause"] not in (None, "not_replayable")}
    if told:
        facts = (Fact(label=cause, lines=((TextSpan(message),),)) for cause, message in told.items())
        yield Facts(facts=tuple(facts))


def _build_replay_status(counts: Mapping[str, int], said: str) -> Block:
    if counts["differs"]:
        return Status(tone="error", label="Not all results are identical", note=said)
    if counts["refused"]:
        return Status(tone="unclear", label="Not all results were run", note=said)
    return Status(tone="verified", label="Identical", note=said)


def _choose_sign(replay: Mapping[str, Any]) -> str:
    return "·" if replay["cause"] == "not_replayable" else _SIGNS[replay["status"]]


def _describe_change(replay: Mapping[str, Any]) -> str:
    if replay["cause"] == "not_replayable":
        return "nothing to run again"
    comparison = replay["comparison"]
    if replay["status"] == "differs" and comparison and comparison["differing"]:
        return f"{fmt.write_count(comparison['differing'], 'value')} of {comparison['values']:,}: {replay['cause']}"
    return " · ".join(filter(None, (replay["status"], replay["cause"])))
