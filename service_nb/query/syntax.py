"""The ask line: the text spelling of a QuerySpec.

    <aggregation> [<metric>] [by <column>, …] [from <source>] [where <condition> and …] [order asc|desc] [limit <n>]

    sum revenue by region, `Order Year` from sales where status = 'paid' and amount >= 10.50 order desc limit 5

A condition is one of::

    column = value      != (or <>)      <      <=      >      >=
    column in (value, …)                column not in (value, …)
    column between value and value
    column is null                      column is not null
    column contains 'text'              column starts with 'text'
    column during this_month            this_ or last_ month, quarter, year

Values are 'text' or "text" (a quote inside is doubled), numbers, true, false, and dates such as 2013-01-31. A name that
is a keyword or holds anything but letters, digits and underscores stands in `backticks`. Keywords know no case.

`parse_ask` and `format_ask` are inverse to each other, so a line and a spec have the same plan hash.
"""

from __future__ import annotations

from service_nb.errors import InvalidIntentError, LimitExceededError
from service_nb.query.ask_format import AskSpec

MAX_CHARS = 10_000


def parse_ask(text: str) -> AskSpec:
    """Read an ask line into the spec a caller would write as a dict.

    Raises
    ------
    InvalidIntentError
        The line breaks the grammar; details name `line`, `column`, `met`, `expected` and `did_you_mean`.
    LimitExceededError
        The line is longer than 10,000 characters, or a number in it longer than 400.
    """
    if not isinstance(text, str):
        raise InvalidIntentError(f"An ask line is text, not {type(text).__name__}.", expected=["text"])
    if len(text) > MAX_CHARS:
        raise LimitExceededError(
            f"The ask line has {len(text):,} characters; the limit is {MAX_CHARS:,}.",
            limit=MAX_CHARS,
            value=len(text),
        )
    # Lark takes 60 ms to load and to build its tables; a program that asks by dict never pays for it.
    from service_nb.query import ask_grammar  # noqa: PLC0415

    return ask_grammar.parse(text)
