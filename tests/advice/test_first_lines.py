"""First lines of people who saw the README alone: answered, led to a line that means it, or told honestly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from tests.advice import fixtures
from tests.advice.reading import judge
from tests.advice.typing_session import RECORDS, Result, Typist, find_misleading, list_fields, normalise
from tests.surfaces.conftest import bare_session

__all__ = ["bare_session"]
LEAST = 0.8  # of all lines, and of those that can be asked or computed at all


@pytest.fixture
def typist(bare_session: Any, tmp_path: Path) -> Iterator[Typist]:
    fixtures.write_all(tmp_path)
    shell: InteractiveShell = bare_session.shell
    with capture_output():
        shell.run_line_magic("load_ext", "service_nb")
    return Typist(shell=shell, folder=tmp_path)


def classify(record: dict[str, Any], result: Result, folder: Path) -> str:
    """Say how a line ended: misleading, answered, in a line that runs, or in honest words."""
    fields = list_fields(record["sources"], folder)
    if find_misleading(record["typed"], result, record.get("answer", ()), fields):
        return "misleading"
    if result.value is not None:
        return "answered"
    named = {
        each if each.startswith("%") else f"%service_{record['magic']} {each}" for each in record.get("answer", ())
    }
    if not named.isdisjoint(result.lines[:1]):  # also a page, or another magic, that is what was wished
        return "line"
    is_page = all(judge(record["typed"], line, fields).verdict == "page" for line in result.lines)
    return "honest" if is_page else "line"


def test_no_first_line_is_misled_and_most_that_can_be_are_answered(typist: Typist) -> None:
    ended: dict[str, str] = {}
    values: dict[str, tuple[Any, Any]] = {}
    for record in RECORDS:
        result = typist.type(record["magic"], record["typed"], record["sources"])
        ended[record["id"]] = classify(record, result, typist.folder)
        if ended[record["id"]] == "answered" and isinstance(record.get("value"), float) and "value" in result.value:
            values[record["id"]] = (result.value["value"], record["value"])
        if ended[record["id"]] == "honest":
            assert result.lines or result.says.strip() or result.value is not None, record["id"]
    counts = Counter(ended.values())
    possible = [record["id"] for record in RECORDS if "answer" in record or "asks" in record]
    led = sum(ended[each] in ("answered", "line") for each in possible)
    led_all = counts["answered"] + counts["line"]
    print(f"{dict(counts)} of {len(RECORDS)}; of {len(possible)} that can be asked {led}")
    assert [each for each, how in ended.items() if how == "misleading"] == []
    assert led >= LEAST * len(possible)
    assert led_all >= LEAST * len(RECORDS)
    assert all(met == pytest.approx(right, rel=1e-9) for met, right in values.values())


def test_lines_that_are_offered_give_the_right_value(typist: Typist) -> None:
    wrong = []
    for record in (each for each in RECORDS if isinstance(each.get("value"), float) and each["magic"] == "compute"):
        result = typist.type("compute", record["typed"], record["sources"])
        allowed = {normalise(each) for each in record.get("answer", ())}
        for line in result.lines[:1]:
            if line.startswith("%service_compute ") and normalise(line.split(" ", 1)[1]) in allowed:
                again = typist.type("compute", line.split(" ", 1)[1], record["sources"])
                if again.value is None or again.value["value"] != pytest.approx(record["value"], rel=1e-9):
                    wrong.append((record["id"], line))
    assert wrong == []
