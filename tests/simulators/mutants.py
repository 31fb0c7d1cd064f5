"""What a forger, a broken front end or a bad disk makes of genuine evidence.

Each mutant is said to be `forged`, which every verifier must refuse by name; `less`, because the shapes allow that
texts, rows, signatures of entries, or the seal of a notebook are taken out; or the `same`, because JSON has several
spellings of one document. Which of them it is follows from its parsed content alone, never from a verifier.
"""

from __future__ import annotations

import base64
import copy
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

from tests.simulators import evidence as genuine
from tests.simulators.evidence import AUTHOR, FORGER, MIME

Path = tuple[Any, ...]
MEANT = ("forged", "less", "same")
_OTHER_LEDGER = "0" * 31 + "1"


@dataclass(frozen=True)
class Mutant:
    """A document that is not the genuine one, byte for byte; `was` is that one, unless it is forged for certain."""

    name: str
    content: bytes
    was: Any = None

    @cached_property
    def meant(self) -> str:
        """`forged`, `less` or `same`, as above."""
        return "forged" if self.was is None else meant_by(self.content, self.was)


def written(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


# --- what a mutant means ----------------------------------------------------------------------------------------------


def meaning(value: Any) -> Any:
    """A value with numbers that JSON cannot tell apart made equal, and true told from 1."""
    if isinstance(value, dict):
        return {key: meaning(each) for key, each in value.items()}
    if isinstance(value, list):
        return [meaning(each) for each in value]
    if isinstance(value, bool) or value is None:
        return ("constant", value)
    return float(value) if isinstance(value, int | float) else value


def evidence_in(document: Any) -> Any:
    """What of a document is evidence: of a notebook its cards in their order, and its seal."""
    if not isinstance(document, dict) or "nbformat" not in document:
        return {"document": document}
    outputs = [output for cell in document["cells"] for output in cell.get("outputs", [])]
    shown = [output["data"][MIME] for output in outputs if MIME in output.get("data", {})]
    return {"cards": shown, "seal": document.get("metadata", {}).get("service_nb", "none")}


def is_less(now: Any, was: Any) -> bool:
    """Whether evidence is what it was but for what may be taken out of it."""
    if "cards" in was:
        is_same_length = "cards" in now and len(now["cards"]) == len(was["cards"])
        has_seal = is_same_length and now["seal"] in ("none", was["seal"])
        return has_seal and all(map(_is_less_document, now["cards"], was["cards"]))
    return "document" in now and _is_less_document(now["document"], was["document"])


def _is_less_document(now: Any, was: Any) -> bool:
    if not isinstance(now, dict) or now.keys() != was.keys():
        return False
    kept = {key: value for key, value in now.items() if key not in ("canonical", "view", "texts", "entries")}
    if any(was[key] != value for key, value in kept.items()):
        return False
    texts = "texts" if "texts" in was else "canonical"
    if not isinstance(now[texts], dict) or not now[texts].items() <= was[texts].items():
        return False
    return _unsigned_entries(now, was) if "texts" in was else _less_rows(now["view"], was["view"])


def _less_rows(now: Any, was: Any) -> bool:
    emptied = was | {"rows": []} if "rows" in was else was
    return now in (was, emptied)


def _unsigned_entries(now: Any, was: Any) -> bool:
    """The checkpoint is signed, and with it every entry, whether or not it has a signature of its own."""
    allowed = [(entry, entry | {"signatures": []}) for entry in was["entries"]]
    if not isinstance(now["entries"], list) or len(now["entries"]) != len(allowed):
        return False
    return all(map(tuple.__contains__, allowed, now["entries"]))


def meant_by(content: bytes, document: Any) -> str:
    """What a mutant of a genuine document is, judged by its content."""
    try:
        met = json.loads(content, object_pairs_hook=_unique, parse_constant=_refuse, parse_int=_safe)
        met_evidence, was = meaning(evidence_in(met)), meaning(evidence_in(document))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "forged"
    if met_evidence == was:
        return "same"
    return "less" if is_less(met_evidence, was) else "forged"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


def _refuse(token: str) -> None:
    raise ValueError(token)


def _safe(token: str) -> int:
    if abs(int(token)) >= 2**53:
        raise ValueError(token)
    return int(token)


# --- every byte -------------------------------------------------------------------------------------------------------


def of_bytes(name: str, document: Any, seed: int = 1) -> Iterator[Mutant]:
    """At each byte: one bit flipped, the byte gone, another put before it."""
    content, draw = written(document), random.Random(seed)
    for at in range(len(content)):
        flipped = bytes([content[at] ^ 1 << draw.randrange(8)])
        inserted = bytes([draw.choice(b'0159 -+.eEaf"\\{}[],:\n\0\x7f\x80\xff')])
        made = {
            "flip": content[:at] + flipped + content[at + 1 :],
            "drop": content[:at] + content[at + 1 :],
            "insert": content[:at] + inserted + content[at:],
        }
        for how, each in made.items():
            if each != content:
                yield Mutant(f"{name}, byte {at}: {how}", each, document)


# --- every field ------------------------------------------------------------------------------------------------------


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from paths(each, (*path, key))


def at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def put(document: Any, path: Path, value: Any) -> Any:
    """A copy of the document with another value at a path."""
    if not path:
        return value
    made = copy.copy(document)
    made[path[0]] = put(document[path[0]], path[1:], value)
    return made


def without(document: Any, path: Path) -> Any:
    holder = copy.copy(at(document, path[:-1]))
    del holder[path[-1]]
    return put(document, path[:-1], holder)


def changes(value: Any) -> list[Any]:
    """Other values in the place of one: changed, of another type, with more in it, or in another order."""
    if isinstance(value, bool):
        return [not value, int(value), None, str(value)]
    if isinstance(value, str):
        middle = len(value) // 2
        changed = value[:middle] + ("0" if value[middle : middle + 1] != "0" else "1") + value[middle + 1 :]
        return [changed, value + "x", value[:-1], value.upper(), value[::-1], "", None, 0, True, [value], {"x": value}]
    if isinstance(value, int | float):
        return [
            value + 1,
            value - 1,
            value + 0.5,
            -value,
            float(value) * 2.0**40,
            str(value),
            None,
            value == 1,
            [value],
        ]
    if isinstance(value, list):
        doubled, turned = [*value, *value[-1:]], value[::-1]
        return [[], doubled, turned, value[1:], value[:-1], [*value, None], {}, None, "", 0, False]
    if isinstance(value, dict):
        return [{}, value | {"extra": 0}, value | {"": None}, [], [value], None, "", 0, True]
    return [0, "", False, {}, [], "null"]


def of_fields(name: str, document: Any, below: Path = ()) -> Iterator[Mutant]:
    """At each field: removed, changed, of another type; in each object and list one more."""
    content = written(document)
    for path in paths(at(document, below), below):
        made = [put(document, path, each) for each in changes(at(document, path))]
        if path:
            made.append(without(document, path))
        for number, each in enumerate(made):
            if (mutated := written(each)) != content:
                yield Mutant(f"{name}, {_told(path)}: change {number}", mutated, document)


def _told(path: Path) -> str:
    return "/".join(map(str, path)) or "whole"


# --- a forger who knows the hashes ------------------------------------------------------------------------------------


def of_forgers(name: str, card: dict[str, Any]) -> Iterator[Mutant]:
    """At each field of what a card tells: changed, with all hashes made to fit, and signed in every way at hand."""
    for path in paths(card):
        if path[:1] in (("canonical",), ("view",)) and len(path) > 1:
            for number, value in enumerate(changes(at(card, path))):
                yield from _forged(f"{name}, {_told(path)}: change {number}", card, put(card, path, value))
    for text in card["canonical"]:
        parsed = genuine.value(card["canonical"][text])
        for path in paths(parsed):
            for number, value in enumerate(changes(at(parsed, path))):
                changed = put(card, ("canonical", text), genuine.text(put(parsed, path, value)))
                yield from _forged(f"{name}, {text}: {_told(path)}: change {number}", card, changed)


def _forged(name: str, was: dict[str, Any], changed: dict[str, Any]) -> Iterator[Mutant]:
    if meaning(changed) == meaning(was):
        return
    try:
        fitting = genuine.sealed(changed)
        own = genuine.signed_alone(fitting, FORGER)
    except (KeyError, TypeError, ValueError, AttributeError):
        return  # no hash is to be had of such a text
    claimed = copy.deepcopy(own)
    claimed["receipt"]["public_key"] = AUTHOR.public_key
    claimed["receipt"]["envelope"]["signatures"][0]["keyid"] = AUTHOR.id
    pasted = put(fitting, ("receipt", "envelope", "payload"), own["receipt"]["envelope"]["payload"])
    made = {
        "hashes fit": fitting,
        "signed with another key": own,
        "signed with another key under the author's name": claimed,
        "another statement under the author's signature": pasted,
        "receipt cut off": fitting | {"receipt": None},
    }
    for how, each in made.items():
        yield Mutant(f"{name}, {how}", written(each))


# --- parts of two genuine things --------------------------------------------------------------------------------------

_PARTS: tuple[Path, ...] = (
    *(("kind",), ("canonical",), ("digests",), ("view",), ("receipt",), ("view", "rows"), ("receipt", "public_key")),
    *(("receipt", "envelope"), ("receipt", "envelope", "payload"), ("receipt", "envelope", "signatures")),
    *(("receipt", "log"), ("receipt", "log", "index"), ("receipt", "log", "proof"), ("receipt", "log", "checkpoint")),
    *(("receipt", "log", "size"), ("receipt", "envelope", "signatures", 0, "sig")),
)


def of_swaps(cards: list[dict[str, Any]], others: list[dict[str, Any]]) -> Iterator[Mutant]:
    """Each part of a genuine card put into another one; `others` are of another ledger, or of another key."""
    for one in cards:
        for other in (*cards, *others):
            parts = [*_PARTS, *((part, name) for part in ("canonical", "digests") for name in other[part])]
            for path in parts:
                try:
                    made = put(one, path, at(other, path))
                except (KeyError, IndexError):
                    continue
                if made not in (one, other):
                    yield Mutant(f"{one['kind']} with {_told(path)} of {other['kind']}", written(made))


def of_ledgers(log: genuine.Log) -> Iterator[Mutant]:
    """Entries dropped, doubled, moved, replaced, added; with the checkpoint as it was, or one that fits by a forger."""
    document, count = log.document(), len(log.payloads)
    foreign = genuine.log_of([genuine.query_card(1)], FORGER, log.id)
    stranger = genuine.log_of([genuine.query_card(1)], AUTHOR, _OTHER_LEDGER)
    for name, order in _orders(count):
        payloads = [(log.payloads + foreign.payloads)[each] for each in order]
        made = genuine.Log(AUTHOR, log.id, payloads, log.texts)
        entries = {"entries": made.document()["entries"]}  # the author's own signatures, and one more at most
        alone = genuine.Log(FORGER, log.id, payloads, log.texts).document()
        yield Mutant(f"{name}, old checkpoint", written(document | entries))
        yield Mutant(f"{name}, checkpoint by another key", written(document | entries | _note(alone)))
        yield Mutant(f"{name}, all by another key", written(alone))
        fitting = {"checkpoint": alone["checkpoint"].replace(FORGER.id, AUTHOR.id)}
        yield Mutant(f"{name}, checkpoint in the author's name", written(document | entries | fitting))
        bare = genuine.Log(None, log.id, payloads, log.texts).document()
        yield Mutant(f"{name}, nothing signed", written(bare))
    for other in (foreign.document(), stranger.document()):
        for part in ("ledger", "public_key", "checkpoint", "entries"):
            if other[part] != document[part]:
                yield Mutant(f"{part} of another ledger", written(document | {part: other[part]}))


def _note(document: dict[str, Any]) -> dict[str, Any]:
    return {"checkpoint": document["checkpoint"]}


def _orders(count: int) -> Iterator[tuple[str, list[int]]]:
    """Which entries in which order; `count` itself is one that was never there."""
    whole = list(range(count))
    for each in whole:
        yield f"without {each}", whole[:each] + whole[each + 1 :]
        yield f"{each} twice", whole[: each + 1] + whole[each:]
        yield f"{each} last", [*whole[:each], *whole[each + 1 :], each] if each + 1 < count else whole[::-1]
        yield f"another for {each}", [*whole[:each], count, *whole[each + 1 :]]
        yield f"another before {each}", [*whole[:each], count, *whole[each:]]
        yield f"from {each} on", whole[each:] if each else []
    for one, other in permutations(whole, 2):
        if one < other:
            turned = list(whole)
            turned[one], turned[other] = other, one
            yield f"{one} and {other} in each other's place", turned


def of_notebooks(cards: list[dict[str, Any]], spare: dict[str, Any]) -> Iterator[Mutant]:
    """Cards of a sealed notebook removed, doubled, moved, replaced by a genuine one, added; the seal of another."""
    seal = {"service_nb": genuine.index_of(cards, AUTHOR)}
    for name, order in _orders(len(cards)):
        shown = [[*cards, spare][each] for each in order]
        for how, metadata in (
            ("", seal),
            (", sealed by another key", {"service_nb": genuine.index_of(shown, FORGER)}),
            (", resealed in the author's name", {"service_nb": _claimed(genuine.index_of(shown, FORGER))}),
        ):
            made = genuine.notebook(shown) | {"metadata": metadata}
            yield Mutant(f"cards: {name}{how}", written(made))


def _claimed(index: dict[str, Any]) -> dict[str, Any]:
    made = copy.deepcopy(index) | {"public_key": AUTHOR.public_key}
    made["envelope"]["signatures"][0]["keyid"] = AUTHOR.id
    return made


# --- what the author signs, and should not have -----------------------------------------------------------------------


def of_statements(name: str, card: dict[str, Any]) -> Iterator[Mutant]:
    """Each field of a statement changed, and signed by the author; whether that is forged depends on the field."""
    made = genuine.statement(card)
    for path in paths(made):
        others = [put(made, path, each) for each in changes(at(made, path))]
        for number, each in enumerate([*others, *([without(made, path)] if path else [])]):
            log = genuine.Log(AUTHOR, payloads=[written(each)])
            yield Mutant(f"{name}, signed {_told(path)}: change {number}", written(card | {"receipt": log.receipt(0)}))
            yield Mutant(f"ledger of {name}, signed {_told(path)}: change {number}", written(log.document()))


def of_seals(cards: list[dict[str, Any]]) -> Iterator[Mutant]:
    """Each field of a seal's statement changed, and signed by the author."""
    seal = genuine.index_of(cards, AUTHOR)
    made = json.loads(base64.b64decode(seal["envelope"]["payload"]))
    for path in paths(made):
        others = [put(made, path, each) for each in changes(at(made, path))]
        for number, each in enumerate([*others, *([without(made, path)] if path else [])]):
            sealed = {"service_nb": seal | {"envelope": genuine.envelope(written(each), AUTHOR)}}
            book = genuine.notebook(cards) | {"metadata": sealed}
            yield Mutant(f"seal, signed {_told(path)}: change {number}", written(book))


def of_notes(card: dict[str, Any], seed: int = 2) -> Iterator[Mutant]:
    """Each character of a checkpoint changed, and signed by the author, its name and its hint as they are."""
    note, _, line = card["receipt"]["log"]["checkpoint"].partition("\n\n")
    draw = random.Random(seed)
    hint = base64.b64decode(line.split()[-1])[:4]
    for place in range(len(note) + 2):
        for how in ("change", "drop", "insert"):
            drawn = draw.choice("019aAzZ=+/- \n\r\t\0\u2028\u0661—")
            rest = (note + "\n")[place + (how != "insert") :]
            changed = (note + "\n")[:place] + ("" if how == "drop" else drawn) + rest
            signed = f"{changed}\n{' '.join(line.split()[:-1])} {genuine.b64(hint + AUTHOR.sign(changed.encode()))}\n"
            yield Mutant(f"checkpoint, {how} at {place}", written(put(card, ("receipt", "log", "checkpoint"), signed)))


# --- all of them ------------------------------------------------------------------------------------------------------


def every(sources: list[Callable[[], Iterator[Mutant]]]) -> Iterator[Mutant]:
    """The mutants of all sources, each content once."""
    met: set[bytes] = set()
    for source in sources:
        for mutant in source():
            if mutant.content not in met:
                met.add(mutant.content)
                yield mutant
