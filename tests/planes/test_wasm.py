"""Computations of the TypeScript client in WebAssembly: native's bits, or a refusal with a code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from service_nb.evidence.documents import check_card
from tests.tools import node, wasm
from typescript.build import BuildError

GCD = {"module": "number_theory", "function": "gcd", "args": ["123456789012345678901234567890", 18]}
PLACES = {"module": "number_theory", "function": "gcd", "args": [12, 18.5]}

LONG = {"module": "number_theory", "function": "is_prime", "args": [str(10**299 + 669)]}


FIRST_CASES = 60  # each so-many-th


class Computed(NamedTuple):
    """Calls, and what came of them in WebAssembly."""

    specs: list[dict[str, Any]]
    answers: list[dict[str, Any]]


@pytest.fixture(scope="module")
def computed() -> tuple[Computed, Computed]:
    """First cases, and calls that are refused: of one process, since to start Pyodide takes seconds."""
    first, odd = wasm.list_first_cases()[::FIRST_CASES], list_odd_calls()
    answers = wasm.compute_there([*first, *odd])["answers"]
    return Computed(first, answers[: len(first)]), Computed(odd, answers[len(first) :])


def list_odd_calls() -> list[dict[str, Any]]:
    entries = json.loads((wasm.KERNELS / "contract.json").read_bytes())["capabilities"]
    first = {tier: next(each for each in entries.values() if each["tier"] == tier) for tier in ("pinned", "seeded")}
    others = [
        {"module": each["module"], "function": each["function"], "kwargs": each["cases"][0]["arguments"]}
        for each in first.values()
    ]
    others[1]["seed"] = 7
    return [GCD, PLACES, *others, {**LONG, "timeout": 0.5}, GCD]


def test_first_cases_have_the_bits_of_native(computed: tuple[Computed, Computed]) -> None:
    specs, there = computed[0]
    here = wasm.compute_here(specs)
    told = [each.get("code") for each in there]
    for spec, mine, theirs in zip(specs, here, there, strict=True):
        if theirs.get("code") == "unsupported_platform":
            continue  # of arrays: NumPy is not there
        assert wasm.is_same(mine, theirs), spec
    assert told.count("unsupported_platform") <= len(specs) // 8
    assert {each["platform"] for each in there if "platform" in each} == {"wasm32"}
    cards = [each["card"] for each in there if "card" in each]
    assert {check.status for card in cards for check in check_card(card).checks} <= {"passed", "not_checkable"}
    assert {card["computation"]["scope"] for card in cards if "computation" in card} <= {"wasm32:local"}


def test_what_has_no_promise_or_no_end_there_is_refused(computed: tuple[Computed, Computed]) -> None:
    answers = computed[1].answers
    assert answers[0]["value"] == wasm.compute_here([GCD])[0]["value"]
    assert [each.get("code") for each in answers[1:4]] == [
        wasm.compute_here([PLACES])[0]["code"],
        "unsupported_platform",
        "unsupported_platform",
    ]
    assert answers[4]["code"] == "timeout"  # and the next call is answered by another thread
    assert answers[5]["value"] == answers[0]["value"]


@pytest.mark.parametrize("fault", ["no kernels", "no wheel", "another wheel", "another contract"])
def test_a_folder_that_is_not_whole_is_refused(tmp_path: Path, fault: str) -> None:
    whole = wasm.make_folder()
    if fault != "no kernels":
        (tmp_path / "service_nb_kernels").symlink_to(wasm.KERNELS, target_is_directory=True)
    if fault == "another wheel":
        (tmp_path / wasm.WHEEL).write_bytes((whole / wasm.WHEEL).read_bytes() + b"x")
    elif fault != "no wheel":
        (tmp_path / wasm.WHEEL).symlink_to(whole / wasm.WHEEL)
    if fault == "another contract":
        (tmp_path / "service_nb_kernels").unlink()
        (tmp_path / "service_nb_kernels").mkdir()
        for path in wasm.KERNELS.iterdir():
            (tmp_path / "service_nb_kernels" / path.name).symlink_to(path)
        contract = tmp_path / "service_nb_kernels" / "contract.json"
        text = contract.read_text(encoding="utf-8")
        contract.unlink()
        at = text.index("sha256:") + 7
        contract.write_text(text[:at] + "0" * 64 + text[at + 64 :], encoding="utf-8")
    node.built()
    told = json.dumps({"folder": str(tmp_path), "specs": [GCD]}).encode()
    if fault in ("no kernels", "no wheel"):
        with pytest.raises(BuildError, match="The folder has no"):
            node.node(wasm.ADAPTER, stdin=told)
        return
    script = (
        "import { createService } from '@DIST@/index.js'; import { createWasmExecutor } from '@DIST@/wasm/index.js';"
        f"const service = createService({{ executor: createWasmExecutor({{ folder: {json.dumps(str(tmp_path))} }}) }});"
        "try { await service.compute('number_theory.gcd', { args: [12, 18] }) }"
        "catch (error) { console.log(error.code, error.details.reason) }"
    )
    program = tmp_path / "program.mjs"
    dist = node.TYPESCRIPT / "packages" / "client" / "dist"
    program.write_text(script.replace("@DIST@", dist.as_posix()), encoding="utf-8")
    reason = "not_loaded" if fault == "another wheel" else "contract_mismatch"
    assert node.node(program).decode().strip() == f"runtime_provision_failed {reason}"
