"""The shipped forgeries: as their makers describe them, each refused for its cause, and noticed if it is not."""

from __future__ import annotations

import json

import pytest

from service_nb.evidence.self_check import VERIFIED, read_forgeries, run_self_check
from tests.simulators import forgeries
from tests.simulators.verifiers import Said, by_standalone, by_typescript


def test_what_is_shipped_is_what_the_makers_describe() -> None:
    assert forgeries.SHIPPED.read_text(encoding="ascii") == forgeries.content()


def test_every_forgery_is_refused_for_its_cause_and_the_genuine_ones_verify() -> None:
    results = run_self_check(read_forgeries())
    assert [result for result in results if not result.is_right] == []
    assert sum(result.expected != VERIFIED for result in results) >= 130
    assert sum(result.expected == VERIFIED for result in results) >= 6


def test_the_other_verifiers_refuse_them_for_the_same_causes() -> None:
    cases = read_forgeries()
    options = (cases[0]["keys"], cases[0]["contracts"])
    assert all((case["keys"], case["contracts"]) == options for case in cases)
    documents = [case["document"] for case in cases]
    contents = [(each if isinstance(each, str) else json.dumps(each)).encode() for each in documents]
    expected = [case["expected"] and tuple(case["expected"].values()) for case in cases]
    for said in ([by_standalone(content, *options) for content in contents], by_typescript(contents, *options)):
        assert [deciding(each) for each in said] == expected


def deciding(said: Said) -> tuple[str, str | None] | None:
    """The first check that failed, else the first that could not be made and keeps it from being verified."""
    checks = [each for verdict in said for each in verdict]
    not_kept = ("text_not_kept", "rows_not_kept")
    chosen = [each for each in checks if each[1] == "failed"]
    chosen += [each for each in checks if each[1] == "not_checkable" and each[2] not in not_kept]
    return (chosen[0][0], chosen[0][2]) if chosen else None


@pytest.mark.parametrize("name", ["value_edited", "genuine_ledger"])
def test_a_verdict_that_is_not_the_expected_one_is_told(name: str) -> None:
    case = next(each for each in read_forgeries() if each["name"] == name)
    wrong = case | {"expected": {"check": "signer", "cause": "unknown_signer"}}
    (result,) = run_self_check([wrong])
    assert not result.is_right
    assert result.to_dict() == {
        "name": name,
        "says": case["says"],
        "expected": "signer: unknown_signer",
        "met": "computation_hash: computation_hash_mismatch" if name == "value_edited" else VERIFIED,
        "is_right": False,
    }


def test_what_could_not_be_checked_does_not_count_as_verified() -> None:
    case = next(each for each in read_forgeries() if each["name"] == "genuine_error")
    empty = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
    results = run_self_check([case | {"keys": []}, case | {"document": empty}])
    assert [result.met for result in results] == ["signer: unknown_signer", "nothing to verify"]
    assert not any(result.is_right for result in results)
