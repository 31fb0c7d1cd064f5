"""The examples of the handbook's page on errors raise what they stand under."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from service_nb.errors import ServiceError

PAGE = (Path(__file__).parents[2] / "docs" / "handbook" / "errors.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
BEGINNING, *SECTIONS = re.split(r"^### ", PAGE, flags=re.MULTILINE)
EXAMPLES = {section.split("`")[1]: BLOCK.search(section) for section in SECTIONS}
# These need a person, a missing library, a defect, a formula beyond 4,096 bits, another processor, a crash, a
# deployment (tests/deployment has those).
NOT_TO_BE_HAD = {
    "interrupted",
    "driver_missing",
    "engine_failed",
    "undecided",
    "unsupported_platform",
    "compute_runtime_unavailable",
    "connector_failed",
    "connector_not_found",
    "secret_unavailable",
    "unauthenticated",
    "forbidden",
    "route_not_found",
    "rate_limited",
    "overloaded",
    "deployment_unavailable",
    "answer_mismatch",
}


@pytest.mark.parametrize("code", [code for code in EXAMPLES if code not in NOT_TO_BE_HAD])
def test_example_raises_its_error(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    beginning, example = BLOCK.search(BEGINNING), EXAMPLES[code]
    assert beginning is not None
    assert example is not None
    names: dict[str, Any] = {}
    monkeypatch.setenv("SERVICE_RUNTIME_AUTO_INSTALL", "1")  # what an example sets is taken back
    if code in ("login_required", "runtime_provision_failed"):  # as on a new machine
        monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    if code == "login_required":
        monkeypatch.delenv("SERVICE_DEVICE_KEY")
    exec(beginning[1], names)
    with pytest.raises(ServiceError) as caught:
        exec(example[1], names)
    assert caught.value.code == code
    assert str(tmp_path) not in str(caught.value)


def test_every_other_section_shows_what_is_seen() -> None:
    assert all("```text" in section for section in SECTIONS if section.split("`")[1] in NOT_TO_BE_HAD)
