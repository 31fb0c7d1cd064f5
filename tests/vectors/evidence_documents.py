"""Cases of notebooks, with and without an index, and of ledger documents."""

from __future__ import annotations

import base64
import copy
import json
from typing import Any

from tests.vectors import odd_signatures
from tests.vectors.evidence_cards import edited, without
from tests.vectors.evidence_cases import (
    ALICE,
    BOB,
    FACES,
    INDEX,
    LEDGER,
    MALLORY,
    Cases,
    Verdict,
    bad_form,
    case,
    loose,
    of,
    open_form,
    verdict,
)
from tests.vectors.evidence_maker import (
    MIME,
    Json,
    b64,
    canonical,
    card,
    code,
    envelope,
    index,
    leaf,
    ledger,
    ledger_of,
    mth,
    note,
    notebook,
    sha,
    signed,
    statement,
    stripped,
    words,
)

FIRST, SECOND, THIRD = (
    signed(card("query"), ALICE, 1),
    signed(card("rejection"), ALICE, 2),
    signed(card("error"), ALICE, 3),
)
PLACED = [("cell-2", FIRST), ("cell-3", SECOND), ("cell-3", THIRD)]
CELLS = (words(1), code(2, FIRST), code(3, SECOND, THIRD))
VERDICTS = (
    of("query", subject="cell 2, output 1"),
    of("rejection", subject="cell 3, output 1"),
    of("error", subject="cell 3, output 2"),
)
SEALED = notebook(*CELLS, service_nb=index(PLACED, ALICE), kernelspec={"name": "python3"})


def sealed(**causes: str) -> Verdict:
    stops = "form" in causes or "signature" in causes
    checks = "form" if "form" in causes else "form signature" if stops else INDEX
    return verdict("index", checks, **causes)


def notebooks() -> Cases:
    plain = notebook(*CELLS)
    yield case("a notebook of three cards", plain, *loose(*VERDICTS))
    yield case("a sealed notebook", SEALED, *VERDICTS, sealed())
    yield case("as Jupyter saves it", json.dumps(SEALED, indent=1, sort_keys=True) + "\n", *VERDICTS, sealed())
    yield case("a notebook without cards", notebook(words(1), code(2)))
    yield case("a notebook of no cells", notebook())
    yield case(
        "a notebook without metadata",
        without(notebook(code(1, FIRST)), "metadata"),
        *loose(of("query", subject="cell 1, output 1")),
    )
    yield case("a sealed notebook without cards", notebook(service_nb=index([], ALICE)), sealed())
    mixed = notebook(code(1, FIRST, "no card", None, SECOND))
    yield case(
        "what stands where cards stand, and is none",
        mixed,
        *loose(of("query", subject="cell 1, output 1")),
        bad_form("malformed_card", "cell 1, output 2"),
        bad_form("malformed_card", "cell 1, output 3"),
        *loose(of("rejection", subject="cell 1, output 4")),
    )
    edited_one = edited(plain, "cells", 1, "outputs", 0, "data", MIME, "view", "rows", 0, 1, to="1.7")
    yield case(
        "one card of a notebook is forged, and told by its place",
        edited_one,
        *loose(of("query", subject="cell 2, output 1", rows_hash="rows_hash_mismatch", shown="shown_differs")),
        *loose(*VERDICTS[1:]),
    )
    unsafe = edited(plain, "cells", 1, "outputs", 0, "data", MIME, "view", "row_count", to=2**53)
    yield case(
        "a card with a large integer", unsafe, bad_form("unsafe_number", "cell 2, output 1"), *loose(*VERDICTS[1:])
    )
    for what, output in (
        (
            "an integer beyond 2**53 in another output",
            {"output_type": "execute_result", "data": {"application/json": {"n": 2**64}}},
        ),
        ("a stream", {"output_type": "stream", "name": "stdout", "text": ["hello"]}),
        ("an error", {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}),
        ("an output with an empty bundle", {"output_type": "display_data", "data": {}}),
    ):
        cell = code(1, FIRST)
        cell["outputs"].insert(0, output)
        yield case(f"{what} is nobody's fault", notebook(cell), *loose(of("query", subject="cell 1, output 2")))
    yield case(
        "an integer beyond 2**53 in the metadata",
        notebook(code(1, FIRST), run=2**70),
        *loose(of("query", subject="cell 1, output 1")),
    )
    yield case("nbformat is a text, and kind stands beside it", plain | {"nbformat": "4", "kind": "query"}, open_form())
    yield case("kind stands beside nbformat", plain | {"kind": "query"}, *loose(*VERDICTS))
    yield case(
        "a notebook of cards that nobody signed",
        notebook(code(1, card("query"), card("error"))),
        *loose(of("query", subject="cell 1, output 1", is_signed=False, signature="?unsigned")),
        *loose(of("error", subject="cell 1, output 2", is_signed=False, signature="?unsigned")),
        keys=(),
    )


def broken_notebooks() -> Cases:
    malformed, broken = bad_form("malformed_notebook", "document"), bad_form("malformed_json", "document")
    plain = notebook(*CELLS)
    for what, made in (
        ("without cells", without(plain, "cells")),
        ("whose cells are an object", plain | {"cells": {}}),
        ("whose cells are null", plain | {"cells": None}),
        ("with a cell that is a text", edited(plain, "cells", 0, to="cell")),
        ("whose metadata are a list", plain | {"metadata": []}),
        ("whose metadata are null", plain | {"metadata": None}),
        ("whose outputs are an object", edited(plain, "cells", 1, "outputs", to={})),
        ("whose outputs are null", edited(plain, "cells", 1, "outputs", to=None)),
        ("with an output that is a list", edited(plain, "cells", 1, "outputs", 0, to=[])),
        ("with data that are a list", edited(plain, "cells", 1, "outputs", 0, "data", to=[])),
        ("with data that are null", edited(plain, "cells", 2, "outputs", 1, "data", to=None)),
    ):
        yield case(f"a notebook {what}", made, malformed)
    text = json.dumps(plain, ensure_ascii=False)
    yield case(
        "a notebook with NaN in another output",
        text.replace('"data": {', '"data": {"application/json": NaN, ', 1),
        broken,
    )
    yield case("a notebook with a key twice", text.replace('"nbformat": 4', '"nbformat": 4, "nbformat": 4'), broken)
    yield case("a card's bundle twice", text.replace(f'"{MIME}": ', f'"{MIME}": {{}}, "{MIME}": ', 1), broken)
    yield case("a notebook cut off", text[:-10], broken)
    deep = edited(plain, "cells", 1, "outputs", 0, "data", "text/plain", to=json.loads("[" * 60 + "]" * 60))
    yield case("a notebook nested 66 deep", deep, bad_form("too_deep", "document"))
    deep = edited(plain, "cells", 1, "outputs", 0, "data", "text/plain", to=json.loads("[" * 58 + "]" * 58))
    yield case("a notebook nested 64 deep", deep, *loose(*VERDICTS), FACES)
    many = text.replace('"data": {', '"data": {"application/json": ' + "1" * 401 + ", ", 1)
    yield case("a number of 401 digits in another output", many, bad_form("unsafe_number", "document"))


def indexes() -> Cases:
    seal = SEALED["metadata"]["service_nb"]
    first, second, third = VERDICTS
    moved_second = of("rejection", subject="cell 3, output 2")
    moved_third = of("error", subject="cell 3, output 1")
    kept = {"service_nb": seal}
    yield case(
        "the second card is gone",
        notebook(CELLS[0], CELLS[1], code(3, THIRD), **kept),
        first,
        moved_third,
        sealed(cards="card_missing"),
    )
    yield case("all cards are gone", notebook(CELLS[0], **kept), sealed(cards="card_missing"))
    more = code(4, signed(card("replay"), ALICE, 4))
    yield case(
        "a card more",
        notebook(*CELLS, more, **kept),
        *VERDICTS,
        of("replay", subject="cell 4, output 1"),
        sealed(cards="card_added"),
    )
    yield case(
        "a card twice",
        notebook(*CELLS, code(4, FIRST), **kept),
        *VERDICTS,
        of("query", subject="cell 4, output 1"),
        sealed(cards="card_added"),
    )
    yield case(
        "another card in the place of one",
        notebook(CELLS[0], CELLS[1], code(3, SECOND, signed(card("replay"), ALICE)), **kept),
        first,
        second,
        of("replay", subject="cell 3, output 2"),
        sealed(cards="card_replaced"),
    )
    newer = signed(card("query", latency_ms=1.5), ALICE, 1)
    yield case(
        "the same question, asked again",
        notebook(CELLS[0], code(2, newer), CELLS[2], **kept),
        *VERDICTS,
        sealed(cards="card_replaced"),
    )
    yield case(
        "two cards in another order",
        notebook(CELLS[0], CELLS[1], code(3, THIRD, SECOND), **kept),
        first,
        moved_third,
        moved_second,
        sealed(cards="card_moved"),
    )
    yield case(
        "a card twice, and one gone",
        notebook(CELLS[0], CELLS[1], code(3, SECOND, SECOND), **kept),
        first,
        second,
        moved_second,
        sealed(cards="card_replaced"),
    )
    yield case(
        "no card where one was",
        notebook(CELLS[0], CELLS[1], code(3, SECOND, "x"), **kept),
        first,
        second,
        bad_form("malformed_card", "cell 3, output 2"),
        sealed(cards="card_replaced"),
    )
    bare = edited(SEALED, "cells", 1, "outputs", 0, "data", MIME, to=stripped(FIRST, "result"))
    yield case(
        "a sealed notebook whose rows were taken out",
        bare,
        of("query", subject="cell 2, output 1", result_hash="?text_not_kept", rows_hash="?rows_not_kept"),
        second,
        third,
        sealed(),
    )
    cells = copy.deepcopy(CELLS)
    for cell in cells:
        cell["id"] += "-new"
    yield case("cells of other ids", notebook(*cells, **kept), *VERDICTS, sealed())
    yield case(
        "cells between",
        notebook(CELLS[0], words(9), *CELLS[1:], **kept),
        of("query", subject="cell 3, output 1"),
        of("rejection", subject="cell 4, output 1"),
        of("error", subject="cell 4, output 2"),
        sealed(),
    )
    forged = edited(SEALED, "cells", 1, "outputs", 0, "data", MIME, "view", "rows", 0, 1, to="1.7")
    yield case(
        "a forged row is the card's fault, not the index's",
        forged,
        of("query", subject="cell 2, output 1", rows_hash="rows_hash_mismatch", shown="shown_differs"),
        second,
        third,
        sealed(),
    )
    yield case(
        "nobody is trusted yet", notebook(service_nb=index([], ALICE)), sealed(signer="?unknown_signer"), keys=()
    )
    yield case(
        "an index by another trusted key",
        notebook(*CELLS, service_nb=index(PLACED, BOB)),
        *VERDICTS,
        sealed(),
        keys=(ALICE.text, BOB.text),
    )
    yield case(
        "an index by a key that nobody trusts",
        notebook(*CELLS, service_nb=index(PLACED, MALLORY)),
        *VERDICTS,
        sealed(signer="?unknown_signer"),
    )
    yield case(
        "an index of other cards, from another notebook",
        notebook(*CELLS, service_nb=index([PLACED[1], PLACED[0], ("x", card("replay"))], ALICE)),
        *VERDICTS,
        sealed(cards="card_replaced"),
    )


def index_forms() -> Cases:
    seal = index([], ALICE)
    said: Json = json.loads(canonical(_said(seal)))
    predicate = said["predicate"]
    invalid, malformed = sealed(signature="signature_invalid"), sealed(form="index_malformed")
    listed: Json = {"cell": None, "kind": "query", "id": None, "digest": "0" * 64}
    for what, made in (
        (
            "signed by another key",
            edited(seal, "envelope", "signatures", 0, "sig", to=index([], MALLORY)["envelope"]["signatures"][0]["sig"]),
        ),
        ("under another public key", seal | {"public_key": MALLORY.text}),
        ("under another keyid", edited(seal, "envelope", "signatures", 0, "keyid", to=BOB.keyid)),
        ("with another statement", edited(seal, "envelope", "payload", to=_said_of([listed]))),
        (
            "with S plus the order of the base point",
            index([], odd_signatures.REFUSED["S plus the order of the base point"]),
        ),
    ):
        yield case(f"an index {what}", notebook(service_nb=made), invalid)
    for what, made in (
        ("that is null", None),
        ("that is a list", []),
        ("that is empty", {}),
        ("of version 2", seal | {"version": 2}),
        ("of version true", seal | {"version": True}),
        ("with a key more", seal | {"note": 1}),
        ("without a public key", without(seal, "public_key")),
        ("whose public key is null", seal | {"public_key": None}),
        ("whose public key is short", seal | {"public_key": b64(ALICE.public[:31])}),
        ("without a signature", edited(seal, "envelope", "signatures", to=[])),
        ("of another payload type", edited(seal, "envelope", "payloadType", to="application/json")),
        ("whose payload is no base64", edited(seal, "envelope", "payload", to="*")),
        ("whose payload is no JSON", edited(seal, "envelope", "payload", to=b64(b"{"))),
    ):
        yield case(f"an index {what}", notebook(service_nb=made), malformed)
    for what, changes in (
        ("of another _type", {"_type": "x"}),
        ("of a query's predicate", {"predicateType": "urn:service-nb:query:v1"}),
        ("with a key more in its statement", {"note": 1}),
        ("of version 2", {"predicate": predicate | {"version": 2}}),
        ("without a time", {"predicate": {k: v for k, v in predicate.items() if k != "time"}}),
        ("whose time is a number", {"predicate": predicate | {"time": 1}}),
        ("whose time is no time", {"predicate": predicate | {"time": "yesterday"}}),
        ("with a key more in its predicate", {"predicate": predicate | {"note": 1}}),
        ("whose cards are an object", {"predicate": predicate | {"cards": {}}}),
        ("whose subject is another list", {"predicate": predicate | {"cards": [listed]}}),
        ("without a subject", {"subject": []}),
        ("with a subject of another name", {"subject": [said["subject"][0] | {"name": "card"}]}),
        ("with two subjects", {"subject": [said["subject"][0], said["subject"][0] | {"name": "more"}]}),
        *(
            (f"that lists {key} as {json.dumps(value)}", _listing(listed | {key: value}))
            for key, value in (
                ("cell", 1),
                ("kind", None),
                ("id", []),
                ("digest", "0"),
                ("digest", "A" * 64),
                ("note", 1),
            )
        ),
        ("that lists a text", _listing("card")),
        *((f"that lists no {key}", _listing({k: v for k, v in listed.items() if k != key})) for key in listed),
    ):
        yield case(f"a signed index {what}", notebook(service_nb=index([], ALICE, **changes)), malformed)
    yield case(
        "a signed index of one card, and none is here",
        notebook(service_nb=index([], ALICE, **_listing(listed))),
        sealed(cards="card_missing"),
    )


def _said(seal: Json) -> Json:
    made: Json = json.loads(base64.b64decode(seal["envelope"]["payload"]))
    return made


def _listing(*cards: Any) -> Json:
    return {
        "subject": [{"name": "cards", "digest": {"sha256": sha(canonical(list(cards)))}}],
        "predicate": {"version": 1, "time": "2026-11-21T13:30:00.000000Z", "cards": list(cards)},
    }


def _said_of(cards: list[Any]) -> str:
    payload: str = index([], ALICE, **_listing(*cards))["envelope"]["payload"]
    return payload


# --- ledger documents ---------------------------------------------------------------------------------------------

CARDS = [card(kind) for kind in ("query", "clarification", "rejection", "error", "replay")]
PAYLOADS = [canonical(statement(each, number)).encode() for number, each in enumerate(CARDS)]
GOOD = ledger(CARDS, ALICE)


def whole(**causes: str) -> Verdict:
    checks = (
        "form" if "form" in causes else "form entry" if causes.get("entry", "?").startswith("?") is False else LEDGER
    )
    return verdict("ledger", checks, **causes)


def ledgers() -> Cases:
    yield case("a ledger of five entries", GOOD, whole())
    yield case("its texts left out", GOOD | {"texts": {}}, whole())
    for size in (0, 1, 2, 3, 4):
        yield case(f"a ledger of {size} entries", ledger(CARDS[:size], ALICE), whole())
    yield case("nobody is trusted yet", GOOD, whole(signer="?unknown_signer"), keys=())
    yield case("a ledger by a key that nobody trusts", ledger(CARDS, MALLORY), whole(signer="?unknown_signer"))
    bare = ledger(CARDS, None)
    unsigned = {"entry": "?unsigned", "signer": "?unsigned", "checkpoint": "?unsigned"}
    yield case("a ledger from before there was a key", bare, whole(**unsigned), keys=())
    yield case("the same where a key is asked for", bare, whole(**unsigned))
    yield case(
        "an empty ledger without a key", ledger([], None), whole(signer="?unsigned", checkpoint="?unsigned"), keys=()
    )
    later = edited(GOOD, "entries", 0, "signatures", to=[])
    yield case("the first entry is from before there was a key", later, whole(entry="?unsigned"))
    yield case("times that run backwards", ledger_of(PAYLOADS[::-1], ALICE), whole())
    # A ledger's one key is cut off: what its entries and its checkpoint carry is left over.
    yield case("its key cut off", GOOD | {"public_key": None}, whole(entry="signature_invalid"))
    cut = bare | {"checkpoint": GOOD["checkpoint"]}
    yield case("key and signatures cut off, the checkpoint's left", cut, whole(**unsigned), keys=())


def forged_ledgers() -> Cases:
    entries = GOOD["entries"]
    missed = whole(root="root_mismatch")
    for at in range(5):
        left = [entry for number, entry in enumerate(entries) if number != at]
        texts = {
            sha(text): text for number, each in enumerate(CARDS) if number != at for text in each["canonical"].values()
        }
        yield case(f"entry {at} taken out", GOOD | {"entries": left, "texts": texts}, missed)
        yield case(
            f"entry {at} taken out, its texts left",
            GOOD | {"entries": left},
            whole(root="root_mismatch", texts="text_unknown"),
        )
    yield case(
        "an entry twice", GOOD | {"entries": [*entries, entries[0]]}, whole(order="duplicate_id", root="root_mismatch")
    )
    yield case(
        "an entry in the place of another",
        GOOD | {"entries": [entries[1], *entries[1:]], "texts": {}},
        whole(order="duplicate_id", root="root_mismatch"),
    )
    yield case("two entries exchanged", GOOD | {"entries": [entries[1], entries[0], *entries[2:]]}, missed)
    yield case("entries turned round", GOOD | {"entries": entries[::-1]}, missed)
    yield case("no entries", GOOD | {"entries": [], "texts": {}}, missed)
    twice = ledger_of([PAYLOADS[0], PAYLOADS[0]], ALICE)
    yield case("the same id twice, signed and rooted", twice, whole(order="duplicate_id"))
    other_time = canonical(statement(CARDS[0], 0, time="2027-01-01T00:00:00.000000Z")).encode()
    yield case(
        "another statement with the same id", ledger_of([PAYLOADS[0], other_time], ALICE), whole(order="duplicate_id")
    )
    yield case(
        "a text that was changed",
        edited(GOOD, "texts", sha(CARDS[0]["canonical"]["result"]), to="[]"),
        whole(texts="text_mismatch"),
    )
    yield case("a text of no entry", edited(GOOD, "texts", sha("other"), to="other"), whole(texts="text_unknown"))
    yield case(
        "a text of no entry, then one that was changed",
        edited(
            GOOD | {"texts": {sha("other"): "other"} | GOOD["texts"]},
            "texts",
            sha(CARDS[4]["canonical"]["report"]),
            to="",
        ),
        whole(texts="text_mismatch"),
    )
    yield case(
        "a text under a name that is no hash", edited(GOOD, "texts", "result", to="[]"), whole(texts="text_mismatch")
    )
    yield case(
        "the checkpoint of a shorter ledger", GOOD | {"checkpoint": ledger(CARDS[:4], ALICE)["checkpoint"]}, missed
    )
    yield case("rolled back with its checkpoint: a shorter ledger, which is whole", ledger(CARDS[:4], ALICE), whole())
    yield case(
        "the checkpoint of another ledger",
        GOOD | {"checkpoint": note(5, mth([leaf(each) for each in PAYLOADS]), ALICE, "f" * 32)},
        missed,
    )
    yield case("another ledger's id", GOOD | {"ledger": "f" * 32}, missed)
    yield case(
        "a checkpoint by another key",
        GOOD | {"checkpoint": ledger(CARDS, MALLORY)["checkpoint"]},
        whole(checkpoint="checkpoint_invalid"),
    )
    yield case(
        "a checkpoint without a signature",
        GOOD | {"checkpoint": ledger(CARDS, None)["checkpoint"]},
        whole(checkpoint="checkpoint_invalid"),
    )
    broken = whole(root="checkpoint_malformed", checkpoint="checkpoint_invalid")
    yield case("an empty checkpoint", GOOD | {"checkpoint": ""}, broken)
    yield case("a checkpoint without its last newline", GOOD | {"checkpoint": GOOD["checkpoint"][:-1]}, broken)
    yield case("another root", GOOD | {"checkpoint": note(5, bytes(32), ALICE)}, missed)
    yield case(
        "an entry signed by another key, rooted",
        GOOD | {"entries": [envelope(PAYLOADS[0], MALLORY), *entries[1:]]},
        whole(entry="signature_invalid"),
    )
    yield case("the public key of another", GOOD | {"public_key": MALLORY.text}, whole(entry="signature_invalid"))
    yield case(
        "all signed by another key, under the old name",
        ledger(CARDS, MALLORY) | {"public_key": ALICE.text},
        whole(entry="signature_invalid"),
    )
    yield case(
        "the keyid of an entry",
        edited(GOOD, "entries", 2, "signatures", 0, "keyid", to=BOB.keyid),
        whole(entry="signature_invalid"),
    )
    for what, payload in (
        ("with another statement", b64(canonical(statement(CARDS[0], 77)).encode())),
        ("with a blank after its statement", b64(PAYLOADS[1] + b" ")),
    ):
        yield case(
            f"an entry {what}", edited(GOOD, "entries", 1, "payload", to=payload), whole(entry="signature_invalid")
        )
    malformed = whole(entry="entry_malformed")
    for what, made in (
        ("that is null", edited(GOOD, "entries", 1, to=None)),
        ("that is a text", edited(GOOD, "entries", 1, to="x")),
        ("without a payload", without(GOOD, "entries", 1, "payload")),
        ("with a key more", edited(GOOD, "entries", 1, "alg", to="none")),
        ("with two signatures", edited(GOOD, "entries", 1, "signatures", to=entries[1]["signatures"] * 2)),
        ("of another type", edited(GOOD, "entries", 1, "payloadType", to="application/json")),
        ("whose payload is no base64", edited(GOOD, "entries", 1, "payload", to="*")),
        ("whose statement is cut", edited(GOOD, "entries", 1, "payload", to=b64(PAYLOADS[1][:-1]))),
        ("whose signature is short", edited(GOOD, "entries", 1, "signatures", 0, "sig", to=b64(bytes(63)))),
        ("that is no statement, signed and rooted", ledger_of([PAYLOADS[0], b"{}"], ALICE)),
        ("of an index, signed and rooted", ledger_of([canonical(_said(index([], ALICE))).encode()], ALICE)),
    ):
        yield case(f"an entry {what}", made, malformed)


def ledger_forms() -> Cases:
    malformed = whole(form="malformed_ledger")
    for key in GOOD:
        if key != "service_nb_ledger":
            yield case(f"a ledger without {key}", without(GOOD, key), malformed)
    yield case(
        "a ledger without its first key", without(GOOD, "service_nb_ledger"), bad_form("unknown_document", "document")
    )
    yield case("a ledger with a key more", GOOD | {"note": 1}, malformed)
    for key, value in (
        ("service_nb_ledger", "1"),
        ("service_nb_ledger", True),
        ("service_nb_ledger", None),
        ("ledger", "F" * 32),
        ("ledger", "f" * 31),
        ("ledger", None),
        ("entries", {}),
        ("entries", None),
        ("public_key", ""),
        ("public_key", b64(ALICE.public[:31])),
        ("public_key", ALICE.text.rstrip("=")),
        ("public_key", 1),
        ("checkpoint", None),
        ("checkpoint", []),
        ("texts", []),
        ("texts", None),
        ("texts", {sha("1"): 1}),
    ):
        yield case(f"{key} of a ledger is {json.dumps(value)}", GOOD | {key: value}, malformed)
    yield case("a ledger of version 2", GOOD | {"service_nb_ledger": 2}, whole(form="unknown_version"))
    yield case(
        "a ledger of version 2 in another form",
        GOOD | {"service_nb_ledger": 2, "entries": {}},
        whole(form="unknown_version"),
    )
    yield case("a large integer in a ledger", GOOD | {"service_nb_ledger": 2**53}, whole(form="unsafe_number"))
    yield case("a ledger's version as a float", GOOD | {"service_nb_ledger": 1.0}, whole())


def cases() -> Cases:
    for group in (notebooks, broken_notebooks, indexes, index_forms):
        yield from group()


def ledger_cases() -> Cases:
    for group in (ledgers, forged_ledgers, ledger_forms):
        yield from group()
