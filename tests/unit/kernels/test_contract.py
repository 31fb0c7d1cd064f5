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
from service_nb_kernels.declare import Capability
from service_nb_kernels.reader import declared

TABLE = {
    "summary": "Twice a number, for the sake of an example.",
    "source": "s, ch. 1",
    "formula": "2 * x",
    "params": {"x": {"about": "number", "domain": "[0, 10]"}},
    "result": {"about": "twice the number"},
    "cases": [{"x": 1.0, "result": 2.0, "origin": "by hand"}, {"x": 2.0, "result": 4.0, "origin": "by hand"}],
}


def made(**changes: Any) -> Capability:
    return declared("field.twice", {**TABLE, **changes}, {"s": "A book"}, {}, "field/topic.toml")


def test_canonical_form_is_that_of_rfc_8785() -> None:
    entry = contract.entry_of(made(summary="Übung mit Größe € 😀, to try what is no ASCII."))
    bare = {key: value for key, value in entry.items() if key != "cases"}
    assert contract.canonical(bare) == rfc8785.dumps(bare)


def test_contract_hash_is_recomputed_from_the_file_without_prose() -> None:
    content = json.loads(service_nb_kernels.contract_bytes())

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: bare(item) for key, item in value.items() if key not in ("about", "symbol")}
        return [bare(item) for item in value] if isinstance(value, list) else value

    prose = ("summary", "source", "keywords", "latex", "cases", "digest")
    identity = {
        "contract_version": content["contract_version"],
        "runtime": content["runtime"],
        "capabilities": {
            id_: {key: bare(value) for key, value in entry.items() if key not in prose}
            for id_, entry in content["capabilities"].items()
        },
    }
    assert content["contract_hash"] == "sha256:" + hashlib.sha256(rfc8785.dumps(identity)).hexdigest()


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
