"""Cases of receipts: what is said, who signed it, and that a ledger holds it, each forged in its own way."""

from __future__ import annotations

import copy
import hashlib
import hmac
import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from securesystemslib.dsse import Envelope

from tests.vectors import odd_signatures
from tests.vectors.evidence_cards import edited, without
from tests.vectors.evidence_cases import ALICE, BOB, MALLORY, Cases, case, of
from tests.vectors.evidence_maker import (
    PAYLOAD_TYPE,
    Json,
    Key,
    b64,
    canonical,
    card,
    envelope,
    leaf,
    mth,
    note,
    path,
    receipt,
    rehashed,
    signed,
    statement,
)

QUERY = card("query")
GOOD = signed(QUERY, ALICE)
PAYLOAD = canonical(statement(QUERY)).encode()
MALFORMED = of("query", signature="receipt_malformed")
INVALID = of("query", signature="signature_invalid")


def with_receipt(made: Json) -> Json:
    return copy.deepcopy(QUERY) | {"receipt": made}


def resigned(payload: bytes | str | Json, key: Key = ALICE) -> Json:
    """The query with a receipt for any statement, signed and in a ledger."""
    if isinstance(payload, dict):
        payload = canonical(payload)
    return with_receipt(receipt(payload.encode() if isinstance(payload, str) else payload, key))


def within(*way: Any, to: Any) -> Json:
    return edited(GOOD, "receipt", *way, to=to)


def signature(value: bytes) -> Json:
    return within("envelope", "signatures", 0, "sig", to=b64(value))


# --- envelopes ----------------------------------------------------------------------------------------------------


def shapes() -> Cases:
    for way in (
        ["version"],
        ["envelope"],
        ["public_key"],
        ["log"],
        ["envelope", "payloadType"],
        ["envelope", "payload"],
        ["envelope", "signatures"],
        ["envelope", "signatures", 0, "keyid"],
        ["envelope", "signatures", 0, "sig"],
        ["log", "index"],
        ["log", "size"],
        ["log", "proof"],
        ["log", "checkpoint"],
    ):
        yield case(f"no {way[-1]} in {way[0]}", without(GOOD, "receipt", *way), MALFORMED)
        yield case(f"{way[-1]} in {way[0]} is null", within(*way, to=None), MALFORMED)
    for way in ([], ["envelope"], ["envelope", "signatures", 0], ["log"]):
        yield case(f"a key more in {way[-1] if way else 'the receipt'}", within(*way, "alg", to="none"), MALFORMED)
    yield case("an empty receipt", with_receipt({}), MALFORMED)
    for value in (0, 2, "1", True, 1.5, -1):
        yield case(f"version {json.dumps(value)} of the receipt", within("version", to=value), MALFORMED)
    yield case("no signature", within("envelope", "signatures", to=[]), MALFORMED)
    one = GOOD["receipt"]["envelope"]["signatures"][0]
    yield case("the signature twice", within("envelope", "signatures", to=[one, one]), MALFORMED)
    second = envelope(PAYLOAD, MALLORY)["signatures"][0]
    yield case("a second signature", within("envelope", "signatures", to=[one, second]), MALFORMED)
    yield case("signatures are an object", within("envelope", "signatures", to={"0": one}), MALFORMED)
    for name in ("index", "size"):
        for value in (-1, 4.5, "4", True, 1e300):
            yield case(f"{name} is {json.dumps(value)}", within("log", name, to=value), MALFORMED)
    yield case("index and size as floats", json.dumps(GOOD).replace('"index": 4', '"index": 4.0'), of("query"))
    first = GOOD["receipt"]["log"]["proof"][0]
    for what, value in (
        ("in capitals", first.upper()),
        ("too short", first[:-2]),
        ("too long", first + "00"),
        ("with a blank", " " + first[1:]),
        ("a number", 1),
        ("null", None),
    ):
        yield case(f"a hash of the proof is {what}", within("log", "proof", 0, to=value), MALFORMED)
    yield case("the proof is a text", within("log", "proof", to=first), MALFORMED)


def encodings() -> Cases:
    """Base64 that some readers take: only the one canonical text is right."""
    env = GOOD["receipt"]["envelope"]
    for name, way, text in (
        ("payload", ("envelope", "payload"), env["payload"]),
        ("sig", ("envelope", "signatures", 0, "sig"), env["signatures"][0]["sig"]),
        ("public_key", ("public_key",), GOOD["receipt"]["public_key"]),
    ):
        for what, value in (
            ("empty" if name != "payload" else "a blank", "" if name != "payload" else " "),
            ("with a newline at the end", text + "\n"),
            ("with a newline inside", text[:4] + "\n" + text[4:]),
            ("with a blank before it", " " + text),
            ("with a padding more", text + "="),
            ("with four characters of padding more", text + "===="),
            ("not of base64", "*" + text[1:]),
            ("cut by one", text[:-1] if text.endswith("=") else text[:-2]),
            ("hexadecimal", "ab" * 33),
            ("a list", [text]),
            ("with a letter of another script", "\u0430" + text[1:]),
        ):
            yield case(f"{name} is {what}", within(*way, to=value), MALFORMED)
    for name, way, text in (
        ("sig", ("envelope", "signatures", 0, "sig"), env["signatures"][0]["sig"]),
        ("public_key", ("public_key",), GOOD["receipt"]["public_key"]),
    ):
        stripped_, pad = text.rstrip("="), text.count("=")
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        stray = stripped_[:-1] + alphabet[alphabet.index(stripped_[-1]) + 1] + "=" * pad
        yield case(f"{name} with stray bits in the last digit", within(*way, to=stray), MALFORMED)
    spaced = canonical(statement(QUERY, place={"notebook": "subjects?>>>???.ipynb"})).encode()
    made = resigned(spaced)
    text = made["receipt"]["envelope"]["payload"]
    assert set(text) & {"+", "/"}
    urlsafe = text.translate(str.maketrans("+/", "-_"))
    yield case(
        "payload in the alphabet for addresses", edited(made, "receipt", "envelope", "payload", to=urlsafe), MALFORMED
    )


def signatures() -> Cases:
    good = ALICE.sign(Envelope(PAYLOAD, PAYLOAD_TYPE, {}).pae())
    for at in (0, 31, 32, 63):
        flipped = bytearray(good)
        flipped[at] ^= 1
        yield case(f"bit 0 of byte {at} of the signature", signature(bytes(flipped)), INVALID)
    yield case("R and S exchanged", signature(good[32:] + good[:32]), INVALID)
    yield case(
        "a byte of the payload", within("envelope", "payload", to=b64(PAYLOAD.replace(b"query_0", b"query_1"))), INVALID
    )
    yield case("a payload that is no JSON any more", within("envelope", "payload", to=b64(PAYLOAD[:-1])), INVALID)
    yield case("an empty payload", within("envelope", "payload", to=""), INVALID)
    yield case("a blank after the payload", within("envelope", "payload", to=b64(PAYLOAD + b" ")), INVALID)
    yield case(
        "the payload of another entry",
        within("envelope", "payload", to=b64(canonical(statement(QUERY, 9)).encode())),
        INVALID,
    )
    yield case("another keyid", within("envelope", "signatures", 0, "keyid", to=BOB.keyid), INVALID)
    yield case("an empty keyid", within("envelope", "signatures", 0, "keyid", to=""), INVALID)
    yield case("keyid in capitals", within("envelope", "signatures", 0, "keyid", to=ALICE.keyid.upper()), INVALID)
    yield case("another public key, keyid kept", within("public_key", to=MALLORY.text), INVALID)
    other = edited(
        within("public_key", to=MALLORY.text), "receipt", "envelope", "signatures", 0, "keyid", to=MALLORY.keyid
    )
    yield case("another public key with its keyid", other, INVALID)
    as_alice = edited(signed(QUERY, MALLORY), "receipt", "envelope", "signatures", 0, "keyid", to=ALICE.keyid)
    yield case("signed by another key under the trusted keyid", as_alice, INVALID)
    yield case(
        "the same with the trusted public key", edited(as_alice, "receipt", "public_key", to=ALICE.text), INVALID
    )
    yield case("signed by a key that nobody trusts", signed(QUERY, MALLORY), of("query", signer="?unknown_signer"))
    yield case("the payload itself is signed", signature(ALICE.sign(PAYLOAD)), INVALID)
    yield case("its base64 is signed", signature(ALICE.sign(b64(PAYLOAD).encode())), INVALID)
    yield case("its hash is signed", signature(ALICE.sign(hashlib.sha256(PAYLOAD).digest())), INVALID)
    another = Envelope(PAYLOAD, "application/json", {}).pae()
    yield case("signed as another type", signature(ALICE.sign(another)), INVALID)
    yield case(
        "another type, signed so",
        with_receipt(receipt(PAYLOAD, ALICE) | {"envelope": envelope(PAYLOAD, ALICE, "application/json")}),
        MALFORMED,
    )
    yield case("another type", within("envelope", "payloadType", to="application/json"), MALFORMED)
    yield case("the type in capitals", within("envelope", "payloadType", to=PAYLOAD_TYPE.upper()), MALFORMED)
    yield case(
        "signed without the lengths",
        signature(ALICE.sign(b"DSSEv1 " + PAYLOAD_TYPE.encode() + b" " + PAYLOAD)),
        INVALID,
    )


def other_algorithms() -> Cases:
    """The algorithm is the key's: nothing in the envelope can ask for another, or for none."""
    pae = Envelope(PAYLOAD, PAYLOAD_TYPE, {}).pae()
    for name, secret in (("the public key", ALICE.public), ("its base64", ALICE.text.encode()), ("no key", b"")):
        digest = hmac.new(secret, pae, "sha256").digest()
        yield case(f"an HMAC under {name}", signature(digest), MALFORMED)
        yield case(f"an HMAC under {name}, twice over", signature(digest * 2), INVALID)
        yield case(f"an HMAC-SHA512 under {name}", signature(hmac.new(secret, pae, "sha512").digest()), INVALID)
    for algorithm in ("none", "HS256", "RS256", "EdDSA"):
        made = within("envelope", "signatures", 0, "alg", to=algorithm)
        yield case(f"a signature that names {algorithm}", made, MALFORMED)
    made = edited(
        within("envelope", "signatures", 0, "alg", to="none"), "receipt", "envelope", "signatures", 0, "sig", to=""
    )
    yield case("the algorithm none and an empty signature", made, MALFORMED)
    # A fixed RSA key: primes of 1,024 bits are not searched anew at each run.
    der, sig = rsa_parts(pae)
    yield case(
        "an RSA key and its signature",
        edited(within("public_key", to=b64(der)), "receipt", "envelope", "signatures", 0, "sig", to=b64(sig)),
        MALFORMED,
    )
    yield case("an RSA signature under the trusted key", signature(sig), MALFORMED)
    yield case("the first 64 bytes of an RSA signature", signature(sig[:64]), INVALID)
    yield case("the last 32 bytes of an RSA key", within("public_key", to=b64(der[-32:])), INVALID)
    yield case(
        "the public key in DER",
        within("public_key", to=b64(bytes.fromhex("302a300506032b6570032100") + ALICE.public)),
        MALFORMED,
    )


def rsa_parts(message: bytes) -> tuple[bytes, bytes]:
    """An RSA key in DER and a signature, PKCS 1 v1.5, which is the same at each run."""
    p = 2**521 - 1
    q = 2**607 - 1
    e = 65537
    d = pow(e, -1, (p - 1) * (q - 1))
    public = rsa.RSAPublicNumbers(e, p * q)
    numbers = rsa.RSAPrivateNumbers(p, q, d, d % (p - 1), d % (q - 1), pow(q, -1, p), public)
    private = numbers.private_key(unsafe_skip_rsa_key_validation=True)
    der = private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return der, private.sign(message, padding.PKCS1v15(), SHA256())


def odd() -> Cases:
    for name, key in odd_signatures.REFUSED.items():
        yield case(f"refused: {name}", with_receipt(receipt(PAYLOAD, key)), INVALID, keys=(key.text,))
    for name, key in odd_signatures.ACCEPTED.items():
        yield case(f"accepted: {name}", with_receipt(receipt(PAYLOAD, key)), of("query"), keys=(key.text,))
    for name in ("S plus the order of the base point", "R off by a point of small order"):
        key = odd_signatures.REFUSED[name]
        log = {"log": receipt(PAYLOAD, key)["log"]}
        made = with_receipt(receipt(PAYLOAD, odd_signatures.HONEST) | log)
        yield case(f"on the checkpoint: {name}", made, of("query", checkpoint="checkpoint_invalid"), keys=(key.text,))


# --- statements ---------------------------------------------------------------------------------------------------


NO_TIMES = (
    *("", "yesterday", "0", "2026-11-21", "2026-11-21T13:22:52", "2026-11-21 13:22:52Z", "2026-11-21t13:22:52z"),
    *("2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-32T00:00:00Z", "2026-01-00T00:00:00Z"),
    *("2026-11-21T24:00:00Z", "2026-11-21T13:60:00Z", "2026-11-21T13:22:61Z", "2026-11-21T13:22:52.Z"),
    *("2026-11-21T13:22:52.1234567890Z", "2026-11-21T13:22:52+24:00", "2026-11-21T13:22:52+0100"),
    *("2026-11-21T13:22:52Z ", "\n2026-11-21T13:22:52Z", "2026-11-21T13:22:52Z\n", "+002026-11-21T13:22:52Z"),
    "٢٠٢٦-11-21T13:22:52Z",
)


def statements() -> Cases:
    """The right key has signed something that is no statement, or a statement of something else."""
    said = statement(QUERY)
    malformed = of("query", statement="statement_malformed")
    another = of("query", statement="receipt_of_another_card")
    yield case("a statement with blanks, in another order", resigned(json.dumps(said, indent=1)), of("query"))
    more = said | {"subject": [*said["subject"], {"name": "extra", "digest": {"sha256": "0" * 64}}]}
    yield case("a subject that the card does not hold", resigned(more), of("query"))
    yield case(
        "a tenant and no place",
        resigned(statement(QUERY, tenant="t", place=None)),
        of("query"),
    )
    for what, told in (
        ("other inputs", {"inputs": [{"name": "flights"}]}),
        ("no inputs", {"inputs": []}),
        ("bindings", {"bindings": [{}]}),
        ("a run", {"determinism": {}}),
        ("another id", {"id": "query_ffffffffffffffff"}),
    ):
        yield case(
            f"a statement of {what}",
            resigned(statement(QUERY, **told)),
            of("query", statement="receipt_of_another_card"),
        )
    source = json.loads(QUERY["canonical"]["provenance"])["sources"][0]
    for what in ({"origin": None}, {"origin": None, "reading": None}):
        shorter = statement(QUERY, inputs=[source | what])
        yield case(f"a statement without the {' and the '.join(what)} of a source", resigned(shorter), of("query"))
    for time in ("2026-11-21T13:22:52Z", "2026-11-21T14:22:52.123456789+01:00", "2016-12-31T23:59:60Z"):
        yield case(f"at {time}", resigned(statement(QUERY, time=time)), of("query"))
    for time in NO_TIMES:
        yield case(f"at {json.dumps(time)}", resigned(statement(QUERY, time=time)), malformed)
    for name, payload in (
        ("no JSON", "statement"),
        ("empty", ""),
        ("a list", "[]"),
        ("null", "null"),
        ("the card itself", canonical(QUERY)),
        ("with a key twice", canonical(said)[:-1] + ',"predicateType":"urn:service-nb:query:v1"}'),
        ("with NaN", canonical(said).replace('"tenant":null', '"tenant":NaN')),
        ("with a byte order mark", "\ufeff" + canonical(said)),
        ("with text after it", canonical(said) + "\0"),
        ("with a number that overflows", canonical(said).replace('"version":1', '"version":1e999')),
        ("nested 65 deep", canonical(said).replace('"bindings":[]', '"bindings":' + "[" * 63 + "]" * 63)),
    ):
        yield case(f"what is signed is {name}", resigned(payload), malformed)
    yield case("what is signed is no UTF-8", resigned(b"\xff" + canonical(said).encode()), malformed)
    for key in said:
        yield case(f"a statement without {key}", resigned({k: v for k, v in said.items() if k != key}), malformed)
    yield case("a statement with a key more", resigned(said | {"note": 1}), malformed)
    for key in said["predicate"]:
        left = {k: v for k, v in said["predicate"].items() if k != key}
        yield case(f"a predicate without {key}", resigned(said | {"predicate": left}), malformed)
    yield case("a predicate with a key more", resigned(statement(QUERY, note=1)), malformed)
    for key, value in (
        ("version", 2),
        ("version", "1"),
        ("version", True),
        ("id", 1),
        ("kind", None),
        ("kind", "refusal"),
        ("time", 1),
        ("tenant", 1),
        ("digests", []),
        ("inputs", {}),
        ("bindings", None),
        ("determinism", []),
        ("place", "report.ipynb"),
        ("made_by", None),
    ):
        yield case(
            f"{key} of the predicate is {json.dumps(value)}", resigned(statement(QUERY, **{key: value})), malformed
        )
    for key, value in (
        ("_type", "https://in-toto.io/Statement/v0.1"),
        ("predicateType", "urn:service-nb:computation:v1"),
        ("predicateType", "urn:service-nb:query:v2"),
        ("predicateType", "urn:service-nb:index:v1"),
        ("predicateType", None),
        ("predicate", []),
        ("subject", {}),
        ("subject", [1]),
    ):
        yield case(f"{key} of the statement is {json.dumps(value)}", resigned(said | {key: value}), malformed)
    plan = said["subject"][0]
    for name, subject in (
        ("twice", [*said["subject"], plan]),
        ("twice with two digests", [*said["subject"], plan | {"digest": {"sha256": "0" * 64}}]),
        ("without a digest", [{"name": "plan"}, said["subject"][1]]),
        ("with two digests", [plan | {"digest": plan["digest"] | {"sha512": "0" * 128}}, said["subject"][1]]),
        (
            "with a digest in capitals",
            [plan | {"digest": {"sha256": plan["digest"]["sha256"].upper()}}, said["subject"][1]],
        ),
        ("with a digest that is short", [plan | {"digest": {"sha256": "0" * 63}}, said["subject"][1]]),
        ("with a number for its name", [plan | {"name": 1}, said["subject"][1]]),
        ("with a key more", [plan | {"uri": "x"}, said["subject"][1]]),
    ):
        yield case(f"a subject {name}", resigned(said | {"subject": subject}), malformed)
    yield case("no subject", resigned(said | {"subject": []}), another)
    yield case("no subject for the result", resigned(said | {"subject": said["subject"][:1]}), another)
    yield case(
        "the subjects exchanged",
        resigned(said | {"subject": [said["subject"][0] | {"name": "result"}, said["subject"][1] | {"name": "plan"}]}),
        another,
    )
    yield case(
        "digests of another card", resigned(statement(QUERY, digests=card("query", latency_ms=1.0)["digests"])), another
    )
    yield case(
        "a digest less",
        resigned(statement(QUERY, digests={k: v for k, v in QUERY["digests"].items() if k != "rows_hash"})),
        another,
    )
    yield case("a digest more", resigned(statement(QUERY, digests=QUERY["digests"] | {"extra": "0" * 64})), another)
    yield case("a statement of another kind", resigned(statement(card("error"))), another)
    made = edited(card("query"), "canonical", "plan", to=QUERY["canonical"]["plan"] + " ")
    yield case(
        "a text that is not the signed one",
        rehashed(made) | {"receipt": resigned(statement(rehashed(made)) | {"subject": said["subject"]})["receipt"]},
        another,
    )


# --- ledgers ------------------------------------------------------------------------------------------------------


def inclusions() -> Cases:
    missed = of("query", inclusion="inclusion_invalid")
    log = GOOD["receipt"]["log"]
    proof = log["proof"]
    for index in (0, 3, 5, 6, 7, 2**53 - 1):
        yield case(f"index {index} for 4", within("log", "index", to=index), missed)
    for size in (0, 4, 5, 6, 8, 2**53 - 1):
        yield case(f"size {size} for 7", within("log", "size", to=size), missed)
    for name, value in (
        ("empty", []),
        ("without its first hash", proof[1:]),
        ("without its last hash", proof[:-1]),
        ("with its first hash twice", [proof[0], *proof]),
        ("with its last hash twice", [*proof, proof[-1]]),
        ("turned round", proof[::-1]),
        ("with a hash of zeros", ["0" * 64, *proof[1:]]),
        ("of 10,000 hashes", proof[:1] * 1_000),
    ):
        yield case(f"a proof {name}", within("log", "proof", to=value), missed)
    other = [leaf(b"another %d" % at) for at in range(7)]
    yield case(
        "the proof of another ledger", within("log", "proof", to=[value.hex() for value in path(4, other)]), missed
    )
    yield case("the checkpoint of another ledger", within("log", "checkpoint", to=note(7, mth(other), ALICE)), missed)
    yield case("the checkpoint of an empty ledger", within("log", "checkpoint", to=note(0, mth([]), ALICE)), missed)
    alone = edited(within("log", "size", to=1), "receipt", "log", "index", to=0)
    yield case("a ledger of this one entry, with the old checkpoint", alone, missed)
    # The root of a tree is no leaf: its bytes, without 0x01, as an entry of a tree of one.
    yield case(
        "an entry of a ledger of one, the root its hash without 0x00",
        with_receipt(
            receipt(PAYLOAD, ALICE)
            | {
                "log": {
                    "index": 0,
                    "size": 1,
                    "proof": [],
                    "checkpoint": note(1, hashlib.sha256(PAYLOAD).digest(), ALICE),
                }
            }
        ),
        missed,
    )
    yield case(
        "no entry of an empty ledger",
        with_receipt(
            receipt(PAYLOAD, ALICE)
            | {"log": {"index": 0, "size": 0, "proof": [], "checkpoint": note(0, mth([]), ALICE)}}
        ),
        missed,
    )


def checkpoints() -> Cases:
    leaves = [leaf(PAYLOAD if at == 4 else b"entry %d" % at) for at in range(7)]
    root, text = mth(leaves), GOOD["receipt"]["log"]["checkpoint"]
    lines = text.split("\n")
    name, sig = lines[4].split(" ")[1:]
    broken = of("query", inclusion="checkpoint_malformed", checkpoint="checkpoint_invalid")
    for what, value in (
        ("empty", ""),
        ("without its last newline", text[:-1]),
        ("with a newline more", text + "\n"),
        ("without the empty line", text.replace("\n\n", "\n")),
        ("with two empty lines", text.replace("\n\n", "\n\n\n")),
        ("with CRLF", text.replace("\n", "\r\n")),
        ("with a blank at the end of a line", text.replace("\n7\n", "\n7 \n")),
        ("with an extension line", text.replace("\n\n", "\nextension\n\n")),
        ("with a hyphen for the dash", text.replace("—", "-")),
        ("with two signatures", text + lines[4] + "\n"),
        ("with a signature of a witness", text + lines[4].replace(name, "witness.example/1") + "\n"),
        ("with the size 07", text.replace("\n7\n", "\n07\n")),
        ("with the size +7", text.replace("\n7\n", "\n+7\n")),
        ("with the size -7", text.replace("\n7\n", "\n-7\n")),
        ("with the size 7.0", text.replace("\n7\n", "\n7.0\n")),
        ("with the size in another script", text.replace("\n7\n", "\n\u0667\n")),
        ("with a size beyond 2**53 - 1", text.replace("\n7\n", "\n9007199254740992\n")),
        ("with a size of 400 digits", text.replace("\n7\n", "\n" + "7" * 400 + "\n")),
        ("with a root of 31 bytes", text.replace(lines[2], b64(root[:-1]))),
        ("with a root of 33 bytes", text.replace(lines[2], b64(root + b"\0"))),
        ("with a root in hexadecimal", text.replace(lines[2], root.hex())),
        ("of another program", text.replace("service-nb/0", "example.org/0", 1)),
        ("whose ledger is named in capitals", text.replace("aabbccddeeff", "AABBCCDDEEFF")),
        ("whose ledger has 31 digits", text.replace("aabbccddeeff", "aabbccddeef")),
        ("signed by a name of another form", text.replace("/device/", "/user/")),
        ("whose key name has a plus", text.replace("/device/", "/device+")),
        ("with a signature of 63 bytes", text.replace(sig, b64(b"\0" * 67))),
        ("with a signature of 65 bytes", text.replace(sig, b64(b"\0" * 69))),
        ("with a signature that is not base64", text.replace(sig, "*" + sig[1:])),
        ("of 100,000 characters", text + "x" * 100_000),
    ):
        yield case(f"a checkpoint {what}", within("log", "checkpoint", to=value), broken)
    unsigned = of("query", checkpoint="checkpoint_invalid")
    yield case("a checkpoint without a signature", within("log", "checkpoint", to=note(7, root, None)), unsigned)
    yield case("a checkpoint by another key", within("log", "checkpoint", to=note(7, root, MALLORY)), unsigned)
    as_alice = note(7, root, MALLORY).replace(MALLORY.keyid, ALICE.keyid)
    yield case(
        "a checkpoint by another key under the name of this one", within("log", "checkpoint", to=as_alice), unsigned
    )
    hint = hashlib.sha256(f"service-nb/device/{ALICE.keyid}\n\x01".encode() + ALICE.public).digest()[:4]
    body = text[: text.index("\n\n") + 1]
    for what, data in (
        ("of another ledger under this one's signature", None),
        ("whose key hash is zero", b"\0" * 4 + ALICE.sign(body.encode())),
        ("whose signature is zero", hint + b"\0" * 64),
        ("signed with the empty line", hint + ALICE.sign((body + "\n").encode())),
        ("signed without the last newline", hint + ALICE.sign(body[:-1].encode())),
    ):
        made = text.replace("00112233", "10112233") if data is None else f"{body}\n— {name} {b64(data)}\n"
        yield case(f"a checkpoint {what}", within("log", "checkpoint", to=made), unsigned)
    bigger = note(8, mth([*leaves, leaf(b"entry 7")]), ALICE)
    both = {"inclusion": "inclusion_invalid"}
    yield case("a later checkpoint with the older proof", within("log", "checkpoint", to=bigger), of("query", **both))
    yield case(
        "a size and a root that the key has not signed",
        within("log", "checkpoint", to=text.replace("\n7\n", "\n8\n")),
        of("query", inclusion="inclusion_invalid", checkpoint="checkpoint_invalid"),
    )


def cases() -> Cases:
    for group in (shapes, encodings, signatures, other_algorithms, odd, statements, inclusions, checkpoints):
        yield from group()
