"""The pages that magics return: plain dicts and lists, shown by blocks like a card's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
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
    Title,
    build_heads,
    build_line,
)
from service_nb.cards.card_builder import build_card
from service_nb.cards.faces import Bundle, FacedValue, to_bundle, write_bundle
from service_nb.cards.page_blocks import MOST_CARDS, compose_groups
from service_nb.client.results import ComputationList
from service_nb.errors import ServiceError

Compose = Callable[..., Iterable[Block]]  # of the value, and of what else was given with it


class Shown(FacedValue):
    """A value that is shown by the blocks that `compose` makes of it and of `more`; in consoles, by their text."""

    def __init__(self, value: Any, compose: Compose, *more: object) -> None:
        super().__init__(value)  # type: ignore[call-arg]  # of the dict or list beside it
        self._compose, self._more = compose, more

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        return write_bundle(self._compose(self, *self._more))


class ShownDict(Shown, dict[str, Any]):
    """A dict that shows itself."""


class ShownList(Shown, list[Any]):
    """A list that shows itself."""


class ErrorPage(ShownDict):
    """An error of service_nb: its code, its words and its facts; shown as a card, because errors are outcomes too.

    An error that was recorded is shown by the card that the ledger has, with its receipt.
    """

    def __init__(self, error: ServiceError) -> None:
        super().__init__(error.to_dict(), lambda _: ())
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
    return cards if 0 < len(value) <= MOST_CARDS else [*cards, write_bundle(compose_groups(value, len(cards)))]


def compose_deletion(places: Iterable[str], name: str, label: str) -> list[Block]:
    """Compose the places from which a source or a connector was deleted."""
    names = {"session": "this session", "deployment": "the deployment"}
    note = ", ".join(names.get(place, place) for place in places)
    return [Title(f"{label}: {fmt.write_word(name)}", note)]


def compose_explanation(found: Mapping[str, Any]) -> Iterator[Block]:
    """Compose the resolution of a question that was not run."""
    if found["status"] == "ok":
        yield Title("Would run", f"decided by {found['decision_path'].replace('_', ' ')}")
        yield Facts((Fact.from_texts("plan", *found["steps"], is_steps=True),), is_answer=True)
        hashes = (build_line("plan ", found["plan_hash"]), build_line("schema ", found["schema_revision"]))
        yield Facts((Fact("hashes", hashes),))
        return
    yield Sentence(found["reason"], "message")
    if found["candidates"]:
        lines = tuple(Command(f"%service_ask {way['ask']}", way["type"]) for way in found["candidates"])
        yield Commands(lines, "Run one of these")
    if found["status"] == "needs_clarification":
        yield Status("unclear", "Needs clarification", "would not run")
    else:
        yield Status("rejected", "Rejected", "would not run")
    if found["rule"]:
        yield Facts((Fact.from_texts("rule", found["rule"]),))


def compose_plan_check(found: Mapping[str, Any]) -> Iterator[Block]:
    """Compose the check of a stored plan: valid here or not."""
    lines = [": ".join(str(part).replace("_", " ") for part in check.values()) for check in found["checks"]]
    if found["valid"]:
        yield Title("Valid plan", "not run")
    else:
        yield Title("Not a valid plan here", "would not run", "rejected")
    yield Facts((Fact.from_texts("checks", *lines),), is_answer=True)


def compose_policy(policy: Mapping[str, Any], mode: str = "local") -> Iterator[Block]:
    """Compose the policy of this notebook; that of a deployment's key is not known here."""
    at_deployment = mode == "deployment"
    sources, fields, functions = (policy[f"allowed_{kind}"] for kind in ("sources", "fields", "functions"))
    is_free = sources is None and fields is None
    note = "nothing is restricted" + " on this side" * at_deployment if is_free else "only what is listed"
    yield Title("Policy", note)
    facts = []
    if sources is not None:
        facts.append(Fact.from_texts("sources", ", ".join(sources) or "none"))
    if fields is not None:
        lines = (f"{source}: {', '.join(names) or 'none'}" for source, names in fields.items())
        facts.append(Fact.from_texts("fields", *lines))
    named = functions if isinstance(functions, str) else ", ".join(functions) or "none"
    yield Facts((*facts, Fact.from_texts("functions", named)), is_answer=True)
    beyond = " What the deployment's key may see is decided there." * at_deployment
    rule = f"A policy is set in code, with create_service(policy=…), and can only be narrowed.{beyond}"
    yield Sentence(rule, "hint")


def compose_login(device: Mapping[str, Any]) -> Iterator[Block]:
    """Compose the outcome of a login: the device key and its files."""
    notes = {
        "made": "a device key was made",
        "licensed": "the key was kept, its licence was renewed",
        "kept": "already, nothing was changed",
        "environment": "by SERVICE_DEVICE_KEY, nothing was written",
    }
    yield Title("Logged in", notes[device["origin"]])
    files = [Fact.from_texts("kept in", *device["files"])] if device["files"] else []
    yield Facts((*(Fact.from_texts(key, device[key]) for key in ("device", "tier")), *files), is_answer=True)
    yield Sentence("Nothing was sent anywhere. Run `service-nb logout` to remove it.", "hint")


def compose_health(report: Mapping[str, Any]) -> Iterator[Block]:
    """Compose the checks of the doctor."""
    checks = report["checks"]
    rows = [
        ("✗" if not each["ok"] else "!" if each["warning"] else "✓", each["name"], each["found"]) for each in checks
    ]
    if report["ok"]:
        yield Title("All checks passed")
    else:
        yield Title("Some checks failed", "see the lines marked ✗", "error")
    met = Counter(sign for sign, _, _ in rows)
    counts = (fmt.write_count(len(rows), "check"), fmt.write_count(met["!"], "warning"), f"{met['✗']} failed")
    yield Table(build_heads("", "check", "found", whole=("check",)), tuple(rows), " · ".join(counts))
    # Once more and whole: a table cuts what is long, and of what is wrong every word counts.
    remarkable = tuple(Fact.from_texts(name, found) for sign, name, found in rows if sign != "✓")
    if remarkable:
        yield Facts(remarkable, is_answer=True)
