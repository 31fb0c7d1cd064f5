"""The contract: canonical bytes, digests that leave prose out, versions that rise with a change."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
import rfc8785
import service_nb_kernels
from service_nb_kernels import __main__ as command
from service_nb_kernels import contract
from service_nb_kernels.bibliography import Publication
from service_nb_kernels.declare import Capability
from service_nb_kernels.reader import declared

from service_nb.compute.contract import Contract
from tests.simulators.contracts import contract_hash, leaves_of

BOOK = Publication(key="s", author="A. Author", title="A Book", year=2000, publisher="Press")
TABLE = {
    "summary": "Twice a number, for the sake of an example.",
    "source": "s, ch. 1",
    "formula": "2 * x",
    "params": {"x": {"about": "number", "domain": "[0, 10]"}},
    "result": {"about": "twice the number"},
    "cases": [{"x": 1.0, "result": 2.0, "origin": "by hand"}, {"x": 2.0, "result": 4.0, "origin": "by hand"}],
}


def made(**changes: Any) -> Capability:
    return declared("field.twice", {**TABLE, **changes}, {"s": BOOK}, {}, "field/topic.toml")


def test_canonical_form_is_that_of_rfc_8785() -> None:
    entry = contract.entry_of(made(summary="Übung mit Größe € 😀, to try what is no ASCII."))
    bare = {key: value for key, value in entry.items() if key != "cases"}
    assert contract.canonical(bare) == rfc8785.dumps(bare)


def shipped() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The head of the contract, and all that it says of each capability but how it is tested and found."""
    content = json.loads(service_nb_kernels.map_contract()[:])
    head = {key: content[key] for key in ("contract_version", "runtime")}
    left_out = ("cases", "keywords", "digest", "leaf")
    entries = content["capabilities"].values()
    return head, [{key: entry[key] for key in entry if key not in left_out} for entry in entries]


def test_contract_hash_is_the_root_of_an_rfc_6962_tree_over_the_head_and_all_that_is_said_of_each_capability() -> None:
    content = json.loads(service_nb_kernels.map_contract()[:])
    assert content["contract_hash"] == contract_hash(*shipped())


def test_the_leaf_of_each_capability_stands_in_its_line() -> None:
    content = json.loads(service_nb_kernels.map_contract()[:])
    told = [entry["leaf"] for entry in content["capabilities"].values()]
    assert told == [leaf.hex() for leaf in leaves_of(*shipped())[1:]]


def test_every_capability_is_proven_to_be_in_the_contract_and_says_all_of_it() -> None:
    """The proofs are made by the code, and followed here as RFC 9162, 2.1.3.2, has it."""
    compiled = Contract(service_nb_kernels.map_contract()[:])
    head, entries = shipped()
    root = contract_hash(head, entries)
    for entry in entries[:: len(entries) // 50]:
        told = json.loads(compiled.build_definition(entry["id"]))
        assert told["capability"] == entry
        assert told["size"] == len(entries) + 1
        leaf = hashlib.sha256(b"\0" + rfc8785.dumps(entry)).digest()
        assert f"sha256:{followed(leaf, told).hex()}" == root
        assert f"sha256:{followed(hashlib.sha256(leaf).digest(), told).hex()}" != root


def followed(node: bytes, told: dict[str, Any]) -> bytes:
    """The root to which a proof leads from a leaf."""
    here, last = told["index"], told["size"] - 1
    for sibling in map(bytes.fromhex, told["proof"]):
        assert last > 0
        if here % 2 or here == last:
            node = hashlib.sha256(b"\1" + sibling + node).digest()
            while here % 2 == 0 and here:
                here, last = here // 2, last // 2
        else:
            node = hashlib.sha256(b"\1" + node + sibling).digest()
        here, last = here // 2, last // 2
    assert last == 0
    return node


@pytest.mark.parametrize(
    "change",
    [
        {"summary": "Twice a number, said in other words altogether."},
        {"source": "s, ch. 2"},
        {"formula": "x + x"},
        {"result": {"about": "a number twice"}},
        {"params": {"x": {"about": "any number", "domain": "[0, 10]"}}},
    ],
)
def test_another_word_that_a_card_shows_is_another_contract(change: dict[str, Any]) -> None:
    assert hash_of(made(**change)) != hash_of(made())


@pytest.mark.parametrize("change", [{"keywords": ["double"]}, {"cases": [*TABLE["cases"], TABLE["cases"][0]]}])
def test_what_no_card_shows_is_not_in_the_hash_of_the_contract(change: dict[str, Any]) -> None:
    assert hash_of(made(**change)) == hash_of(made())


def hash_of(capability: Capability) -> str:
    return str(json.loads(contract.compiled([capability], {}))["contract_hash"])


@pytest.mark.parametrize(
    "change",
    [
        {"summary": "Twice a number, said in other words altogether."},
        {"keywords": ["double"]},
        {"cases": [*TABLE["cases"], {"x": 3.0, "result": 6.0, "origin": "by hand"}]},
        {"params": {"x": {"about": "any number", "domain": "[0, 10]", "symbol": "n"}}},
    ],
)
def test_prose_and_cases_leave_the_digest(change: dict[str, Any]) -> None:
    assert contract.entry_of(made(**change))["digest"] == contract.entry_of(made())["digest"]


@pytest.mark.parametrize(
    "change",
    [
        {"formula": "x + x"},
        {"params": {"x": {"about": "number", "domain": "[0, 11]"}}},
        {"version": 2},
        {"requires": ["x < 5"]},
        {"limit": {"n": 5}},
    ],
)
def test_what_can_change_a_value_or_a_call_changes_the_digest(change: dict[str, Any]) -> None:
    assert contract.entry_of(made(**change))["digest"] != contract.entry_of(made())["digest"]


def test_changed_capability_without_another_version_is_refused(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    committed = tmp_path / "contract.json"
    committed.write_bytes(contract.compiled([made()], {}))
    monkeypatch.setattr(command, "CONTRACT", committed)
    unraised = command._unraised
    assert unraised([made()]) == []
    assert len(unraised([made(formula="x + x")])) == 1
    assert unraised([made(formula="x + x", version=2)]) == []


def test_entry_is_read_back_as_the_capability_it_was_made_of() -> None:
    again = contract.capability_of(contract.entry_of(made()))
    assert contract.entry_of(again) == contract.entry_of(made())
