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
# These need a person, a missing library, a defect, a formula beyond 4,096 bits, a broken installation.
NOT_TO_BE_HAD = {"interrupted", "driver_missing", "engine_failed", "undecided", "compute_runtime_unavailable"}


@pytest.mark.parametrize("code", [code for code in EXAMPLES if code not in NOT_TO_BE_HAD])
def test_example_raises_its_error(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    beginning, example = BLOCK.search(BEGINNING), EXAMPLES[code]
    assert beginning is not None
    assert example is not None
    names: dict[str, Any] = {}
    exec(beginning[1], names)
    with pytest.raises(ServiceError) as caught:
        exec(example[1], names)
    assert caught.value.code == code
    assert str(tmp_path) not in str(caught.value)


def test_every_other_section_shows_what_is_seen() -> None:
    assert all("```text" in section for section in SECTIONS if section.split("`")[1] in NOT_TO_BE_HAD)
