"""The pages of verdicts and replays in a notebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Block, Fact, Facts, Sentence, Table, Title, Tone, build_heads
from service_nb.client.replay.flow import Replays
from service_nb.core.words import clip, make_visible
from service_nb.evidence.standalone import Verdict, VerdictStatus
from service_nb.evidence.verdicts import CHECKS, ROWS_KEPT, STATUSES, describe_verdict, explain_cause, find_worst
from service_nb.notebook.displays import ShownDict, ShownList

_WIDTH = 64
_TONES: Mapping[VerdictStatus, Tone] = {"verified": "verified", "altered": "error"}  # all else is neutral
_MARKS = {"passed": "✓", "not_checkable": "○", "failed": "✗"}
_SIGNS = {"identical": "✓", "differs": "✗", "refused": "○", "not_replayable": "·"}


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


def _compose_verdict(verdict: Mapping[str, Any], words: str) -> Iterator[Block]:
    checks = verdict["checks"]
    held = sum(check["status"] == "passed" for check in checks)
    facts = (
        Fact.from_texts(f"{_MARKS[check['status']]} {_name_check(check['check'])}", CHECKS.get(check["check"], ""))
        for check in checks
    )
    count = fmt.write_count(len(checks), "check")
    note = f"{verdict['subject']} · {held} of {count} passed"
    yield Title(verdict["headline"], note, _choose_tone([verdict]))
    if words:
        yield Sentence(words, "question")
    yield from _compose_causes(checks)
    yield Facts(tuple(facts))


def _choose_tone(verdicts: Sequence[Mapping[str, Any]]) -> Tone:
    """Choose the tone of the worst of some verdicts; rows that were left out of a card on purpose are quiet."""
    status: VerdictStatus = find_worst(verdict["status"] for verdict in verdicts)
    unchecked = [verdict["headline"] for verdict in verdicts if verdict["status"] == status == "not_checkable"]
    is_quiet = bool(unchecked) and all(headline.endswith(ROWS_KEPT) for headline in unchecked)
    return "source" if is_quiet else _TONES.get(status, "unclear")


def _compose_verdicts(verdicts: Sequence[Mapping[str, Any]], words: Mapping[str, str]) -> Iterator[Block]:
    if not verdicts:
        yield Title("Nothing to verify", "no result is there", "unclear")
        return
    counts = Counter(verdict["status"] for verdict in verdicts)
    heads = build_heads("", "where", "claim", "status")
    rows = tuple(
        (
            STATUSES[each["status"]].sign,
            each["subject"],
            clip(make_visible(words.get(each["subject"], "")), _WIDTH),
            each["headline"],
        )
        for each in verdicts
    )
    told = ", ".join(f"{counts[each]:,} {STATUSES[each].word.lower()}" for each in STATUSES if counts[each])
    yield Title(_summarise_counts(counts), told if len(counts) > 1 else "", _choose_tone(verdicts))
    yield from _compose_causes([check for verdict in verdicts for check in verdict["checks"]])
    yield Table(heads, rows, fmt.write_count(len(verdicts), "card"))


def _summarise_counts(counts: Mapping[VerdictStatus, int]) -> str:
    """Say in a line how many of some cards failed, else how many are not checkable."""
    total = sum(counts.values())
    if counts.get("altered"):
        return f"Verification failed: {counts['altered']:,} of {fmt.write_count(total, 'card')}"
    if counts.get("not_checkable"):
        return f"No failures; {counts['not_checkable']:,} of {total:,} not checkable"
    return STATUSES[find_worst(status for status, count in counts.items() if count)].word


def _compose_causes(checks: Iterable[Mapping[str, Any]]) -> Iterator[Block]:
    """Compose the causes of failed checks, then of those that could not be made, each cause once."""
    met = {check["cause"]: check["status"] for check in checks if check["cause"]}
    ordered = sorted(met, key=lambda cause: (met[cause] != "failed", cause))
    known = [(cause, explain_cause(cause)) for cause in ordered]
    if known:
        facts = (Fact.from_texts(f"{_MARKS[met[cause]]} {cause}", it.means, it.remedy) for cause, it in known)
        yield Facts(tuple(facts), is_answer=True)


def _name_check(name: str) -> str:
    return "contract named" if name == "contract_hash" else name.removesuffix("_hash").replace("_", " ")


# --- replays ----------------------------------------------------------------------------------------------------------


def _compose_replays(replays: list[Mapping[str, Any]], counts: Mapping[str, int]) -> Iterable[Block]:
    if not replays:
        yield Title("Nothing to replay", "no result is there", "unclear")
        return
    said = ", ".join(f"{count:,} {status.replace('_', ' ')}" for status, count in counts.items() if count)
    if counts["differs"]:
        yield Title(f"Replay failed: {counts['differs']:,} of {fmt.write_count(len(replays), 'result')}", said, "error")
    elif counts["refused"]:
        yield Title(f"{counts['refused']:,} of {fmt.write_count(len(replays), 'result')} not replayed", said, "unclear")
    else:
        yield Title("Identical", said, "verified")
    heads = build_heads("", "where", "what was asked", "now")
    asked = [clip(fmt.write_word(each["question"] or each["kind"] or ""), _WIDTH) for each in replays]
    rows = tuple(
        (_SIGNS.get(each["cause"], _SIGNS[each["status"]]), each["subject"], question, _describe_change(each))
        for each, question in zip(replays, asked, strict=True)
    )
    yield Table(heads, rows, fmt.write_count(len(replays), "result"))
    told = {each["cause"]: each["message"] for each in replays if each["cause"] not in (None, "not_replayable")}
    if told:
        facts = (Fact.from_texts(cause, message) for cause, message in told.items())
        yield Facts(tuple(facts), is_answer=True)


def _describe_change(replay: Mapping[str, Any]) -> str:
    if replay["cause"] == "not_replayable":
        return "nothing to run again"
    comparison = replay["comparison"]
    if replay["status"] == "differs" and comparison and comparison["differing"]:
        return f"{fmt.write_count(comparison['differing'], 'value')} of {comparison['values']:,}: {replay['cause']}"
    return " · ".join(filter(None, (replay["status"], replay["cause"])))
