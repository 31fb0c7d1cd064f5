"""The forgeries that are shipped, and how each was made; `python -m tests.simulators.forgeries` writes them."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.simulators import evidence as genuine
from tests.simulators.contracts import CONTRACT, tree
from tests.simulators.evidence import AUTHOR, FORGER
from tests.simulators.forged import (
    CLARIFICATION,
    COMPUTATION,
    ELSEWHERE,
    ERROR,
    LOG,
    OTHER_QUERY,
    QUERY,
    REJECTION,
    REPLAY,
    RICHER,
    SHOWN,
    SIGNED,
    UNSIGNED,
    Json,
    defined,
    edited,
    in_receipt,
    richer,
    shown,
)
from tests.simulators.lies import Case, authors
from tests.simulators.mutants import put, without

SHIPPED = Path(__file__).parents[2] / "service_nb" / "evidence" / "forgeries.jsonl"
L = 2**252 + 27742317777372353535851937790883648493


def texts() -> Iterator[Case]:
    """Hashed texts edited, nothing else."""
    rows = edited(QUERY, "result", richer)
    yield "result_edited", "A number of the result was changed.", rows, "result_hash result_hash_mismatch"
    plan = edited(QUERY, "plan", lambda plan: plan | {"group_by": ["origin"]})
    yield "plan_edited", "The plan was changed to group by another column.", plan, "plan_hash plan_hash_mismatch"
    yield (
        "plan_no_object",
        "The plan was replaced by a list, with its hash.",
        _plan_list(),
        "plan_hash plan_hash_mismatch",
    )
    schema = put(QUERY, ("digests", "schema_revision"), "0" * 64)
    wrong = "schema_revision schema_revision_mismatch"
    yield "schema_replaced", "The card was said to be of data with other columns.", schema, wrong
    value = edited(COMPUTATION, "value", lambda value: value + 1)
    wrong = "computation_hash computation_hash_mismatch"
    yield "value_edited", "The computed value was changed.", value, wrong
    unit = edited(COMPUTATION, "definition", defined(result={"type": "float64", "unit": "USD", "about": "money"}))
    wrong = "definition_hash definition_hash_mismatch"
    yield "unit_edited", "The unit of a computed value was changed.", unit, wrong
    how = edited(QUERY, "provenance", lambda how: how | {"engine": "an audited engine"})
    wrong = "provenance_hash provenance_hash_mismatch"
    yield "engine_edited", "Another engine was said to have answered.", how, wrong
    arguments = edited(COMPUTATION, "arguments", lambda given: [0.2, *given[1:]])
    yield "arguments_edited", "An argument of the call was changed.", arguments, "input_hash input_hash_mismatch"
    call = edited(COMPUTATION, "identity", lambda identity: identity | {"function": "irr"})
    yield "call_edited", "Another capability was said to be called.", call, "invocation_hash invocation_hash_mismatch"
    contract = put(COMPUTATION, ("digests", "contract_hash"), "sha256:" + "0" * 64)
    wrong = "contract_hash contract_hash_mismatch"
    yield "contract_replaced", "Other definitions were named than those it ran under.", contract, wrong
    error = edited(ERROR, "error", lambda told: told | {"message": "The file has 9 rows."})
    yield "error_softened", "The message of an error was made harmless.", error, "error_hash error_hash_mismatch"
    spec = edited(REJECTION, "spec", lambda spec: spec | {"metric": "dep_delay"})
    yield "question_edited", "Another question was said to be refused.", spec, "refusal_hash refusal_hash_mismatch"
    reason = edited(CLARIFICATION, "resolution", lambda told: told | {"reason": "the server was busy"})
    yield "reason_edited", "The reason of a refusal was changed.", reason, "shown shown_differs"
    report = edited(REPLAY, "report", lambda report: report | {"question": "Sum of profit in audited_accounts"})
    yield "replay_edited", "A replay was said to be of another question.", report, "replay_hash replay_hash_mismatch"


def _plan_list() -> Json:
    made = put(QUERY, ("canonical", "plan"), "[1]")
    hashed = genuine.digest("service:plan:v1", "[1]")
    result = genuine.digest("service:result:v1", hashed, QUERY["canonical"]["result"])
    return made | {"digests": QUERY["digests"] | {"plan_hash": hashed, "result_hash": result}}


def views() -> Iterator[Case]:
    """What is shown, edited; the hashed texts stay."""
    rows = put(QUERY, ("view", "rows", 0, 1), "99.5")
    yield "row_edited", "A number was changed in the shown table alone.", rows, "rows_hash rows_hash_mismatch"
    rows = without(QUERY, ("view", "rows", 1))
    yield "row_removed", "A row was taken out of the shown table.", rows, "rows_hash rows_hash_mismatch"
    rows = put(QUERY, ("view", "rows"), [QUERY["view"]["rows"][each] for each in (1, 0, 2)])
    yield "rows_turned", "Two rows of the shown table change places.", rows, "rows_hash rows_hash_mismatch"
    question = put(QUERY, ("view", "question"), "Sum of arr_delay by origin in flights")
    yield "question_reworded", "The shown question is another one.", question, "view_hash view_hash_mismatch"
    source = put(QUERY, ("view", "source", "name"), "flights_2027")
    yield "source_renamed", "The shown source is another one.", source, "view_hash view_hash_mismatch"
    tier = put(COMPUTATION, ("view", "tier"), "pinned")
    yield "tier_changed", "The shown promise of a computation is another one.", tier, "view_hash view_hash_mismatch"
    ok = shown(REJECTION, status="ok")
    yield "refusal_as_answer", "A refusal is shown as an answer.", ok, "kind kind_contradicted"
    count = shown(QUERY, row_count=1)
    yield "rows_miscounted", "More rows are shown than the result is said to have.", count, "kind kind_contradicted"
    kind = REJECTION | {"kind": "clarification"}
    yield "kind_changed", "A rejection is passed off as a question back.", kind, "kind kind_contradicted"


def forms() -> Iterator[Case]:
    """Documents that two readers would understand differently, or that are no cards."""
    text = json.dumps(ERROR, ensure_ascii=False)
    twice = text.replace('"message"', '"message": "All is well.", "message"', 1)
    yield "key_twice", "A key stands there twice: some readers take the first.", twice, "form malformed_json"
    nan = json.dumps(put(QUERY, ("view", "latency_ms"), float("nan")))
    yield "not_a_number", "A number is NaN, which JSON does not have.", nan, "form malformed_json"
    half = json.dumps(put(ERROR, ("view", "message"), "\ud800"))
    yield "half_a_character", "A text holds half of a character.", half, "form malformed_json"
    yield "byte_order_mark", "A byte order mark stands before the card.", "\ufeff" + text, "form malformed_json"
    yield "text_after_the_end", "A second card stands after the first.", text + text, "form malformed_json"
    large = put(QUERY, ("view", "row_count"), 2**53 + 1)
    yield "number_that_rounds", "A number is one that browsers round.", json.dumps(large), "form unsafe_number"
    infinite = json.dumps(QUERY).replace('"latency_ms": 0.25', '"latency_ms": 1e400')
    yield "number_beyond", "A number is larger than any that readers hold.", infinite, "form unsafe_number"
    deep = put(ERROR, ("view", "code"), json.loads("[" * 70 + "]" * 70))
    yield "nested_deep", "Lists are nested until a reader gives up.", json.dumps(deep), "form too_deep"
    yield "key_added", "A key was added that readers may show.", ERROR | {"note": "checked"}, "form malformed_card"
    missing = without(QUERY, ("digests", "rows_hash"))
    yield "digest_removed", "The digest of the rows was removed.", missing, "form malformed_card"
    removed = without(QUERY, ("view", "rows"))
    yield "rows_removed", "The rows were removed, and not only emptied.", removed, "form malformed_card"
    yield (
        "version_raised",
        "A later version is claimed, to be read leniently.",
        ERROR | {"version": 2},
        ("form unknown_version"),
    )
    yield "kind_invented", "A kind is claimed that has no rules.", ERROR | {"kind": "approval"}, "form unknown_kind"
    yield "not_evidence", "The card is wrapped into something else.", {"card": ERROR}, "form unknown_document"


def receipts() -> Iterator[Case]:
    """Hashes made to fit, and what a forger can do about the receipt."""
    another = "statement receipt_of_another_card"
    yield "rehashed", "A number was changed and all hashes made to fit.", RICHER, another
    own = genuine.signed_alone(RICHER, FORGER)
    yield "resigned", "It was changed and signed with another key.", own, "signer unknown_signer"
    claimed = in_receipt(own, "public_key", to=AUTHOR.public_key)
    claimed = in_receipt(claimed, "envelope", "signatures", 0, "keyid", to=AUTHOR.id)
    yield (
        "resigned_in_name",
        "It was signed with another key under the author's name.",
        claimed,
        ("signature signature_invalid"),
    )
    keyid = in_receipt(QUERY, "envelope", "signatures", 0, "keyid", to=FORGER.id)
    yield "keyid_replaced", "The signature is said to be of another key.", keyid, "signature signature_invalid"
    pasted = in_receipt(RICHER, "envelope", "payload", to=own["receipt"]["envelope"]["payload"])
    yield (
        "statement_replaced",
        "Another statement was put under the author's signature.",
        pasted,
        ("signature signature_invalid"),
    )
    yield (
        "receipt_cut_off",
        "It was changed and the receipt cut off.",
        RICHER | {"receipt": None},
        ("signature unsigned"),
    )
    yield (
        "receipt_of_another",
        "It has the genuine receipt of another card.",
        QUERY | {"receipt": OTHER_QUERY["receipt"]},
        another,
    )
    seal = genuine.index_of(SHOWN, AUTHOR)["envelope"]
    yield (
        "seal_as_receipt",
        "What the author signed to seal a notebook is passed off as a receipt.",
        in_receipt(QUERY, "envelope", to=seal),
        "statement statement_malformed",
    )
    yield from _signatures()
    yield from _proofs()


def _signatures() -> Iterator[Case]:
    signature = QUERY["receipt"]["envelope"]["signatures"][0]
    raw = base64.b64decode(signature["sig"])
    malleable = raw[:32] + (int.from_bytes(raw[32:], "little") + L).to_bytes(32, "little")
    sig = ("envelope", "signatures", 0, "sig")
    yield (
        "signature_malleable",
        "The signature is another number that means the same.",
        in_receipt(QUERY, *sig, to=genuine.b64(malleable)),
        "signature signature_invalid",
    )
    small = genuine.Key("unused")
    small.__dict__["raw"] = (1).to_bytes(32, "little")
    small.__dict__["id"] = genuine.sha256(bytes.fromhex("302a300506032b6570032100") + small.raw).hex()[:16]
    fitting = genuine.signed_alone(RICHER, FORGER)
    fitting = in_receipt(fitting, "public_key", to=genuine.b64(small.raw))
    one = {"keyid": small.id, "sig": genuine.b64(small.raw + bytes(32))}
    yield (
        "key_of_small_order",
        "The key is one under which a signature fits every text.",
        in_receipt(fitting, "envelope", "signatures", to=[one]),
        "signature signature_invalid",
    )
    yield (
        "signed_twice",
        "A second signature was added.",
        in_receipt(QUERY, "envelope", "signatures", to=[signature, signature]),
        "signature receipt_malformed",
    )
    yield (
        "not_signed",
        "The signature was taken out of the envelope.",
        in_receipt(QUERY, "envelope", "signatures", to=[]),
        "signature receipt_malformed",
    )
    yield (
        "other_payload_type",
        "The payload is said to be of a type with other rules.",
        in_receipt(QUERY, "envelope", "payloadType", to="application/json"),
        "signature receipt_malformed",
    )
    stray = signature["sig"][:-3] + chr(ord(signature["sig"][-3]) + 1) + "=="
    yield (
        "stray_bits",
        "The signature is spelled in a way that only some readers take.",
        in_receipt(QUERY, *sig, to=stray),
        "signature receipt_malformed",
    )


def _proofs() -> Iterator[Case]:
    log, invalid = QUERY["receipt"]["log"], "inclusion inclusion_invalid"
    yield (
        "place_moved",
        "The entry is said to stand elsewhere in its ledger.",
        in_receipt(QUERY, "log", "index", to=3),
        invalid,
    )
    yield (
        "proof_shortened",
        "A step of the proof is missing.",
        in_receipt(QUERY, "log", "proof", to=log["proof"][1:]),
        invalid,
    )
    yield (
        "proof_of_another",
        "The proof is of another entry.",
        in_receipt(QUERY, "log", to=OTHER_QUERY["receipt"]["log"]),
        invalid,
    )
    yield (
        "checkpoint_of_another",
        "The checkpoint is of another ledger of the author.",
        in_receipt(QUERY, "log", "checkpoint", to=ELSEWHERE[0]["receipt"]["log"]["checkpoint"]),
        invalid,
    )
    yield (
        "size_changed",
        "The ledger is said to be longer than its checkpoint.",
        in_receipt(QUERY, "log", "size", to=log["size"] + 1),
        invalid,
    )
    root = tree(genuine.log_of(UNSIGNED).leaves)
    forged = genuine.checkpoint(genuine.LEDGER_ID, len(UNSIGNED), root, FORGER)
    wrong = "checkpoint checkpoint_invalid"
    yield (
        "checkpoint_resigned",
        "The checkpoint is signed with another key.",
        in_receipt(QUERY, "log", "checkpoint", to=forged),
        wrong,
    )
    named = forged.replace(FORGER.id, AUTHOR.id)
    yield (
        "checkpoint_in_name",
        "The checkpoint is signed with another key under the author's name.",
        in_receipt(QUERY, "log", "checkpoint", to=named),
        wrong,
    )
    unsigned = genuine.checkpoint(genuine.LEDGER_ID, len(UNSIGNED), root, None)
    yield (
        "checkpoint_unsigned",
        "The signature of the checkpoint was cut off.",
        in_receipt(QUERY, "log", "checkpoint", to=unsigned),
        wrong,
    )
    lines = log["checkpoint"].replace("\n\n", "\nanother line\n\n")
    yield (
        "checkpoint_extended",
        "A line was added to the checkpoint.",
        in_receipt(QUERY, "log", "checkpoint", to=lines),
        "inclusion checkpoint_malformed",
    )


def notebooks() -> Iterator[Case]:
    """Sealed notebooks whose cards are genuine, each one."""
    seal = {"service_nb": genuine.index_of(SHOWN, AUTHOR)}

    def sealed(cards: list[Json], metadata: Json = seal) -> Json:
        return genuine.notebook(cards) | {"metadata": metadata}

    yield "card_removed", "A card was taken out of a sealed notebook.", sealed(SHOWN[:2]), "cards card_missing"
    yield "card_added", "A genuine card was put into a sealed notebook.", sealed([*SHOWN, REPLAY]), "cards card_added"
    yield (
        "card_replaced",
        "A card gave its place to another genuine one.",
        sealed([OTHER_QUERY, *SHOWN[1:]]),
        ("cards card_replaced"),
    )
    yield "cards_turned", "Two cards change places.", sealed([SHOWN[1], SHOWN[0], SHOWN[2]]), "cards card_moved"
    own = {"service_nb": genuine.index_of(SHOWN[:2], FORGER)}
    yield (
        "notebook_resealed",
        "A card was taken out, and the rest sealed with another key.",
        sealed(SHOWN[:2], own),
        ("signer unknown_signer"),
    )
    named = copy.deepcopy(own)
    named["service_nb"]["public_key"] = AUTHOR.public_key
    named["service_nb"]["envelope"]["signatures"][0]["keyid"] = AUTHOR.id
    yield (
        "notebook_resealed_in_name",
        "As above, under the author's name.",
        sealed(SHOWN[:2], named),
        ("signature signature_invalid"),
    )
    receipt = {"service_nb": seal["service_nb"] | {"envelope": QUERY["receipt"]["envelope"]}}
    yield (
        "receipt_as_seal",
        "The receipt of a card is passed off as the seal.",
        sealed(SHOWN[:1], receipt),
        ("form index_malformed"),
    )
    changed = put(QUERY, ("view", "rows", 0, 1), "99.5")
    yield (
        "card_edited_in_place",
        "A number was changed in a card of a sealed notebook.",
        sealed([changed, *SHOWN[1:]]),
        "rows_hash rows_hash_mismatch",
    )


def places() -> Iterator[Case]:
    """A sealed notebook whose cards are genuine, one of them kept where viewers do not show it."""

    def changed(change: Callable[[Json], object]) -> Json:
        made = copy.deepcopy(genuine.sealed_notebook(SHOWN))
        change(made)
        return made

    text = {"output_type": "stream", "name": "stdout", "text": "99.5"}
    stream = changed(lambda book: book["cells"][1]["outputs"][0].update(text))
    yield "output_as_stream", "The output of a card was made a stream of text.", stream, "form card_not_shown"
    prose = changed(lambda book: book["cells"][3].update(cell_type="markdown", source="99.5"))
    yield "cell_as_prose", "The cell of a card was made Markdown.", prose, "form card_not_shown"
    kept = changed(lambda book: book["cells"][0].update(attachments={"card": {genuine.MIME: QUERY}}))
    yield "card_attached", "A card was kept as an attachment of the prose.", kept, "form card_not_shown"
    other = changed(lambda book: book.update(worksheets=[{"cells": []}]))
    yield "worksheets_added", "Cells of the third format of notebooks stand beside.", other, "form notebook_form"

    def hide(book: Json) -> None:
        model = {"model_name": "OutputModel", "state": {"outputs": [book["cells"][-1]["outputs"].pop()]}}
        book["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {"a": model}}}

    yield "card_in_widget", "A card was moved into a widget that no cell shows.", changed(hide), "cell in_widget"


def ledgers() -> Iterator[Case]:
    """Ledgers whose entries are genuine, or signed by a forger."""
    document, entries = LOG.document(), LOG.document()["entries"]
    replaced = "root root_mismatch"
    yield (
        "entry_dropped",
        "An entry was dropped.",
        document | {"entries": entries[:1] + entries[2:], "texts": {}},
        replaced,
    )
    yield (
        "entry_last_dropped",
        "The newest entry was dropped.",
        document | {"entries": entries[:-1], "texts": {}},
        replaced,
    )
    yield (
        "entry_twice",
        "An entry stands there twice.",
        document | {"entries": [*entries, entries[0]]},
        ("order duplicate_id"),
    )
    turned = [entries[1], entries[0], *entries[2:]]
    yield "entries_turned", "Two entries change places.", document | {"entries": turned}, replaced
    foreign = genuine.envelope(genuine.payload_of(genuine.query_card(1), 9), FORGER)
    yield (
        "entry_foreign",
        "An entry was added that another key signed.",
        document | {"entries": [*entries, foreign]},
        ("entry signature_invalid"),
    )
    empty = genuine.envelope(b'{"approved":true}', AUTHOR)
    yield (
        "entry_no_statement",
        "An entry says nothing of a result.",
        document | {"entries": [*entries, empty]},
        ("entry entry_malformed"),
    )
    own = genuine.Log(FORGER, LOG.id, LOG.payloads[1:], {}).document()
    yield "ledger_resigned", "An entry was dropped and all signed anew with another key.", own, "signer unknown_signer"
    bare = genuine.Log(None, LOG.id, LOG.payloads[1:], {}).document()
    yield "ledger_unsigned", "An entry was dropped and all signatures were cut off.", bare, "entry unsigned"
    note = {"checkpoint": own["checkpoint"].replace(FORGER.id, AUTHOR.id)}
    yield (
        "ledger_checkpoint_in_name",
        "As before, with a checkpoint in the author's name alone.",
        document
        | note
        | {
            "entries": entries[1:],
            "texts": {},
        },
        "checkpoint checkpoint_invalid",
    )
    yield "ledger_renamed", "The ledger is passed off as another one.", document | {"ledger": "e" * 32}, replaced
    name, text = next(iter(document["texts"].items()))
    yield "text_edited", "A kept text was changed.", put(document, ("texts", name), text + " "), "texts text_mismatch"
    stray = {genuine.sha256(b"[]").hex(): "[]"}
    yield "text_added", "A text was added that belongs to no entry.", document | {"texts": stray}, "texts text_unknown"


def genuine_ones() -> Iterator[Case]:
    for card in SIGNED[:6]:
        yield f"genuine_{card['kind']}", "Nothing: it is genuine.", card, None
    yield "genuine_notebook", "Nothing: it is genuine and sealed.", genuine.sealed_notebook(SHOWN), None
    yield "genuine_ledger", "Nothing: it is genuine.", LOG.document(), None


def cases() -> list[Json]:
    """Every case as it is shipped."""
    made = []
    for group in (genuine_ones, texts, views, forms, receipts, authors, notebooks, places, ledgers):
        for name, says, document, wrong in group():
            check, _, cause = (wrong or "").partition(" ")
            expected = {"check": check, "cause": cause} if wrong else None
            given = {"keys": [AUTHOR.public_key], "contracts": [CONTRACT], "expected": expected}
            made.append({"name": name, "says": says, "document": document, **given})
    return made


def content() -> str:
    """What is shipped: a case in a line, by name."""
    made = sorted(cases(), key=lambda case: str(case["name"]))
    return "".join(f"{json.dumps(case, separators=(',', ':'))}\n" for case in made)


def main() -> None:
    """Write the file."""
    SHIPPED.write_text(content(), encoding="ascii")


if __name__ == "__main__":
    main()
