"""The shared vectors: each document gets exactly the verdicts that were written down for it by hand."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from service_nb.evidence.documents import check_document
from tests.vectors.evidence_maker import FOLDER
from tests.vectors.make_evidence import FILES


def content(case: dict[str, Any]) -> bytes:
    return base64.b64decode(case["document_base64"]) if "document_base64" in case else case["document"].encode()


def verdicts(case: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "subject": met.subject,
            "status": met.status,
            "checks": [[check.name, check.status, check.cause] for check in met.checks],
        }
        for met in check_document(content(case), keys=case["keys"], contracts=case["contracts"])
    ]


@pytest.mark.parametrize("name", FILES)
def test_each_document_gets_exactly_its_verdicts(name: str) -> None:
    cases = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    others = {case["name"]: met for case in cases if (met := verdicts(case)) != case["verdicts"]}
    assert others == {}


@pytest.mark.parametrize("name", FILES)
def test_the_files_are_those_that_the_generator_writes(name: str) -> None:
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    assert stored == list(FILES[name]())


@pytest.mark.parametrize("name", FILES)
def test_every_check_that_does_not_pass_says_why_in_words(name: str) -> None:
    cases = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    for case in cases:
        for met in check_document(content(case), keys=case["keys"], contracts=case["contracts"]):
            for check in met.checks:
                assert check.message or check.status == "passed", (case["name"], check)
                assert len(check.message) < 1_000
