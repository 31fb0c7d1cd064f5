"""What every magic does around its own work: help, arguments, `--as`, `;`, and a memory of the last error."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from service_nb.errors import InvalidIntentError, ServiceError
from service_nb.notebook.arguments import Arguments, Usage


def reads(usage: Usage) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a magic its docstring, its `--help`, its arguments read, `--as`, `;` and a memory of its last error."""

    def told(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def run(self: Any, line: str, cell: str | None = None, *, local_ns: Mapping[str, Any] | None = None) -> Any:
            try:
                arguments = usage.read(line)
                if "--help" in arguments.options:
                    print(usage.page(), end="")  # noqa: T201  # as help() does
                    return None
                name = variable_name(arguments)
                value = method(self, arguments, cell, {**self.shell.user_ns, **(local_ns or {})})
            except ServiceError as error:
                self.last_error = error
                raise
            if name is not None:
                self.shell.push({name: value})
            # As behind an expression: nothing is displayed. Where the value goes anywhere else it is returned.
            silenced = is_silent(arguments, cell) and self.screen.will_show(usage.magic.lstrip("%"))
            return None if silenced else value

        run.__doc__ = usage.page()
        return run

    return told


def is_silent(arguments: Arguments, cell: str | None) -> bool:
    """Whether a semicolon ends the line, or the cell below it."""
    return arguments.silent or (cell or "").rstrip().endswith(";")


def variable_name(arguments: Arguments) -> str | None:
    """Return what `--as` names.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is no name of a variable.
    """
    name = arguments.text("--as")
    if name is not None and not name.isidentifier():
        raise InvalidIntentError(f"--as {name}: this is not a variable name.", met=name, expected="an identifier")
    return name


def variable(name: str, scope: Mapping[str, Any]) -> Any:
    """Return a variable of the notebook.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There is none of that name.
    """
    if name not in scope:
        raise InvalidIntentError(f"No variable is called {name!r}.", met=f"${name}", expected="a variable's name")
    return scope[name]


def count(arguments: Arguments, default: int, most: int) -> int:
    """Return what `--limit` says.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is no number from 1 to `most`.
    """
    text = arguments.text("--limit") or str(default)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:6]) <= most:
        raise InvalidIntentError(f"--limit is {text!r}.", met=text, expected=f"a number from 1 to {most}")
    return int(text)
