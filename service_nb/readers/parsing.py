"""SQL into trees, in a number of steps that is bounded by its length.

The parser tries one reading after the other, and goes back where none fits: of `date(date(date(…` each level doubles
what it has to do. A text of a hundred characters would keep a thread for hours, and no thread can be ended.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from service_nb.errors import LimitExceededError

STEPS_A_TOKEN = 10  # texts that people write take one to three
FREE_STEPS = 5_000


def statements(query: str, dialect: str) -> list[exp.Expr]:
    """Return the statements of a text.

    Raises
    ------
    LimitExceededError [limit_exceeded]
        It is nested in such a way that reading it would take for ever.
    sqlglot.errors.SqlglotError, RecursionError
        It is no SQL.
    """
    spoken = Dialect.get_or_raise(dialect)
    tokens = spoken.tokenize(query)
    parser = _patient(dialect)(dialect=spoken)
    parser.steps_left = FREE_STEPS + STEPS_A_TOKEN * len(tokens)
    return [tree for tree in parser.parse(tokens, query) if tree is not None]


@cache
def _patient(dialect: str) -> Any:
    """Return the dialect's parser, which gives up when it has gone back and forth for too long."""

    class Patient(Dialect.get_or_raise(dialect).parser_class):  # type: ignore[misc]  # which one is known here
        steps_left = FREE_STEPS

        def _advance(self, times: int = 1) -> None:
            self.steps_left -= 1
            if self.steps_left < 0:
                raise LimitExceededError(
                    "The query is nested too deeply.",
                    hint="Move the innermost part into a WITH clause.",
                    path="connector.query",
                    limit_name="steps",
                )
            super()._advance(times)

    return Patient
