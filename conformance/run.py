"""Run a case in several clients, and compare their answers."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.compare import Difference, Expected, list_differences
from conformance.process import Adapter, Message

NOT_KEPT = frozenset({"text_not_kept", "shown_not_kept"})  # of a card that would be too long
UNKNOWN = frozenset({"unsigned", "unknown_signer", "no_known_contracts"})  # where no keys and contracts are named


@dataclass(frozen=True, slots=True)
class Case:
    """Requests to one client, in order: the first opens it; `plan_of` is the plan that `resolve` returned last."""

    name: str
    requests: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What two clients disagree about in a request of a case."""

    case: Case
    at: int
    first: str
    second: str
    differences: tuple[Difference, ...]

    @property
    def signature(self) -> tuple[str, ...]:
        """What it is known by while the case shrinks."""
        one = self.differences[0]
        codes = [
            value if isinstance(value, str) and one.path == "error.code" else "" for value in (one.first, one.second)
        ]
        return (self.second, one.verb, re.sub(r"\d+", "#", one.path), *codes)


@dataclass(slots=True)
class Runner:
    """Compares the first client with each of the others."""

    adapters: Sequence[Adapter]
    expected: Sequence[Expected] = ()
    counts: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)  # expected differences, by name
    has_words: bool = True  # sentences are compared too

    def run(self, case: Case) -> list[Disagreement]:
        """Run a case, and return in what the clients disagree; after the first such request, no others are made."""
        plan: object = None
        for at, request in enumerate(case.requests):
            due = request.get("due", {})
            asked = {key: value for key, value in request.items() if key != "due"}
            answers = self._ask_all(self._complete(asked, plan))
            plan = answers[0].get("plan") if request["verb"] == "resolve" else plan
            found = [*self._require(case, at, answers, due), *self._compare(case, at, answers)]
            if found:
                return found
        return []

    def _require(
        self, case: Case, at: int, answers: Sequence[Message], due: Mapping[str, object]
    ) -> Iterator[Disagreement]:
        """Yield what a vector says otherwise than a client."""
        verb = case.requests[at]["verb"]
        for adapter, answer in zip(self.adapters, answers, strict=True):
            told = {key: answer.get(key) for key in due}
            if answer and (found := tuple(list_differences(verb, due, told))):
                yield Disagreement(case, at, "the vector", adapter.client, found)

    @staticmethod
    def _complete(request: Mapping[str, Any], plan: object) -> Mapping[str, Any] | None:
        """Put the plan of an earlier answer into a request, with members changed; None where there is no plan."""
        if "plan_of" not in request:
            return request
        if not isinstance(plan, dict):
            return None
        plan = copy.deepcopy(plan)
        for key, value in request.get("change", {}).items():
            plan[key] = value
        for key in request.get("without", []):
            plan.pop(key, None)
        return {"verb": request["verb"], "plan": plan}

    def _ask_all(self, request: Mapping[str, Any] | None) -> list[Message]:
        if request is None or not all(self._can_answer(each, request) for each in self.adapters):
            return [{} for _ in self.adapters]
        if request["verb"] == "open":  # without options that another client does not have
            unknown = {key for each in self.adapters for key in request if key not in each.options} - {"verb"}
            request = {key: value for key, value in request.items() if key not in unknown}
        for adapter in self.adapters:
            adapter.send(request)
        answers = [adapter.receive() for adapter in self.adapters]
        self.counts["requests"] += 1
        self.counts[_describe_end(answers[0])] += 1
        cards = [answer.pop("card", None) for answer in answers]
        if any(cards):
            verdicts = [self._check(card) for card in cards]
            for answer, verdict in zip(answers, verdicts, strict=True):
                answer["card"] = verdict
        return answers

    @staticmethod
    def _can_answer(adapter: Adapter, request: Mapping[str, Any]) -> bool:
        return request["verb"] in adapter.verbs and request.get("format", "csv") in adapter.formats

    def _check(self, card: object) -> object:
        """Return what all clients say of a card: that it is sound, or each their verdict."""
        for adapter in self.adapters:
            adapter.send({"verb": "check", "card": card})
        verdicts = [adapter.receive() for adapter in self.adapters]
        self.counts["cards"] += 1
        is_same = all(verdict == verdicts[0] for verdict in verdicts)
        return "sound" if is_same and _has_sound_checks(verdicts[0]) else verdicts

    def _is_expected(self, request: Mapping[str, Any], found: Difference) -> bool:
        known = next((each for each in self.expected if each.covers(request, found)), None)
        if known is not None:
            self.met[known.name] += 1
        return known is not None

    def _compare(self, case: Case, at: int, answers: Sequence[Message]) -> Iterator[Disagreement]:
        request = case.requests[at]
        for adapter, answer in zip(self.adapters[1:], answers[1:], strict=True):
            found = tuple(list_differences(request["verb"], answers[0], answer))
            found = found if self.has_words else tuple(each for each in found if not each.is_of_words)
            if "crash" in answer and not any(each.path == "crash" for each in found):
                found = (Difference(request["verb"], "crash", answers[0]["crash"], answer["crash"]),)
            if not found and answer.get("card", "sound") != "sound":
                found = (Difference(request["verb"], "card", answers[0].get("card"), answer.get("card")),)
            found = tuple(each for each in found if not self._is_expected(request, each))
            if not found:
                continue
            yield Disagreement(case, at, self.adapters[0].client, adapter.client, found)


def _has_sound_checks(verdict: Message) -> bool:
    """Tell whether a verdict is one of a card that a client has just made: all passes that can be checked here."""
    open_causes = {cause for _, status, cause in verdict.get("checks", [["", "failed", ""]]) if status != "passed"}
    return open_causes <= NOT_KEPT | UNKNOWN


def _describe_end(answer: Message) -> str:
    if "crash" in answer:
        return "crash"
    if "error" in answer:
        return str(answer["error"]["code"])
    return str(answer.get("status", "ok"))
