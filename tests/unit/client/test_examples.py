"""The examples in the documentation of the client run, and show what it returns."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import service_nb
from service_nb.agents import AgentTools, create_tools
from service_nb.client.service import Service

ROWS = [{"region": "north", "revenue": 3}, {"region": "south", "revenue": 2}, {"region": "north", "revenue": 5}]
PUBLIC = [*(getattr(service_nb, name) for name in service_nb.__all__), AgentTools, create_tools]
PARENTS = [parent for each in PUBLIC if inspect.isclass(each) for parent in each.mro()]
DOCUMENTED = {*PARENTS, *filter(inspect.isfunction, PUBLIC)}
FOUND = {
    test.name: test
    for owner in sorted(DOCUMENTED, key=lambda owner: owner.__name__)
    if owner.__module__.startswith("service_nb")
    for test in doctest.DocTestFinder().find(owner)
}
EXAMPLES = {name: test for name, test in FOUND.items() if test.examples}


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.chdir(tmp_path)
    with service_nb.create_service(runtime="in_process", mode="local", ledger=tmp_path / "ledger") as made:
        made.connect(ROWS, name="sales")
        yield made


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_shows_what_is_returned(service: Service, name: str) -> None:
    test, told = EXAMPLES[name], list[str]()
    test.globs = {"service": service, "service_nb": service_nb, "closing": closing, "create_tools": create_tools}
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.append)
    assert "".join(told) == ""


def test_every_public_method_is_documented() -> None:
    public = [name for name in vars(Service) if not name.startswith("_")]
    assert len(public) > 30
    assert [name for name in public if not inspect.getdoc(inspect.getattr_static(Service, name))] == []
