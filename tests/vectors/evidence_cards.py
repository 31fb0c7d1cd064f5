"""Cases of bare cards: good ones of every kind, and what a forger or a careless editor makes of them."""

from __future__ import annotations

import copy
import json
from typing import Any

from tests.vectors.evidence_cases import ALICE, BOB, DIGESTS, MALLORY, Cases, bad_form, case, of
from tests.vectors.evidence_maker import Json, canonical, card, h, rehashed, signed, stripped

KINDS = tuple(DIGESTS)


def edited(made: Json, *path: Any, to: Any) -> Json:
    """A copy in which one value is another."""
    made = copy.deepcopy(made)
    at = made
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return made


def without(made: Json, *path: Any) -> Json:
    """A copy in which one value is missing."""
    made = copy.deepcopy(made)
    at = made
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return made


def recorded(made: Json, **changes: Any) -> Json:
    """A copy whose provenance says something else; the view is left as it is."""
    made = copy.deepcopy(made)
    provenance = json.loads(made["canonical"]["provenance"]) | changes
    made["canonical"]["provenance"] = canonical(provenance)
    return made


def noted(text: str, **changes: Any) -> Json:
    """A query with a note, which is hashed and shown."""
    made = recorded(card("query", notes=[f"clock: {text}"], **changes), notes={"clock": text})
    return rehashed(made)


def good() -> Cases:
    for number, kind in enumerate(KINDS):
        yield case(f"a signed {kind}", signed(card(kind), ALICE, number), of(kind))
        yield case(
            f"an unsigned {kind}",
            card(kind),
            of(kind, is_signed=False, signature="?unsigned", **without_contracts(kind)),
            keys=(),
            contracts=(),
        )
    query, call = card("query"), card("computation")
    yield case(
        "a signed query, nobody is trusted yet", signed(query, ALICE), of("query", signer="?unknown_signer"), keys=()
    )
    yield case("a signed query, one of two trusted", signed(query, BOB), of("query"), keys=(ALICE.text, BOB.text))
    yield case(
        "a signed computation, no contract known",
        signed(call, ALICE),
        of("computation", contract="?no_known_contracts"),
        contracts=(),
    )
    yield case(
        "a signed computation under another contract",
        signed(call, ALICE),
        of("computation", contract="?contract_unknown"),
        contracts=("sha256:" + "0" * 64,),
    )
    for index, size in ((0, 1), (0, 2), (1, 2), (2, 3), (7, 8), (8, 9), (63, 64), (64, 65), (5, 100)):
        yield case(f"entry {index} of a ledger of {size}", signed(query, ALICE, index=index, size=size), of("query"))


def without_contracts(kind: str) -> dict[str, str]:
    return {"contract": "?no_known_contracts"} if kind == "computation" else {}


def kept_out() -> Cases:
    query, call = card("query"), card("computation")
    no_rows = {"result_hash": "?text_not_kept", "rows_hash": "?rows_not_kept"}
    yield case(
        "a query whose values are kept out of the notebook",
        stripped(signed(query, ALICE), "result"),
        of("query", **no_rows),
    )
    yield case(
        "the same, unsigned",
        stripped(query, "result"),
        of("query", is_signed=False, signature="?unsigned", **no_rows),
        keys=(),
    )
    yield case(
        "a query without any text",
        stripped(signed(query, ALICE), "result", "plan"),
        of(
            "query",
            plan_hash="?text_not_kept",
            schema_revision="?text_not_kept",
            shown="?shown_not_kept",
            **no_rows,
        ),
    )
    yield case(
        "a query whose rows were taken out, but not its result",
        stripped(signed(query, ALICE)),
        of("query", rows_hash="?rows_not_kept"),
    )
    yield case(
        "a computation of which only the hashes are kept",
        stripped(signed(call, ALICE), "identity", "arguments", "value"),
        of(
            "computation",
            input_hash="?text_not_kept",
            invocation_hash="?text_not_kept",
            computation_hash="?text_not_kept",
            contract_hash="?text_not_kept",
            rows_hash="?rows_not_kept",
            shown="?shown_not_kept",
            capability="?text_not_kept",
        ),
    )
    yield case(
        "a refusal without its spec",
        without(signed(card("rejection"), ALICE), "canonical", "spec"),
        of("rejection", refusal_hash="?text_not_kept", shown="?shown_not_kept"),
    )
    empty = recorded(card("query", rows=[], row_count=0, result="[]"), row_count=0, shown_rows=0)
    yield case("a result without rows", signed(rehashed(empty), ALICE), of("query"))
    many = rehashed(recorded(card("query", row_count=1000), row_count=1000))
    yield case(
        "rows of a result that is too large for its card",
        without(signed(many, ALICE), "canonical", "result"),
        of("query", result_hash="?text_not_kept", shown="?shown_not_kept"),
    )


def rewritten() -> Cases:
    """What front ends and editors do to JSON without changing what it says."""
    made = signed(noted("Zürich 🛫, tab\there", latency_ms=2.0), ALICE)
    text = json.dumps(made, ensure_ascii=False)
    yield case("floats as they were written", text, of("query"))
    yield case("whole floats written as integers", text.replace('"latency_ms": 2.0', '"latency_ms": 2'), of("query"))
    yield case(
        "integers written as floats",
        text.replace('"row_count": 2', '"row_count": 2.0').replace('"version": 1', '"version": 1.0'),
        of("query"),
    )
    yield case("exponents", text.replace('"latency_ms": 2.0', '"latency_ms": 20e-1'), of("query"))
    yield case("every character escaped that can be", json.dumps(made), of("query"))
    yield case("keys in another order, with blanks", json.dumps(made, sort_keys=True, indent=2), of("query"))
    yield case("a newline at the end", text + "\n", of("query"))
    odd = card("query", latency_ms=1e-7, decision_path="\u2028\u007f")
    odd["view"]["source"]["content"] |= {"\U0001f6eb": 1, "\ufb33": 2, "é": -0.0, "tiny": 5e-324, "most": 2**53 - 1}
    odd = recorded(odd, decision_path="\u2028\u007f", sources=[odd["view"]["source"] | {"origin": None}])
    yield case("keys beyond the first plane, numbers at their edges", signed(rehashed(odd), ALICE), of("query"))


def edited_texts() -> Cases:
    """A text, a digest or the view is edited; nothing is hashed anew."""
    older = card("rejection")
    texts = older["canonical"]
    older["digests"]["refusal_hash"] = h("refusal", f"{texts['spec']}\0{texts['resolution']}")
    yield case("a refusal of an earlier version", signed(older, ALICE), of("rejection", refusal_hash="?older_form"))
    reworded = card("rejection")
    told = json.loads(reworded["canonical"]["resolution"]) | {"reason": "The server was busy."}
    reworded["canonical"]["resolution"] = canonical(told)
    reworded["view"]["reason"] = told["reason"]
    made = rehashed(reworded)
    assert made["digests"]["refusal_hash"] == card("rejection")["digests"]["refusal_hash"]
    yield case("a refusal in other words, which its author signed", signed(made, ALICE), of("rejection"))
    unsigned = {"statement": "receipt_of_another_card"}
    words = made | {"receipt": signed(card("rejection"), ALICE)["receipt"]}
    yield case("a refusal in other words than its author signed", words, of("rejection", **unsigned))
    foreign = {"statement": "receipt_of_another_card"}
    for kind, name, hit in (
        ("query", "plan", {"plan_hash": "plan_hash_mismatch"}),
        ("query", "result", {"result_hash": "result_hash_mismatch"}),
        ("computation", "identity", {"invocation_hash": "invocation_hash_mismatch"}),
        ("computation", "arguments", {"input_hash": "input_hash_mismatch"}),
        ("computation", "value", {"computation_hash": "computation_hash_mismatch"}),
        ("clarification", "spec", {"refusal_hash": "refusal_hash_mismatch"}),
        ("rejection", "resolution", {"refusal_hash": "refusal_hash_mismatch"}),
        ("error", "error", {"error_hash": "error_hash_mismatch"}),
        ("replay", "report", {"replay_hash": "replay_hash_mismatch"}),
    ):
        made = signed(card(kind), ALICE)
        text = made["canonical"][name] + " "
        yield case(
            f"a blank after the {name} of a {kind}",
            edited(made, "canonical", name, to=text),
            of(kind, **hit, **foreign),
        )
    made = signed(card("query"), ALICE)
    result = made["canonical"]["result"].replace("1.6", "1.7")
    yield case(
        "a value in the result",
        edited(made, "canonical", "result", to=result),
        of("query", result_hash="result_hash_mismatch", shown="shown_differs", **foreign),
    )
    yield case(
        "a value in the rows",
        edited(made, "view", "rows", 0, 1, to="1.7"),
        of("query", rows_hash="rows_hash_mismatch", shown="shown_differs"),
    )
    yield case(
        "a row taken out",
        edited(made, "view", "rows", to=made["view"]["rows"][:1]),
        of("query", rows_hash="rows_hash_mismatch", shown="shown_differs"),
    )
    yield case(
        "rows in another order",
        edited(made, "view", "rows", to=made["view"]["rows"][::-1]),
        of("query", rows_hash="rows_hash_mismatch", shown="shown_differs"),
    )
    yield case(
        "a number for a text in the rows",
        edited(made, "view", "rows", 0, 1, to=1.6),
        of("query", rows_hash="rows_hash_mismatch", shown="shown_differs"),
    )
    yield case(
        "the question in words",
        edited(made, "view", "question", to="Sum of profit by carrier in flights"),
        of("query", view_hash="view_hash_mismatch", shown="shown_differs"),
    )
    yield case(
        "a field more in the view",
        edited(made, "view", "approved", to=True),
        of("query", view_hash="view_hash_mismatch", shown="shown_differs"),
    )
    yield case(
        "a field less in the view",
        without(made, "view", "notes"),
        of("query", view_hash="view_hash_mismatch", shown="shown_differs"),
    )


def edited_digests() -> Cases:
    foreign = {"statement": "receipt_of_another_card"}
    for kind in KINDS:
        made = signed(card(kind), ALICE)
        for name in made["digests"]:
            before = made["digests"][name]
            last = "0" if before[-1] != "0" else "1"
            hit = {name: f"{name}_mismatch"} | foreign
            # These two are part of what the next hash is over.
            if name in ("plan_hash", "invocation_hash"):
                after = {"plan_hash": "result_hash", "invocation_hash": "computation_hash"}[name]
                hit[after] = f"{after}_mismatch"
            if name == "contract_hash":
                hit |= {"contract": "?contract_unknown", "capability": "capability_not_in_contract"}
            if name == "input_hash":
                hit["shown"] = "shown_differs"
            if name == "rows_hash" and not made["view"]["rows"]:
                hit["rows_hash"] = "?rows_not_kept"
            yield case(f"{name} of a {kind}", edited(made, "digests", name, to=before[:-1] + last), of(kind, **hit))


def rehashed_cards() -> Cases:
    """The forger hashes anew, as everybody can; only the receipt, or its absence, tells."""
    foreign = {"statement": "receipt_of_another_card"}
    made = signed(card("query"), ALICE)
    forged = rehashed(edited(made, "canonical", "result", to=made["canonical"]["result"].replace("1.6", "1.7")))
    forged["view"]["rows"][0][1] = "1.7"
    forged = rehashed(forged)
    yield case("a value, hashed anew", forged, of("query", **foreign))
    yield case(
        "a value, hashed anew, the receipt cut off",
        forged | {"receipt": None},
        of("query", is_signed=False, signature="?unsigned"),
    )
    yield case(
        "the same where no signature is asked for: nothing vouches for it, and the verdict says so",
        forged | {"receipt": None},
        of("query", is_signed=False, signature="?unsigned"),
        keys=(),
    )
    yield case(
        "a value, hashed anew and signed by another key", signed(forged, MALLORY), of("query", signer="?unknown_signer")
    )
    yield case(
        "the same where no key is trusted: the key is named",
        signed(forged, MALLORY),
        of("query", signer="?unknown_signer"),
        keys=(),
    )
    yield case(
        "the view only, hashed anew",
        rehashed(edited(made, "view", "question", to="Sum of profit by carrier in flights")),
        of("query", shown="shown_differs", **foreign),
    )
    yield case(
        "the receipt of another card",
        card("query") | {"receipt": signed(card("query", latency_ms=9.5), ALICE)["receipt"]},
        of("query", **foreign),
    )
    yield case(
        "the receipt of a card of another kind",
        card("rejection") | {"receipt": signed(card("clarification"), ALICE)["receipt"]},
        of("rejection", **foreign),
    )
    swapped = card("computation")
    other = signed(card("computation", value="-0.5"), ALICE)
    yield case(
        "the value of another computation with its digest",
        edited(
            edited(swapped, "canonical", "value", to="-0.5"),
            "digests",
            "computation_hash",
            to=other["digests"]["computation_hash"],
        )
        | {"receipt": signed(swapped, ALICE)["receipt"]},
        of("computation", shown="shown_differs", **foreign),
    )


def contradicted() -> Cases:
    """Everything is hashed and signed, and the view still does not speak of this kind."""
    for kind, status in (
        ("query", "error"),
        ("query", "OK"),
        ("query", None),
        ("computation", "rejected"),
        ("clarification", "rejected"),
        ("rejection", "needs_clarification"),
        ("error", "ok"),
        ("replay", "ok"),
        ("replay", ["identical"]),
    ):
        yield case(
            f"a {kind} that shows {status}",
            signed(card(kind, status=status), ALICE),
            of(kind, kind="kind_contradicted", shown="shown_differs"),
        )
    yield case(
        "a view without a status",
        signed(rehashed(without(card("error"), "view", "status")), ALICE),
        of("error", kind="kind_contradicted", shown="shown_differs"),
    )
    for status in ("differs", "refused"):
        made = card("replay", status=status)
        report = canonical(json.loads(made["canonical"]["report"]) | {"status": status})
        yield case(f"a replay that {status}", signed(card("replay", status=status, report=report), ALICE), of("replay"))
    for what, count in (
        ("fewer", 1),
        ("half a row", 2.5),
        ("a negative number of", -1),
        ("a text for the number of", "2"),
        ("true for the number of", True),
        ("no number of", None),
        ("more than can be counted", 1e300),
    ):
        yield case(
            f"a query that counts {what} rows",
            signed(card("query", row_count=count), ALICE),
            of("query", kind="kind_contradicted", shown="shown_differs"),
        )
    yield case(
        "a query that counts more rows than its result has",
        signed(card("query", row_count=1000), ALICE),
        of("query", shown="shown_differs"),
    )
    no_count = rehashed(without(card("query"), "view", "row_count"))
    yield case(
        "a query without a count", signed(no_count, ALICE), of("query", kind="kind_contradicted", shown="shown_differs")
    )


def strange_texts() -> Cases:
    """Texts whose hashes fit, and that are not what a plan or an identity is; signed, too."""
    for name, plan in (
        ("is a list", "[]"),
        ("is a text", '"plan"'),
        ("is no JSON", "plan"),
        ("is empty", ""),
        ("has a key twice", '{"schema_revision":"S","schema_revision":"S"}'),
        ("has NaN", '{"schema_revision":"S","limit":NaN}'),
        ("has half a surrogate pair", '{"schema_revision":"S","x":"\\ud800"}'),
        ("has text after it", '{"schema_revision":"S"} {}'),
        ("is too deep", '{"schema_revision":"S","x":' + "[" * 64 + "]" * 64 + "}"),
        ("has a number that overflows", '{"schema_revision":"S","x":1e400}'),
        ("has a number of 401 characters", '{"schema_revision":"S","x":0.' + "1" * 399 + "}"),
        ("has a byte order mark", '\ufeff{"schema_revision":"S"}'),
    ):
        made = card("query")
        made["canonical"]["plan"] = plan.replace('"S"', f'"{made["digests"]["schema_revision"]}"')
        yield case(
            f"a plan that {name}",
            signed(replanned(made), ALICE),
            of(
                "query",
                plan_hash="plan_hash_mismatch",
                schema_revision="schema_revision_mismatch",
                shown="shown_differs",
            ),
        )
    for name, plan, hit in (
        ("without a schema", '{"metric":"delay"}', True),
        ("that is an empty object", "{}", True),
        ("with the schema deeper down", '{"plan":{"schema_revision":"S"}}', True),
        ("with blanks and a newline", ' {\n"schema_revision" : "S" }\n', False),
        ("with a large whole number", '{"limit":100000000000000000000,"schema_revision":"S"}', False),
    ):
        made = card("query")
        made["canonical"]["plan"] = plan.replace('"S"', f'"{made["digests"]["schema_revision"]}"')
        causes = {"schema_revision": "schema_revision_mismatch"} if hit else {}
        yield case(f"a plan {name}", signed(replanned(made), ALICE), of("query", shown="shown_differs", **causes))
    made = card("computation")
    made["canonical"]["identity"] = "[]"
    made["digests"]["invocation_hash"] = h("invocation", "[]")
    made["digests"]["computation_hash"] = h("computation", h("invocation", "[]") + made["canonical"]["value"])
    yield case(
        "an identity that is a list",
        signed(made, ALICE),
        of(
            "computation",
            invocation_hash="invocation_hash_mismatch",
            contract_hash="contract_hash_mismatch",
            shown="shown_differs",
            capability="call_misfit",
        ),
    )
    yield case(
        "a result that is no JSON: its bytes are hashed as they stand",
        signed(card("query", result="not json\u0000"), ALICE),
        of("query", shown="shown_differs"),
    )


def replanned(made: Json) -> Json:
    plan_hash = h("plan", made["canonical"]["plan"])
    made["digests"] |= {"plan_hash": plan_hash, "result_hash": h("result", plan_hash + made["canonical"]["result"])}
    return made


def forms() -> Cases:
    made, call = signed(card("query"), ALICE), signed(card("computation"), ALICE)
    malformed = bad_form("malformed_card")
    for key in ("version", "canonical", "digests", "receipt", "view"):
        yield case(f"no {key}", without(made, key), malformed)
    yield case("a key more", made | {"note": "approved"}, malformed)
    for key, values in (
        ("version", ("1", True, None, [1], -1, 1.5, 1e300)),
        ("kind", (1, None, ["query"])),
        ("canonical", (None, [], "plan")),
        ("digests", (None, [], "0" * 64)),
        ("receipt", ([], "signed", 1, False)),
        ("view", (None, [], "ok")),
    ):
        for value in values:
            yield case(f"{key} is {json.dumps(value)}", made | {key: value}, malformed)
    for version in (0, 2, 2.0, 2**53 - 1):
        yield case(f"version {version}", made | {"version": version}, bad_form("unknown_version"))
    for kind in ("Query", "refusal", "", "__proto__", "constructor", "query "):
        yield case(f"kind {kind!r}", made | {"kind": kind}, bad_form("unknown_kind"))
    yield case("another version of an unknown kind", made | {"version": 2, "kind": "x"}, bad_form("unknown_version"))
    yield case("another version in another form", made | {"version": 2, "view": []}, bad_form("unknown_version"))
    yield case("an unknown kind in another form", made | {"kind": "x", "view": []}, bad_form("unknown_kind"))
    yield case("kind computation over a query", made | {"kind": "computation"}, malformed)
    yield case(
        "kind clarification over a rejection",
        card("rejection") | {"kind": "clarification"},
        of("clarification", is_signed=False, kind="kind_contradicted", shown="shown_differs", signature="?unsigned"),
        keys=(),
    )
    yield case("an unknown text", edited(made, "canonical", "rows", to="[]"), malformed)
    yield case("a text named __proto__", json.dumps(made).replace('"result":', '"__proto__":'), malformed)
    yield case("a text that is a number", edited(made, "canonical", "result", to=1), malformed)
    yield case("a text that is null", edited(made, "canonical", "result", to=None), malformed)
    yield case("rows that are no list", edited(made, "view", "rows", to={}), malformed)
    yield case("rows that are null", edited(made, "view", "rows", to=None), malformed)
    yield case("no rows_hash where the view has rows", without(made, "digests", "rows_hash"), malformed)
    yield case("rows_hash where the view has no rows", without(made, "view", "rows"), malformed)
    for name in ("plan_hash", "result_hash", "schema_revision", "view_hash"):
        yield case(f"no {name}", without(made, "digests", name), malformed)
    yield case("a digest more", edited(made, "digests", "extra_hash", to="0" * 64), malformed)
    full = made["digests"]["plan_hash"]
    for what, value in (
        ("in capitals", full.upper()),
        ("too short", full[:-1]),
        ("too long", full + "0"),
        ("with a newline", full + "\n"),
        ("with sha256: before it", f"sha256:{full}"),
        ("of other digits", "g" * 64),
        ("of digits beyond ASCII", "٣" * 64),
        ("null", None),
        ("a number", 10**15),
    ):
        yield case(f"a digest that is {what}", edited(made, "digests", "plan_hash", to=value), malformed)
    plain = call["digests"]["contract_hash"].removeprefix("sha256:")
    yield case("a contract_hash without sha256:", edited(call, "digests", "contract_hash", to=plain), malformed)
    yield case("a card that is a list", "[]", bad_form("unknown_document", "document"))


def raw_json() -> Cases:
    """JSON that two readers could understand differently, or not at all."""
    text = json.dumps(signed(card("query"), ALICE), ensure_ascii=False)
    broken = bad_form("malformed_json", "document")
    with_view = text.replace('"view": {', '"view": {%s, ')
    for name, document in (
        ("an empty document", ""),
        ("blanks only", "  \n"),
        ("cut in the middle", text[: len(text) // 2]),
        ("the last brace missing", text[:-1]),
        ("text after the end", text + "{}"),
        ("a NUL after the end", text + "\0"),
        ("a comma after the last value", text[:-1] + ",}"),
        ("a comment", "// a card\n" + text),
        ("single quotes", text.replace('"version"', "'version'")),
        ("a key without quotes", text.replace('"version"', "version")),
        ("a key twice", text[:-1] + ', "kind": "query"}'),
        ("a key twice, one of them escaped", text[:-1] + ', "\\u006bind": "query"}'),
        ("a key twice in the view", with_view % '"status": "ok"'),
        ("a key twice, deep", with_view % '"x": [{"a": {"b": 1, "b": 2}}]'),
        ("NaN", with_view % '"x": NaN'),
        ("Infinity", with_view % '"x": Infinity'),
        ("-Infinity", with_view % '"x": -Infinity'),
        ("a tab in a string", with_view % '"x": "\t"'),
        ("a newline in a string", with_view % '"x": "\n"'),
        ("an unknown escape", with_view % '"x": "\\x41"'),
        ("an escape cut short", with_view % '"x": "\\u00"'),
        ("half of a surrogate pair, escaped", with_view % '"x": "\\ud83d"'),
        ("the other half", with_view % '"x": "\\udeeb"'),
        ("halves in the wrong order", with_view % '"x": "\\udeeb\\ud83d"'),
        ("half of a surrogate pair in a key", with_view % '"\\ud83d": 1'),
        ("a leading zero", with_view % '"x": 01'),
        ("a leading plus", with_view % '"x": +1'),
        ("a point without digits", with_view % '"x": 1.'),
        ("a point without a whole part", with_view % '"x": .5'),
        ("a hexadecimal number", with_view % '"x": 0x10'),
        ("digits of another script", with_view % '"x": ٣'),
        ("a no-break space between values", text.replace('"version": 1', '"version":\u00a01')),
        ("True for true", with_view % '"x": True'),
    ):
        yield case(name, document, broken)
    long, unsafe = "1" * 401, bad_form("unsafe_number", "document")
    yield case("a key without quotes, then a number of 401 digits", with_view % f"x: {long}", broken)
    yield case("a number of 401 digits, then a key without quotes", with_view % f'"x": {long}, y: 1', unsafe)
    yield case("a number of 401 digits, then the end", text[:-1] + f', "x": {long}', unsafe)
    yield case("a text of 401 digits, then the end", text[:-1] + f', "x": "{long}"', broken)
    yield case(
        "a number of 401 digits, then a byte order mark before all", "\ufeff" + (with_view % f'"x": {long}'), broken
    )
    yield case("a byte order mark", "\ufeff" + text, broken)
    yield case("UTF-16", text.encode("utf-16"), broken)
    yield case("UTF-16 without a mark", text.encode("utf-16-le"), broken)
    yield case("a byte that is no UTF-8", text.encode().replace(b"flights", b"fl\xffghts", 1), broken)
    yield case("an overlong encoding", text.encode().replace(b"flights", b"fl\xc0\xafghts", 1), broken)
    yield case("a surrogate in UTF-8", text.encode().replace(b"flights", b"fl\xed\xa0\x80ghts", 1), broken)
    yield case(
        "a whole surrogate pair, escaped",
        with_view % '"x": "\\ud83d\\udeeb"',
        of("query", view_hash="view_hash_mismatch", shown="shown_differs"),
    )
    yield case(
        "a backslash before what looks like a surrogate",
        with_view % '"x": "\\\\ud83d"',
        of("query", view_hash="view_hash_mismatch", shown="shown_differs"),
    )
    for name, document in (("null", "null"), ("a text", '"card"'), ("a number", "1"), ("true", "true"), ("{}", "{}")):
        yield case(f"a document that is {name}", document, bad_form("unknown_document", "document"))


def numbers_and_depth() -> Cases:
    text = json.dumps(signed(card("query"), ALICE), ensure_ascii=False)
    with_view = text.replace('"view": {', '"view": {%s, ')
    unsafe = bad_form("unsafe_number")
    changed = of("query", view_hash="view_hash_mismatch", shown="shown_differs")
    for name, number in (
        ("2**53", "9007199254740992"),
        ("-2**53", "-9007199254740992"),
        ("2**63", "9223372036854775808"),
        ("400 digits", "1" * 400),
    ):
        yield case(f"the integer {name}", with_view % f'"x": {number}', unsafe)
    yield case("a large integer in a list", with_view % '"x": [[9007199254740993]]', unsafe)
    yield case(
        "a large integer as an index in the receipt", text.replace('"index": 4', '"index": 9007199254740993'), unsafe
    )
    yield case(
        "a large integer as the version",
        text.replace('"version": 1, "canonical"', '"version": 9007199254740993, "canonical"'),
        unsafe,
    )
    overflowing = bad_form("unsafe_number", "document")
    for name, number in (
        ("1e309", "1e309"),
        ("-1e309", "-1e309"),
        ("1e99999", "1e99999"),
        ("401 digits", "1" * 401),
        ("a minus and 400 digits", "-" + "1" * 400),
        ("a fraction of 401 characters", "0." + "1" * 399),
        ("5,000 digits", "1" * 5_000),
    ):
        yield case(f"the number {name}", with_view % f'"x": {number}', overflowing)
    for name, number in (
        ("2**53 - 1", "9007199254740991"),
        ("1e308", "1e308"),
        ("1e-400, which is zero", "1e-400"),
        ("a large whole float", "9007199254740993.0"),
        ("a fraction of 400 characters", "0." + "1" * 398),
        ("-0", "-0"),
    ):
        yield case(f"the number {name} is one that readers keep", with_view % f'"x": {number}', changed)
    yield case("a text of 5,000 digits is a text", with_view % f'"x": "{"1" * 5_000}"', changed)
    deep = bad_form("too_deep", "document")
    yield case("nested 64 deep", with_view % ('"x": ' + "[" * 62 + "]" * 62), changed)
    yield case("nested 65 deep", with_view % ('"x": ' + "[" * 63 + "]" * 63), deep)
    yield case("nested 65 deep in objects", with_view % ('"x": ' + '{"x":' * 63 + "1" + "}" * 63), deep)
    yield case("100,000 brackets", "[" * 100_000, deep)
    yield case("brackets in a text", with_view % f'"x": "{"[" * 500}"', changed)


def cases() -> Cases:
    for group in (good, kept_out, rewritten, edited_texts, edited_digests, rehashed_cards, contradicted, strange_texts):
        yield from group()


def form_cases() -> Cases:
    for group in (forms, raw_json, numbers_and_depth):
        yield from group()
