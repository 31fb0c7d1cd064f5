"""The pages that magics return: plain dicts and lists, shown by blocks like a card's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import (
    Block,
    Command,
    Commands,
    Fact,
    Facts,
    Sentence,
    Status,
    Table,
    TextSpan,
    build_heads,
)
from service_nb.cards.build import build_card
from service_nb.cards.faces import Bundle, to_bundle, write_bundle
from service_nb.cards.pages import MOST_CARDS, build_groups_bundle
from service_nb.client.results import ComputationList
from service_nb.errors import ServiceError

Compose = Callable[..., Iterable[Block]]  # of the value, and of what else was given with it


class Shown:
    """A value that shows itself by its bundle; consoles, which ask for no bundle, get its text."""

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        raise NotImplementedError

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(self._repr_mimebundle_()[0]["text/plain"])


class ShownDict(Shown, dict[str, Any]):
    """A dict that is shown by the blocks that `compose` makes of it and of `more`."""

    def __init__(self, facts: Mapping[str, object], compose: Compose, *more: object) -> None:
        super().__init__(facts)
        self._compose, self._more = compose, more

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        return write_bundle(list(self._compose(self, *self._more)))


class ShownList(Shown, list[Any]):
    """A list that is shown by the blocks that `compose` makes of it and of `more`."""

    def __init__(self, items: Iterable[object], compose: Compose, *more: object) -> None:
        super().__init__(items)
        self._compose, self._more = compose, more

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        return write_bundle(list(self._compose(self, *self._more)))


class ErrorPage(Shown, dict[str, Any]):
    """An error of service_nb: its code, its words and its facts; shown as a card, because errors are outcomes too.

    An error that was recorded is shown by the card that the ledger has, with its receipt.
    """

    def __init__(self, error: ServiceError) -> None:
        super().__init__(error.to_dict())
        self._card = error.card

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        if self._card is not None:
            return to_bundle(self._card)
        from service_nb.client.record import build_error_evidence  # noqa: PLC0415  # lazy: NumPy loads with it

        made = build_error_evidence(self)
        return to_bundle(build_card("error", canonical=made.canonical, digests=made.digests, view=made.view))


def list_bundles(value: Any) -> list[Bundle]:
    """List the bundles that a cell shows of a value: its own, or the first cards of a list of computations.

    A value that was computed is never shown without its card, so there is no table of the values of many.
    """
    if not isinstance(value, ComputationList):
        return [value._repr_mimebundle_()]
    cards = [each._repr_mimebundle_() for each in value[:MOST_CARDS]]
    return cards if 0 < len(value) <= MOST_CARDS else [*cards, build_groups_bundle(value, shown=len(cards))]


def compose_deletion(places: Iterable[str], name: str, label: str) -> list[Block]:
    """Compose the places from which a source or a connector was deleted."""
    names = {"session": "this session", "deployment": "the deployment"}
    note = ", ".join(names.get(place, place) for place in places)
    return [Status(tone="source", label=f"{label}: {fmt.write_word(name)}", note=note)]


def compose_answer_check(page: Mapping[str, Any]) -> list[Block]:
    """Compose the outcome of an answer check: right, wrong or not asked; more would be a hint."""
    exercise = page["exercise"]
    if page["status"] == "right":
        return [Status(tone="answered", label="Right", note=exercise)]
    if page["status"] == "wrong":
        return [Status(tone="rejected", label="Not right", note=exercise)]
    return [Status(tone="unclear", label="Nothing to check yet", note=f"{exercise}: ask or compute first")]


def compose_explanation(found: Mapping[str, Any]) -> list[Block]:
    """Compose the resolution of a question that was not run."""
    if found["status"] == "ok":
        return [
            Status(tone="answered", label="Would run", note=f"decided by {found['decision_path'].replace('_', ' ')}"),
            Facts(
                facts=(
                    Fact(label="plan", lines=tuple((TextSpan(step),) for step in found["steps"]), is_steps=True),
                    Fact(
                        label="hashes",
                        lines=(
                            (TextSpan("plan "), TextSpan(found["plan_hash"], "digest")),
                            (TextSpan("schema "), TextSpan(found["schema_revision"], "digest")),
                        ),
                    ),
                )
            ),
        ]
    unclear = found["status"] == "needs_clarification"
    label = "Needs clarification" if unclear else "Rejected"
    blocks: list[Block] = [
        Status(tone="unclear" if unclear else "rejected", label=label, note="would not run"),
        Sentence(text=found["reason"], role="message"),
    ]
    if found["candidates"]:
        lines = tuple(Command(line=f"%service_ask {way['ask']}", note=way["type"]) for way in found["candidates"])
        blocks.append(Commands(title="Run one of these", commands=lines))
    if found["rule"]:
        blocks.append(Facts(facts=(_build_fact("rule", [found["rule"]]),)))
    return blocks


def compose_plan_check(found: Mapping[str, Any]) -> list[Block]:
    """Compose the check of a stored plan: valid here or not."""
    lines = [": ".join(str(part).replace("_", " ") for part in check.values()) for check in found["checks"]]
    return [
        Status(tone="answered", label="Valid plan", note="not run")
        if found["valid"]
        else Status(tone="rejected", label="Not a valid plan here", note="would not run"),
        Facts(facts=(_build_fact("checks", lines),)),
    ]


def compose_policy(policy: Mapping[str, Any], mode: str = "local") -> list[Block]:
    """Compose the policy of this notebook; that of a deployment's key is not known here."""
    at_deployment = mode == "deployment"
    free = all(policy[key] is None for key in ("allowed_sources", "allowed_fields"))
    facts = []
    if policy["allowed_sources"] is not None:
        facts.append(_build_fact("sources", [", ".join(policy["allowed_sources"]) or "none"]))
    if policy["allowed_fields"] is not None:
        lines = (f"{source}: {', '.join(names) or 'none'}" for source, names in policy["allowed_fields"].items())
        facts.append(_build_fact("fields", lines))
    functions = policy["allowed_functions"]
    facts.append(
        _build_fact("functions", [functions if isinstance(functions, str) else ", ".join(functions) or "none"])
    )
    note = "nothing is restricted" + " on this side" * at_deployment if free else "only what is listed"
    beyond = " What the deployment's key may see is decided there." * at_deployment
    return [
        Status(tone="source", label="Policy", note=note),
        Facts(facts=tuple(facts)),
        Sentence(
            text=f"A policy is set in code, with create_service(policy=…), and can only be narrowed.{beyond}",
            role="hint",
        ),
    ]


def compose_login(device: Mapping[str, Any]) -> list[Block]:
    """Compose the outcome of a login: the device key and its files."""
    notes = {
        "made": "a device key was made",
        "licensed": "the key was kept, its licence was renewed",
        "kept": "already, nothing was changed",
        "environment": "by SERVICE_DEVICE_KEY, nothing was written",
    }
    facts = [_build_fact("device", [device["device"]]), _build_fact("tier", [device["tier"]])]
    if device["files"]:
        facts.append(_build_fact("kept in", device["files"]))
    return [
        Status(tone="source", label="Logged in", note=notes[device["origin"]]),
        Facts(facts=tuple(facts)),
        Sentence(text="Nothing was sent anywhere. Run `service-nb logout` to remove it.", role="hint"),
    ]


def compose_health(report: Mapping[str, Any]) -> list[Block]:
    """Compose the checks of the doctor."""
    checks = report["checks"]
    signs = ["✗" if not check["ok"] else "!" if check["warning"] else "✓" for check in checks]
    warnings, failures = signs.count("!"), signs.count("✗")
    heads = build_heads("", "check", "found", whole=("check",))
    rows = tuple((sign, check["name"], check["found"]) for sign, check in zip(signs, checks, strict=True))
    counts = (fmt.write_count(len(checks), "check"), fmt.write_count(warnings, "warning"), f"{failures} failed")
    # Once more and whole: a table cuts what is long, and of what is wrong every word counts.
    remarkable = [
        _build_fact(check["name"], [check["found"]]) for sign, check in zip(signs, checks, strict=True) if sign != "✓"
    ]
    return [
        Status(tone="answered", label="All checks passed")
        if report["ok"]
        else Status(tone="error", label="Some checks failed", note="see the lines marked ✗"),
        Table(heads=heads, rows=rows, caption=" · ".join(counts)),
        *([Facts(facts=tuple(remarkable))] if remarkable else []),
    ]


def _build_fact(label: str, lines: Iterable[str]) -> Fact:
    return Fact(label=label, lines=tuple((TextSpan(line),) for line in lines))
