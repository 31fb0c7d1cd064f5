"""What the TypeScript half of the link is tested with is what the Python half says."""

from __future__ import annotations

from service_nb.errors import PolicyDeniedError
from tests.vectors import make_link
from tests.vectors.cases import document


def test_the_exchanges_are_those_of_the_link() -> None:
    # Of another contract or another release: python -m tests.vectors.make_link
    assert document("link/exchanges.json")["cases"] == make_link.exchanges()


def test_the_codes_are_those_of_the_errors() -> None:
    assert document("link/codes.json")["cases"] == make_link.codes()
    assert PolicyDeniedError("", denied="field").code in make_link.codes()
