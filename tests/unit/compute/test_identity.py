"""The identity of a computation: exactly what was called with what, computed again by other libraries."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import rfc8785

from service_nb.compute.call_arguments import BindingColumns, bind_rows, hash_invocation, iter_identity_blocks
from service_nb.schema.compute import Binding, Bound, Capability, Checked, Parameter, Vector
from service_nb.schema.source import Field

NAMES = ("a", "b", "c", "d")
CONTRACT, SCOPE = f"sha256:{64 * 'c'}", "linux-x64:local"
COLUMNS = {"one": [1.0, 2.0], "two": [2.0, 1.0]}
Choice = tuple[str, str] | None  # literal or bound, and which numbers; None: the call leaves the parameter out
Call = tuple[Choice, ...]


def parameter(name: str) -> Parameter:
    return Parameter(name=name, type="float64[n]", scalar="float64", shape=("n",))


CAPABILITY = Capability(
    id="toy.four",
    module="toy",
    function="four",
    version=1,
    tier="certified",
    grade="derived",
    summary="",
    parameters=tuple(map(parameter, NAMES)),
    names=NAMES,
    result_type="float64",
    entry={},
)


def read(names: tuple[str, ...], call: Call) -> Bound:
    """The columns that a call binds to some parameters, row by row."""
    fields = tuple(choice[1] for choice in (call[NAMES.index(name)] for name in names) if choice)
    columns = BindingColumns(
        fields=tuple(Field(name=field, type="number", physical="float64") for field in fields),
        vectors=tuple(Vector(np.array(COLUMNS[field])) for field in fields),
        schema_revision=64 * "5",
    )
    binding = Binding(parameters=names, fields=fields, source="s")
    return bind_rows(binding, tuple(map(parameter, names)), columns)


def identity(call: Call, placed: int, groups: tuple[tuple[str, ...], ...]) -> bytes:
    given = {
        name: COLUMNS[choice[1]] for name, choice in zip(NAMES, call, strict=True) if choice and choice[0] == "literal"
    }
    checked = Checked(
        capability=CAPABILITY,
        args=tuple(given[name] for name in NAMES[:placed]),
        kwargs={name: value for name, value in given.items() if name not in NAMES[:placed]},
        bindings=(),
        seed=None,
    )
    bound = [read(names, call) for names in groups]
    return b"".join(iter_identity_blocks(checked, bound, contract_hash=CONTRACT, scope=SCOPE))


def groupings(names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Each of the names alone, all in one binding, and all in one binding the other way round."""
    yield tuple((name,) for name in names)
    if len(names) > 1:
        yield (names,)
        yield (names[::-1],)


def written() -> Iterator[tuple[Call, bytes]]:
    """Every call of the capability in every way in which it can be written, with its identity."""
    choices: tuple[Choice, ...] = (None, *itertools.product(("literal", "bound"), COLUMNS))
    for call in itertools.product(choices, repeat=len(NAMES)):
        bound = tuple(name for name, choice in zip(NAMES, call, strict=True) if choice and choice[0] == "bound")
        literals = list(itertools.takewhile(lambda choice: choice is not None and choice[0] == "literal", call))
        for placed, groups in itertools.product(range(len(literals) + 1), groupings(bound)):
            yield call, identity(call, placed, groups)


def test_calls_that_mean_different_things_never_share_an_identity() -> None:
    meanings: dict[bytes, Call] = {}
    for call, text in written():
        assert meanings.setdefault(text, call) == call, text
    assert len(set(meanings.values())) == 5**4


def test_how_columns_are_bound_together_makes_no_other_identity() -> None:
    call: Call = (("bound", "one"), ("literal", "two"), ("bound", "two"), None)
    assert len({identity(call, 0, groups) for groups in groupings(("a", "c"))}) == 1


def test_the_identity_is_what_another_library_writes() -> None:
    def hash_of(name: str) -> dict[str, str]:
        return {"input_hash": hashlib.sha256(rfc8785.dumps(COLUMNS[name])).hexdigest()}

    call: Call = (("literal", "one"), None, ("bound", "two"), ("bound", "one"))
    expected: dict[str, Any] = {
        "module": "toy",
        "function": "four",
        "args": [COLUMNS["one"]],
        "kwargs": {},
        "resolved_bindings": [None, hash_of("two"), hash_of("one")],
        "contract_hash": CONTRACT,
        "execution_scope": SCOPE,
        "seed": None,
    }
    text = identity(call, 1, (("d",), ("c",)))
    assert json.loads(text) == expected
    assert text == rfc8785.dumps(expected)
    assert hash_invocation((text,)) == hashlib.sha256(b"service:invocation:v1\0" + text).hexdigest()
