"""The shared vectors of reports are what this version writes."""

from __future__ import annotations

import json

from tests.vectors.make_reports import FILE, cases


def test_the_file_is_the_one_that_the_generator_writes() -> None:
    stored = json.loads(FILE.read_text(encoding="utf-8"))["cases"]
    assert stored == json.loads(json.dumps(list(cases())))
