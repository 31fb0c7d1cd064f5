"""The verifier in one file: run alone, away from everything else, and each part of it against a judge from outside."""

from __future__ import annotations

import base64
import json
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from service_nb.evidence import standalone
from service_nb.evidence.standalone import (
    check_document,
    compute_proven_root,
    compute_tree_root,
    verify_ed25519,
    write_canonical,
    write_number,
)
from tests.simulators import evidence as genuine
from tests.simulators.contracts import CONTRACT, audit_path, tree
from tests.simulators.evidence import AUTHOR, FORGER
from tests.simulators.ledgers import Key, copied, ledger_of
from tests.simulators.verifiers import by_standalone
from tests.vectors import cases, odd_signatures
from tests.vectors.evidence_maker import FOLDER

KEY, CONTRACTS = ("--key", AUTHOR.public_key), ("--contract", CONTRACT)
LEDGER_KEY = ("--key", Key().public_key)
MESSAGE = b"a statement"
SHARED = ("cards", "forgeries", "forms", "ledgers", "notebooks", "outputs", "receipts")
CARDS = genuine.signed(genuine.cards())
# RFC 8032, section 7.1, tests 1, 2, 3, and the one of SHA(abc): public key, message, signature.
RFC_8032 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
]


@pytest.fixture
def alone(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a copy of the file where nothing but the standard library can be imported."""
    copy = tmp_path / "alone" / "standalone.py"
    copy.parent.mkdir()
    shutil.copy(standalone.__file__, copy)

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-S", "-W", "error", str(copy), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=copy.parent, timeout=300, check=False)

    return run


def written(folder: Path, name: str, document: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def failures(verdicts: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(c["check"], c["cause"]) for each in verdicts for c in each["checks"] if c["status"] == "failed"]


# --- the command --------------------------------------------------------------------------------------------------


def test_nothing_of_ours_can_be_imported_where_it_runs() -> None:
    code = "import importlib.util as u; print(*map(u.find_spec, ('service_nb', 'cryptography')))"
    run = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["None", "None"]


def test_genuine_files_of_every_sort_verify_and_the_exit_code_is_0(alone: Any, tmp_path: Path) -> None:
    files = [written(tmp_path, f"{at}.json", card) for at, card in enumerate(CARDS)]
    files.append(written(tmp_path, "report.ipynb", genuine.sealed_notebook(CARDS)))
    files.append(written(tmp_path, "ledger.json", genuine.log_of(genuine.cards()).document()))
    run = alone(*files, *KEY, *CONTRACTS, "--json")
    assert (run.returncode, run.stderr) == (0, "")
    found = json.loads(run.stdout)
    assert {each["status"] for each in found} == {"verified"}
    assert len(found) == len(CARDS) + len(CARDS) + 1 + 1
    assert {each["file"] for each in found} == {path.name for path in files}


def test_a_forgery_among_genuine_files_is_named_and_the_exit_code_is_1(alone: Any, tmp_path: Path) -> None:
    good = written(tmp_path, "good.json", CARDS[0])
    shown = CARDS[0] | {"view": CARDS[0]["view"] | {"rows": [["AA", "9999999.99", "4"]]}}
    bad = written(tmp_path, "bad.json", genuine.signed_alone(genuine.sealed(shown), AUTHOR))
    run = alone(good, bad, *KEY)
    assert run.returncode == 1
    lines = run.stdout.splitlines()
    assert "good.json, card: verified" in lines
    assert "bad.json, card: altered" in lines
    assert any(line.split()[:3] == ["failed", "shown", "shown_differs"] for line in lines)


def test_each_verdict_has_an_exit_code_of_its_own_and_the_worst_file_gives_it(alone: Any, tmp_path: Path) -> None:
    card = CARDS[0]
    bare = {name: text for name, text in card["canonical"].items() if name != "plan"}
    cases = (
        ("verified", 0, card, KEY, set()),
        ("unaltered", 3, card, (), {"unknown_signer"}),
        ("unaltered", 3, genuine.signed_alone(genuine.error_card(), FORGER), KEY, {"unknown_signer"}),
        ("consistent", 4, card | {"receipt": None}, KEY, {"unsigned"}),
        ("not_checkable", 5, card | {"canonical": bare}, KEY, {"text_not_kept", "shown_not_kept"}),
    )
    for at, (status, code, document, keys, causes) in enumerate(cases):
        run = alone(written(tmp_path, f"{at}.json", document), *keys, "--json")
        (found,) = json.loads(run.stdout)
        assert (run.returncode, found["status"]) == (code, status)
        assert {c["cause"] for c in found["checks"] if c["status"] != "passed"} == causes
    ranked = [written(tmp_path, f"{at}-again.json", document) for at, (_, _, document, _, _) in enumerate(cases)]
    assert alone(*ranked[::3], *KEY).returncode == 4
    assert alone(*ranked[1:], *KEY).returncode == 5


def test_a_notebook_whose_cards_have_other_forms_beside_them_is_not_said_to_be_verified(
    alone: Any, tmp_path: Path
) -> None:
    book = genuine.notebook(CARDS[:1])
    (output,) = book["cells"][1]["outputs"]
    output["data"]["text/html"] = "<b>9999999.99</b>"
    run = alone(written(tmp_path, "report.ipynb", book), *KEY, "--json")
    assert run.returncode == 5
    causes = [c["cause"] for each in json.loads(run.stdout) for c in each["checks"] if c["status"] != "passed"]
    assert causes == ["not_sealed", "faces_not_compared"]


_USAGES = [
    *((), ("missing.json",), ("--key",), ("--trust", "x"), (".",)),
    *(("standalone.py", "--key", "no key"), ("standalone.py", "--contract", "0" * 64)),
]


def test_nothing_that_commands_a_terminal_is_printed(alone: Any, tmp_path: Path) -> None:
    document = genuine.log_of(genuine.cards()).document()
    run = alone(written(tmp_path, "ledger\x1b[2J.json", document | {"texts": {"\x1b[31m\u202e\u0085": ""}}), *KEY)
    assert run.returncode == 1
    assert "text_mismatch" in run.stdout
    assert all(line.isascii() and line.isprintable() for line in run.stdout.splitlines())


@pytest.mark.parametrize("arguments", _USAGES)
def test_usage_that_makes_no_sense_has_the_exit_code_2(alone: Any, arguments: tuple[str, ...]) -> None:
    run = alone(*arguments)
    assert (run.returncode, run.stdout) == (2, "")


# --- a ledger's database ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ledger") / ".service"
    ledger_of(folder, 9, large=1)
    return folder


@pytest.fixture
def ledger(made: Path, tmp_path: Path) -> Path:
    """The closed database of a real ledger, with a text in a file of its own."""
    return copied(made, tmp_path / ".service") / "ledger.sqlite"


def test_a_database_is_verified_and_nothing_is_made_beside_it(alone: Any, ledger: Path) -> None:
    before = {path: path.read_bytes() for path in ledger.parent.rglob("*") if path.is_file()}
    run = alone(ledger, *LEDGER_KEY, "--json")
    (found,) = json.loads(run.stdout)
    assert (run.returncode, found["status"]) == (0, "verified")
    assert [c["check"] for c in found["checks"]] == ["form", "entry", "order", "texts", "root", "signer", "checkpoint"]
    assert {path: path.read_bytes() for path in ledger.parent.rglob("*") if path.is_file()} == before


def test_a_database_that_is_open_elsewhere_is_read_with_its_log(alone: Any, tmp_path: Path) -> None:
    from service_nb.ledger.store import Ledger
    from tests.simulators.ledgers import new_entry

    with_log = Ledger(tmp_path / "open", Key)
    try:
        with_log.append([new_entry(0), new_entry(1)])
        run = alone(tmp_path / "open" / "ledger.sqlite", *LEDGER_KEY, "--json")
    finally:
        with_log.close()
    assert [each["status"] for each in json.loads(run.stdout)] == ["verified"]


def test_each_key_of_a_ledger_must_be_trusted(alone: Any, tmp_path: Path) -> None:
    from service_nb.ledger.store import Ledger
    from tests.simulators.ledgers import new_entry

    for seed in (1, 2):
        made = Ledger(tmp_path / "two", lambda seed=seed: Key(seed))
        made.append([new_entry(seed)])
        made.close()
    path = tmp_path / "two" / "ledger.sqlite"
    both = alone(path, *LEDGER_KEY, "--key", Key(2).public_key, "--json")
    assert [each["status"] for each in json.loads(both.stdout)] == ["verified"]
    one = alone(path, "--key", Key(2).public_key, "--json")
    assert one.returncode == 3
    (found,) = json.loads(one.stdout)
    assert [(c["check"], c["cause"]) for c in found["checks"] if c["status"] != "passed"] == [
        ("signer", "unknown_signer")
    ]


_SPOILT = {
    "an entry dropped": ("DELETE FROM entries WHERE number = 3", "texts", "text_unknown"),
    "an entry and all texts dropped": (
        "DELETE FROM entries WHERE number = 3; DELETE FROM texts",
        *("root", "root_mismatch"),
    ),
    "the newest entry dropped": (
        "DELETE FROM entries WHERE number = 8; DELETE FROM texts",
        *("root", "root_mismatch"),
    ),
    "two entries in each other's place": (
        (
            "UPDATE entries SET number = 99 WHERE number = 3; UPDATE entries SET number = 3 WHERE number = 4;"
            " UPDATE entries SET number = 4 WHERE number = 99"
        ),
        *("root", "root_mismatch"),
    ),
    "a statement edited": (
        "UPDATE entries SET payload = CAST(replace(CAST(payload AS TEXT), '2026', '2027') AS BLOB) WHERE number = 2",
        *("entry", "signature_invalid"),
    ),
    "a statement replaced": ("UPDATE entries SET payload = x'7b7d' WHERE number = 2", "entry", "entry_malformed"),
    "a signature cut off the checkpoint": (
        "UPDATE checkpoints SET note = substr(note, 1, instr(note, char(10, 10)) + 1)",
        *("checkpoint", "checkpoint_invalid"),
    ),
    "an older checkpoint": ("DELETE FROM checkpoints WHERE size = 9", "root", "root_mismatch"),
    "the ledger renamed": (f"UPDATE ledger SET id = '{'e' * 32}'", "root", "root_mismatch"),
    "a text edited": ("UPDATE texts SET content = x'5b5d' WHERE number = 1", "texts", "text_mismatch"),
    "no key of that name": ("DELETE FROM keys", "form", "not_a_ledger"),
    "no checkpoint": ("DELETE FROM checkpoints", "form", "not_a_ledger"),
    "a text for a number": ("UPDATE entries SET payload = 'text'", "form", "not_a_ledger"),
    "a view in the place of a table": (
        (
            "DROP TABLE entries; CREATE VIEW entries AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n)"
            " SELECT x AS number, x AS payload, NULL AS key, NULL AS signature FROM n"
        ),
        *("form", "not_a_ledger"),
    ),
    "no table": ("DROP TABLE entries", "form", "not_a_ledger"),
}


@pytest.mark.parametrize("name", _SPOILT)
def test_a_database_that_was_changed_fails_by_name(ledger: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    statements, check, cause = _SPOILT[name]
    connection = sqlite3.connect(ledger)
    connection.executescript(statements)
    connection.close()
    assert standalone.main([str(ledger), *LEDGER_KEY, "--json"]) == 1
    assert failures(json.loads(capsys.readouterr().out))[0] == (check, cause)


def test_a_text_whose_file_is_gone_or_changed_is_named(ledger: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (blob,) = (path for path in (ledger.parent / "blobs").rglob("*") if path.is_file())
    content = blob.read_bytes()
    blob.chmod(0o600)
    for spoil in (lambda: blob.write_bytes(content[:-1]), blob.unlink):
        spoil()
        assert standalone.main([str(ledger), *LEDGER_KEY, "--json"]) == 1
        assert failures(json.loads(capsys.readouterr().out)) == [("texts", "text_mismatch")]


def test_a_database_cut_at_any_page_never_verifies(ledger: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = ledger.read_bytes()
    for size in range(16, len(content), 4096):
        ledger.write_bytes(content[:size])
        assert standalone.main([str(ledger), *LEDGER_KEY, "--json"]) == 1
        assert failures(json.loads(capsys.readouterr().out))


# --- the shared vectors -----------------------------------------------------------------------------------------------


def others(name: str, step: int) -> dict[str, Any]:
    """The shared documents of a file, each so many of them, that get other verdicts than are written down for them."""
    shared = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    found = {}
    for case in shared[::step]:
        encoded = case.get("document_base64")
        content = base64.b64decode(encoded) if encoded is not None else case["document"].encode()
        told = by_standalone(content, case["keys"], case["contracts"])
        if told != [[tuple(check) for check in each["checks"]] for each in case["verdicts"]]:
            found[case["name"]] = told
    return found


@pytest.mark.parametrize("name", SHARED)
def test_one_in_six_of_the_shared_documents_gets_exactly_its_verdicts(name: str) -> None:
    assert others(name, 6) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", SHARED)
def test_each_shared_document_gets_exactly_its_verdicts(name: str) -> None:
    assert others(name, 1) == {}


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_document_that_fails(content: bytes) -> None:
    (told,) = check_document(content)
    assert told.status == "altered"
    assert [each.name for each in told.checks] == ["form"]


# --- Ed25519 ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "message", "signature"), RFC_8032)
def test_signatures_of_the_rfc_hold_and_one_bit_spoils_them(key: str, message: str, signature: str) -> None:
    parts = [bytes.fromhex(part) for part in (key, message, signature)]
    assert verify_ed25519(*parts)
    for at, part in enumerate(parts):
        for bit in range(0, 8 * len(part), 37):
            spoilt = bytearray(part)
            spoilt[bit // 8] ^= 1 << bit % 8
            assert not verify_ed25519(*parts[:at], bytes(spoilt), *parts[at + 1 :])


@pytest.mark.parametrize("name", odd_signatures.REFUSED)
def test_signatures_on_which_libraries_differ_are_refused(name: str) -> None:
    odd = odd_signatures.REFUSED[name]
    assert not verify_ed25519(odd.public, MESSAGE, odd.sign(MESSAGE))


@pytest.mark.parametrize("name", odd_signatures.ACCEPTED)
def test_signatures_that_hold_without_the_cofactor_are_taken(name: str) -> None:
    odd = odd_signatures.ACCEPTED[name]
    assert verify_ed25519(odd.public, MESSAGE, odd.sign(MESSAGE))


def test_it_says_what_openssl_says_of_random_messages() -> None:
    draw = random.Random(8032)
    for _ in range(40):
        message = draw.randbytes(draw.randrange(300))
        signature = bytearray(AUTHOR.sign(message))
        signature[draw.randrange(64)] ^= draw.choice((0, 1 << draw.randrange(8)))
        try:
            Ed25519PublicKey.from_public_bytes(AUTHOR.raw).verify(bytes(signature), message)
        except InvalidSignature:
            assert not verify_ed25519(AUTHOR.raw, message, bytes(signature))
        else:
            assert verify_ed25519(AUTHOR.raw, message, bytes(signature))


@settings(max_examples=40)
@given(st.binary(max_size=70), st.binary(max_size=70))
def test_any_bytes_are_no_signature(key: bytes, signature: bytes) -> None:
    assert not verify_ed25519(key, b"message", signature)


# --- trees and canonical JSON -----------------------------------------------------------------------------------------


def test_roots_and_proofs_are_those_of_the_rfc() -> None:
    leaves = [genuine.leaf(bytes([at])) for at in range(21)]
    for size in range(1, 22):
        root = tree(leaves[:size])
        assert compute_tree_root(leaves[:size]) == root
        for index in range(size):
            proof = audit_path(index, leaves[:size])
            assert compute_proven_root(leaves[index], index, size, proof) == root
            for other in {0, 1, index - 1, index + 1, size - 1, size, size + 1} - {index, -1}:
                assert compute_proven_root(leaves[index], other, size, proof) != root
            assert compute_proven_root(leaves[index], index, size, [*proof, root]) != root
            assert size == 1 or compute_proven_root(leaves[index], index, size, proof[:-1]) != root
    assert compute_tree_root([]) == genuine.sha256(b"")
    assert compute_proven_root(leaves[0], 0, 0, []) is None


@pytest.mark.parametrize("case", cases.params("canonical/numbers.json"))
def test_numbers_are_written_as_in_ecmascript(case: dict[str, str]) -> None:
    (value,) = struct.unpack(">d", bytes.fromhex(case["ieee"]))
    assert write_number(value) == case["text"]


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(1 - 2**53, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(_JSON)
def test_canonical_json_is_that_of_another_implementation(value: Any) -> None:
    assert write_canonical(value).encode() == rfc8785.dumps(value)
