"""The self-check of the verifier: known forgeries must be refused, and genuine evidence must verify.

A verifier that accepts everything looks just like one that works. So forgeries are shipped, a case in each line of
`forgeries.jsonl`::

    {"name": "value_edited", "says": "what the forger did, in one sentence",
     "document": text or JSON, "keys": [base64], "contracts": ["sha256:…"],
     "expected": {"check": "computation_hash", "cause": "computation_hash_mismatch"}}

`expected` is the first check that must fail, and its cause; where none can, as in a card that anyone made and nobody
signed, the first that keeps it from being verified. It is null in genuine documents, which must verify.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any

from service_nb.evidence.documents import check_document
from service_nb.evidence.standalone import Verdict

VERIFIED = "verified"
NOTHING = "nothing to verify"
NOT_KEPT = ("text_not_kept", "rows_not_kept")  # whose absence leaves a card verified


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of one case. `expected` and `met` are `verified`, or the check that decides, with its cause."""

    name: str
    says: str
    expected: str
    met: str

    @property
    def is_right(self) -> bool:
        """Tell whether the verifier gave the expected result."""
        return self.met == self.expected

    def to_dict(self) -> dict[str, object]:
        """Return the result as JSON has it."""
        return {**asdict(self), "is_right": self.is_right}


def read_forgeries() -> list[dict[str, Any]]:
    """Read the shipped cases."""
    text = files("service_nb.evidence").joinpath("forgeries.jsonl").read_text(encoding="ascii")
    return [json.loads(line) for line in text.splitlines()]


def run_self_check(cases: Iterable[Mapping[str, object]]) -> list[Result]:
    """Verify each case; the results are in the order of the cases."""
    return [_check_case(case) for case in cases]


def _check_case(case: Mapping[str, Any]) -> Result:
    document, expected = case["document"], case["expected"]
    text = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
    verdicts = check_document(text.encode(), keys=case["keys"], contracts=case["contracts"])
    told = VERIFIED if expected is None else _format_check(expected["check"], expected["cause"])
    return Result(name=case["name"], says=case["says"], expected=told, met=_describe_verdicts(verdicts))


def _describe_verdicts(verdicts: Sequence[Verdict]) -> str:
    checks = [check for verdict in verdicts for check in verdict.checks]
    deciding = [check for check in checks if check.status == "failed"]
    deciding += [check for check in checks if check.status == "not_checkable" and check.cause not in NOT_KEPT]
    if deciding:
        return _format_check(deciding[0].name, deciding[0].cause)
    return VERIFIED if verdicts else NOTHING


def _format_check(check: str, cause: str | None) -> str:
    return f"{check}: {cause}"
