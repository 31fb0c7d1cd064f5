"""Values are replaced where they stand, whatever stands around them and however it is laid out."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.evidence.json_spans import find_value, iter_members, replace_values, skip_blanks

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=4)
LAYOUTS = st.sampled_from(
    [
        {"indent": 1},
        {"indent": 2},
        {"indent": "\t"},
        {},
        {"separators": (",", ":")},
        {"indent": 3, "ensure_ascii": False},
    ]
)


@given(OBJECTS, VALUES, LAYOUTS, st.data())
def test_one_member_is_replaced_and_all_others_stay(met: Any, value: Any, layout: Any, data: Any) -> None:
    text = json.dumps(met, **layout)
    key = data.draw(st.sampled_from(sorted(met)))
    span = find_value(text, skip_blanks(text), key)
    assert span is not None
    assert json.loads(text[span.start : span.end]) == met[key]

    after = replace_values(text, [(span, value)])
    assert json.loads(after) == met | {key: value}
    assert after.startswith(text[: span.start])
    assert after.endswith(text[span.end :])


@given(OBJECTS, st.text(alphabet=" \t\r\n", max_size=3))
def test_blanks_anywhere_are_no_obstacle(met: Any, blank: str) -> None:
    plain = json.dumps(met).replace("\\\\", "\\u005c").replace('\\"', "\\u0022")
    parts = plain.split('"')  # strings are every second part
    text = '"'.join(
        part if at % 2 else re.sub(r"([\[\]{}:,])", lambda sign: f"{blank}{sign[1]}{blank}", part)
        for at, part in enumerate(parts)
    )

    assert [each.key for each in iter_members(text, skip_blanks(text))] == list(met)
    for each in iter_members(text, skip_blanks(text)):
        assert json.loads(text[each.start : each.end]) == met[str(each.key)]


@pytest.mark.parametrize("keys", [("b",), ("a", "x"), ("a", "b", "c"), ("l", "b")])
def test_what_is_not_there_is_not_found(keys: tuple[str, ...]) -> None:
    text = '{"a": {"b": 1}, "l": [{"b": 1}], "s": "b"}'

    assert find_value(text, 0, *keys) is None
    assert find_value(text, 0, "a", "b") == ("b", 7, 12, 13)
