"""Offer a line in place of one that was not understood: the one entrance of advice.

A *correction* means what was typed. A *candidate* differs from it in one slot, which it asks about. Where nothing fits,
it is said what was not understood. Each line is tried before it is shown: a question is resolved, a computation passes
every check. None is run in place of the one that was typed, and nothing that a policy hides is in any.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from service_nb.client.advice.call import list_alike, read_call
from service_nb.client.advice.question import read_question
from service_nb.client.advice.scan import Known, NotUnderstoodError
from service_nb.client.advice.trial import can_compute, find_unread, resolve_spec
from service_nb.compute.foreign_names import find_absent
from service_nb.compute.syntax import parse_compute
from service_nb.core.words import find_slip, make_visible, write_name
from service_nb.errors import (
    DuplicateArgumentBindingError,
    InvalidIntentError,
    SeedRequiredError,
    ServiceError,
    UnsupportedOperationError,
)
from service_nb.query.ask_line import format_ask, parse_ask
from service_nb.query.condition_groups import list_form_leaves
from service_nb.query.similar_names import fold_name

if TYPE_CHECKING:
    from service_nb.client.service import Service

MOST_LINES = 4
MEANT, READ_AGAIN = "Did you mean", "Read the file again, then ask again"
_MOST_CHARS = 1_000  # of a line that is looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """The notation of questions and computations in the interface where the line was typed."""

    ask: Callable[[str], str]
    compute: Callable[[str, str | None], str]  # the line, and the column of `over`


def _write_python_call(line: str, over: str | None) -> str:
    return f"service.compute({line!r}" + (f", over={over!r})" if over is not None else ")")


PYTHON = Face(ask=lambda line: f"service.ask({line!r})", compute=_write_python_call)

# The errors of a line that says something else than was meant.
ADVISED = (InvalidIntentError, UnsupportedOperationError, DuplicateArgumentBindingError, SeedRequiredError)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineOffer:
    """Lines of one kind: corrections under "Did you mean", candidates under what they ask; or words without a line."""

    heading: str = MEANT
    lines: Sequence[str] = ()  # as they are typed
    bare: Sequence[str] = ()  # without the name of a magic or a method
    says: str = ""
    capability: str = ""


@contextmanager
def advising(
    text: object,
    client: Service,
    face: Face,
    *,
    computes: bool = False,
    variables: Mapping[str, object] = MappingProxyType({}),
) -> Iterator[None]:
    """Add an offer to an error that ends the block; see `add_advice`."""
    try:
        yield
    except ADVISED as error:
        add_advice(error, text, client, face, computes=computes, variables=variables)
        raise


def add_advice(
    error: ServiceError,
    text: object,
    client: Service,
    face: Face = PYTHON,
    *,
    computes: bool = False,
    variables: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """Add to the error of a question or a computation what may be said to who typed it.

    Parameters
    ----------
    text : object
        The line; for a spec that is no text there is no advice.
    client : Service
        Whose capabilities and columns may be offered.
    face : Face
        How a line of the other kind is typed.
    computes : bool
        The line is that of a computation.
    variables : mapping
        What `$name` stands for.
    """
    if not isinstance(text, str) or len(text) > _MOST_CHARS or (error.lines and face is PYTHON):
        return
    if any("\ud800" <= char <= "\udfff" for char in text):  # which nothing can show
        return
    connect = error.details.get("connect")  # the cause of a line that was understood: how its file was read
    if connect is not None:
        error.lines, error.heading = [str(connect)], READ_AGAIN
        return
    offer = find_offer(text, client, face, computes=computes, variables=variables)
    if not offer.lines and not offer.capability and _can_parse(text, computes=computes):
        return
    error.lines, error.heading = list(offer.lines), offer.heading
    if offer.capability:
        error.details["capability"] = offer.capability
    if offer.lines:
        error.details["write" if offer.heading == MEANT else "candidates"] = (
            offer.bare[0] if offer.heading == MEANT else list(offer.bare)
        )
        shown = offer.lines[0] if len(offer.lines) == 1 else " | ".join(offer.lines)
        asked = f"{offer.heading}: " if offer.heading == MEANT else f"{offer.heading} "
        error.hint = f"{offer.says} {asked}{shown}".strip()
    elif offer.says:
        error.hint = offer.says if not error.hint else f"{error.hint} {offer.says}"


def _can_parse(text: str, *, computes: bool) -> bool:
    try:
        if computes:
            parse_compute(text)
        else:
            parse_ask(text)
    except ServiceError:
        return False
    return True


def find_offer(
    text: str,
    client: Service,
    face: Face,
    *,
    computes: bool,
    variables: Mapping[str, object] = MappingProxyType({}),
) -> LineOffer:
    """Find what a line means: first as what it was typed for, then as the other kind."""
    # The call that failed is not offered again; one that was typed as a question has not failed yet.
    read_typed = partial(_offer_call, failed=text)
    readers = (read_typed, _offer_question) if computes else (_offer_question, _offer_call)
    offers: list[LineOffer] = []
    strange = ""
    for read in readers:
        try:
            offer = read(text, client, face, variables)
        except NotUnderstoodError as error:
            strange = strange or str(error)
            continue
        if offer.lines and (offer.heading == MEANT or not offers):
            return offer
        offers.append(offer)
    said = next((offer for offer in offers if offer.says), None)
    absent = find_absent(text)
    if said is None and absent is not None:
        near = f" Nearest: {', '.join(absent.nearest)}." if absent.nearest else ""
        return LineOffer(says=f"{absent.name} is not here: {absent.reason.rstrip('.')}.{near}")
    return said or LineOffer(says=f"`{make_visible(strange)}` is not understood here." if strange.strip() else "")


# --- questions --------------------------------------------------------------------------------------------------------


def list_known(client: Service, source: str | None = None) -> Known:
    """List the names that a line may hold: columns and sources as the policy shows them, functions by their names."""
    sources = [each for each in client.sources() if source in (None, each["name"])]
    columns = {str(one["name"]): str(one["type"]) for each in sources for one in each["typed_fields"]}
    functions: dict[str, list[str]] = {}
    for name in client.capabilities():
        functions.setdefault(fold_name(name.partition(".")[2]), []).append(name)

    def find_function(word: str) -> str | None:
        found = functions.get(fold_name(word), [])
        alike = list_alike(word, found, client) if len(found) == 1 else ()
        return found[0] if [each.counterpart for each in alike] == [None] else None

    return Known(
        columns=columns,
        sources=[str(each["name"]) for each in client.sources()],
        modules={name.partition(".")[0] for name in client.capabilities()},
        find_function=find_function,
    )


def _offer_question(text: str, client: Service, face: Face, variables: Mapping[str, object]) -> LineOffer:
    reading = read_question(text, list_known(client))
    named = reading.specs[0].get("source_name") if reading.specs else None
    if named is not None:  # names of other sources mean nothing in it
        reading = read_question(text, list_known(client, _find_source(named, client)))
    specs = [_fit_values(spec, client) for spec in reading.specs]
    if specs and "capability" in specs[0]:
        return _offer_statistic(specs[0], client, face, variables)
    found = [(spec, resolve_spec(spec, client, variables)) for spec in specs]
    runs = [format_ask(spec) for spec, met in found if met is not None and met["status"] == "ok"]
    if runs:
        asks = reading.asks or MEANT
        return _write_offer(asks, runs[:MOST_LINES], face.ask)
    unread = [
        (met["details"]["connect"], met["hint"]) for _, met in found if met and "connect" in met.get("details", {})
    ]
    if unread:
        return LineOffer(
            heading=READ_AGAIN, lines=[unread[0][0]], bare=[unread[0][0]], says=unread[0][1].partition(".")[0]
        )
    if len(found) == 1 and not reading.asks and found[0][1] is not None:
        offer = _offer_candidates(found[0][0], found[0][1], face)
        return offer if offer.lines else LineOffer(says=str(found[0][1].get("reason") or ""))
    return LineOffer()


def _find_source(name: object, client: Service) -> str | None:
    known = [str(each["name"]) for each in client.sources()]
    return next((each for each in known if fold_name(each) == fold_name(str(name))), None)


def _write_offer(asks: str, lines: Sequence[str], write: Callable[[str], str], says: str = "") -> LineOffer:
    return LineOffer(heading=asks, lines=[write(each) for each in lines], bare=lines, says=says)


def _offer_candidates(spec: Mapping[str, Any], met: Mapping[str, Any], face: Face) -> LineOffer:
    """Offer the resolver's candidates: those that differ in one slot; a name with one letter wrong is a correction."""
    near: list[str] = []
    asked: list[str] = []
    slots: list[str] = []
    for candidate in met["candidates"]:
        changed = _list_changes(spec, parse_ask(candidate["ask"]))
        if "source_name" not in spec and candidate["slot"] != "source_name":  # the only one, which is the default
            changed = [each for each in changed if each != ".source_name"]
        if not changed:
            near.append(candidate["ask"])
        elif len(changed) == 1:
            asked.append(candidate["ask"])
            typed = dict(_list_leaves(spec)).get(changed[0])
            slots.append(
                f"{_SLOTS.get(candidate['slot'], candidate['slot'])}{f' is `{typed}`' if typed is not None else ''}"
            )
    if len(near) == 1:
        return _write_offer(MEANT, near, face.ask)
    return (
        _write_offer(f"Which {' or '.join(dict.fromkeys(slots))}?", asked[:MOST_LINES], face.ask)
        if asked
        else LineOffer()
    )


_SLOTS = {
    "source_name": "source", "metric": "column", "group_by": "column", "filter": "column", "having": "column",
    "order_by": "column", "aggregation": "aggregation", "percent": "percent",
}  # fmt: skip


def _list_changes(typed: Mapping[str, Any], offered: Mapping[str, Any]) -> list[str]:
    """List the places in which two specs differ by more than one letter of a name."""
    one, other = dict(_list_leaves(typed)), dict(_list_leaves({"order": "desc", **offered}))
    other |= {} if ".order" in one else {".order": None}
    return [
        place
        for place in {**one, **other}
        if one.get(place) != other.get(place)
        and not (isinstance(one.get(place), str) and isinstance(other.get(place), str)
                 and find_slip(fold_name(str(one[place])), [fold_name(str(other[place]))]))
    ]  # fmt: skip


def _list_leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _list_leaves(part, f"{place}.{key}")
    elif isinstance(value, list | tuple):
        for at, part in enumerate(value):
            yield from _list_leaves(part, f"{place}.{at}")
    else:
        yield place, value


def _fit_values(spec: dict[str, Any], client: Service) -> dict[str, Any]:
    """Write a text of a condition as the one value of its column that it is, but for case, accents or one letter."""
    conditions = (spec.get("filter") or {}).get("conditions") or ()
    leaves: Any = list(list_form_leaves(conditions))
    columns = {str(each["column"]) for each in leaves if "column" in each}
    holding = [
        str(each["name"]) for each in client.sources() if columns <= {one["name"] for one in each["typed_fields"]}
    ]
    source = _find_source(spec.get("source_name"), client) or (holding[0] if len(holding) == 1 else None)
    leaves = leaves if source is not None else []
    for leaf in leaves:
        if isinstance(leaf.get("value"), str) and "column" in leaf and leaf["op"] in ("eq", "ne"):
            values = client.values(str(source), str(leaf["column"]))
            known = {fold_value(each): each for each in values}
            near = fold_value(leaf["value"])
            near = near if near in known else find_slip(near, known) or ""
            if leaf["value"] not in values and near in known and len(known) == len(values):
                leaf["value"] = known[near]
    return spec


def fold_value(text: str) -> str:
    """Fold a value: without case and accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in plain if not unicodedata.combining(char))


# --- computations -----------------------------------------------------------------------------------------------------


def _offer_statistic(
    spec: Mapping[str, Any], client: Service, face: Face, variables: Mapping[str, object]
) -> LineOffer:
    """Offer a statistic of the contract with as many columns of one source as it takes."""
    entry = client.capability(str(spec["capability"]))
    parts = [part["name"] for part in entry["params"] if part.get("shape")]
    needed = [part["name"] for part in entry["params"] if "default" not in part]
    columns = [str(each) for each in spec["columns"]]
    holding = [
        str(each["name"]) for each in client.sources()
        if set(columns) <= {str(one["name"]) for one in each["typed_fields"]}
        and spec.get("source_name") in (None, each["name"])
    ]  # fmt: skip
    if needed != parts[: len(columns)] or len(needed) != len(columns) or len(holding) != 1:
        return LineOffer()
    pairs = (
        f"{part}={write_name(holding[0])}.{write_name(column)}" for part, column in zip(parts, columns, strict=False)
    )
    where = (
        format_ask({"aggregation": "count", "filter": spec["filter"]}).removeprefix("count") if "filter" in spec else ""
    )
    line = f"{entry['id']} {' '.join(pairs)}{where}"
    over = next(iter(spec.get("group_by", ())), None)
    if not can_compute(line, client, variables) or not (over is None or isinstance(over, str)):
        return LineOffer()
    return LineOffer(lines=[face.compute(line, over)], bare=[line], capability=entry["id"])


def _is_same_call(line: str, text: str) -> bool:
    """Tell whether a line is the call that just failed, written in another way."""
    try:
        one, other = parse_compute(line), parse_compute(text)
    except ServiceError:
        return False
    said = [(each.module, each.function, dict(each.arguments), each.seed, each.where) for each in (one, other)]
    return said[0] == said[1]


def _offer_call(
    text: str, client: Service, face: Face, variables: Mapping[str, object], *, failed: str = ""
) -> LineOffer:
    reading = read_call(text, client)
    runs = [line for line in reading.lines if not _is_same_call(line, failed) and can_compute(line, client, variables)]
    says = f"{reading.says}." if reading.says and not reading.says.endswith(".") else reading.says
    if runs:
        asks, lines = reading.asks or MEANT, runs[:MOST_LINES]
        return LineOffer(
            heading=asks, lines=[face.compute(line, None) for line in lines], bare=lines, says=says,
            capability=lines[0].partition(" ")[0],
        )  # fmt: skip
    unread = next(filter(None, (find_unread(line, client) for line in reading.lines)), None)
    if unread is not None:
        return LineOffer(heading=READ_AGAIN, lines=[unread], bare=[unread], capability=reading.capability)
    blanks = f"Fill in: {reading.blanks}" if reading.blanks else ""
    return LineOffer(says=f"{says} {blanks}".strip(), capability=reading.capability)
