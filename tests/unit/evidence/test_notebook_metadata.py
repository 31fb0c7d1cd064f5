"""A value in a notebook's metadata: where nbformat would put it, and no other byte is another."""

from __future__ import annotations

import json
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.errors import EvidenceError
from service_nb.evidence.json_spans import set_metadata

VALUE: dict[str, Any] = {"version": 1, "public_key": "ü=", "envelope": {"list": [1, [], {}], "empty": {}}}
METADATA: list[dict[str, Any]] = [
    {},
    {"kernelspec": {"display_name": "Python 3", "name": "python3"}},
    {"zeta": 1},
    {"alpha": [1, {"service_nb": 2}], "zeta": {"deep": {"metadata": {}}}},
    {"service_nb": {"version": 0}, "zeta": "}"},
    {"alpha": '{"metadata": {', "service_nb": None},
]


def book(metadata: dict[str, Any]) -> dict[str, Any]:
    cells = [{"cell_type": "markdown", "id": "a", "metadata": {"service_nb": "another"}, "source": '"metadata": {}'}]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}


@pytest.mark.parametrize("metadata", METADATA)
def test_what_nbformat_wrote_stays_as_nbformat_writes_it(metadata: dict[str, Any]) -> None:
    text = nbformat.writes(nbformat.from_dict(book(metadata))) + "\n"
    sealed = set_metadata(text, "service_nb", VALUE)
    assert nbformat.writes(nbformat.from_dict(book({**metadata, "service_nb": VALUE}))) + "\n" == sealed


@pytest.mark.parametrize("metadata", METADATA)
@pytest.mark.parametrize("layout", [{}, {"indent": 4}, {"indent": "\t"}, {"separators": (",", ":")}, {"indent": 0}])
def test_every_other_byte_stays_in_any_layout(metadata: dict[str, Any], layout: dict[str, Any]) -> None:
    text = f"\r\n {json.dumps(book(metadata), **layout)}\n\n"
    sealed = set_metadata(text, "service_nb", VALUE)
    assert json.loads(sealed) == book({**metadata, "service_nb": VALUE})
    if "service_nb" not in metadata:  # taken out again, it is the text that it was
        opening = next(at for at in range(len(text)) if text[at] != sealed[at])
        closing = next(at for at in range(1, len(text)) if text[-at] != sealed[-at])
        assert opening + closing > len(text)


def test_numbers_and_spellings_that_json_would_rewrite_stay() -> None:
    text = '{"nbformat":4,"metadata":{"a":1.0,"b":1E5,"c":"\\u00e9\\/"},"cells":[],"more":-0.0}'
    sealed = set_metadata(text, "service_nb", 1)
    assert sealed == text.replace('\\/"}', '\\/","service_nb": 1}')


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


LAYOUTS: list[dict[str, Any]] = [{}, {"indent": 1}, {"indent": 1, "ensure_ascii": False}]


@given(st.dictionaries(st.text(), JSON, max_size=4), JSON, st.sampled_from(LAYOUTS), st.booleans())
def test_any_notebook_holds_the_value_and_all_that_it_held(
    metadata: dict[str, Any], rest: Any, layout: dict[str, Any], is_last: bool
) -> None:
    document = {"rest": rest, "metadata": metadata} if is_last else {"metadata": metadata, "rest": rest}
    once = set_metadata(json.dumps(document, **layout), "service_nb", VALUE)
    assert json.loads(once) == {**document, "metadata": {**metadata, "service_nb": VALUE}}
    assert set_metadata(once, "service_nb", VALUE) == once


@pytest.mark.parametrize("text", ["{}", '{"metadata": []}', '{"metadata": "{}"}', '{"cells": {"metadata": {}}}'])
def test_what_has_no_metadata_is_refused(text: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        set_metadata(text, "service_nb", VALUE)
    assert caught.value.reason == "malformed_notebook"
