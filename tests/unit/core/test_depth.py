"""The bound on depth: what is deeper is refused, however brackets hide in strings, and nothing else is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service_nb.core.canonical import parse_strict
from service_nb.errors import CanonicalJsonError, LimitExceededError

documents = st.recursive(
    st.sampled_from([0, None, "", "[", "]]]]", "{[", '"]', '\\"[', "\\", "\\\\]"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["", "[", '}"', "\\"]), inner),
    max_leaves=25,
)


def depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


@given(documents, st.integers(1, 6), st.sampled_from([None, 1]))
def test_depth_is_that_of_arrays_and_objects(value: Any, limit: int, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    if depth(value) <= limit:
        assert parse_strict(text, max_depth=limit) == value
    else:
        with pytest.raises(LimitExceededError):
            parse_strict(text, max_depth=limit)


@given(st.text('[]{}"\\,:1', max_size=30), st.integers(1, 5))
@example('[["]]', 1)
@example('["\\"[[[[[[[["]', 1)
@example('[]]"[[[[[[[[', 1)
def test_text_that_is_no_json_is_refused_or_too_deep(text: str, limit: int) -> None:
    try:
        value = json.loads(text)
    except ValueError:
        with pytest.raises((CanonicalJsonError, LimitExceededError)):
            parse_strict(text, max_depth=limit)
    else:
        if depth(value) > limit:
            with pytest.raises(LimitExceededError):
                parse_strict(text, max_depth=limit)
