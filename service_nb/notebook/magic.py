"""A magic as one record, and how its line is read: options, words, and a question that is left as it was typed.

No shell rules apply: a backslash is a backslash. Text in '…', "…" or `…` is one word, a quote inside it is doubled.
Options may stand anywhere outside quotes, and a word that begins with # begins a remark, as in Python. What remains is
the question, with blanks where options were, so that a column in an error counts from where the user counts.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, cast

from IPython.core.magic import needs_local_scope, no_var_expand

from service_nb.cards.digits import MOST_DIGITS, Digits
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError, LimitExceededError, ServiceError

if TYPE_CHECKING:
    from service_nb.notebook.completion import Cursor, Suggestion
    from service_nb.notebook.session import ServiceMagics

MAX_CHARS = 20_000
_WORD = re.compile(r"""(?:'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\S)+""")
_QUOTED = re.compile(r"""'(?P<single>(?:[^']|'')*)'|"(?P<double>(?:[^"]|"")*)"|(?P<bare>[^'"]+|['"])""")


@dataclass(frozen=True, slots=True)
class Flag:
    """An option: a switch, perhaps with one of its choices, or one that takes a value, named so on the help page."""

    name: str
    about: str
    value: str | None = None
    choices: tuple[str, ...] = ()
    also: str | None = None  # another spelling that is taken

    @property
    def shown(self) -> str:
        """The option as a help page shows it."""
        choices = "|".join(self.choices)
        if self.value is None:
            return f"{self.name} [{choices}]" if choices else self.name
        return f"{self.name} {choices or self.value}"


HELP = Flag("--help", "show this page")
DIGITS = Flag("--digits", "significant digits to show, 1 to 17; exact: every digit", "N")
AS = Flag("--as", "assign the result to a variable", "NAME")


class Words(NamedTuple):
    """The number of words that a magic takes beside its options, and what they are, for messages."""

    least: int = 0
    most: int = 0
    what: str = "no words, only options"


ONE_SOURCE = Words(1, 1, "the name of one source")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word between blanks and where it stands. `text` is without quotes; `quoted` tells whether it had any."""

    raw: str
    start: int

    @property
    def end(self) -> int:
        """The place behind its last character."""
        return self.start + len(self.raw)

    @property
    def quoted(self) -> bool:
        """True if the whole word is one quoted text."""
        return len(self.raw) > 1 and self.raw[0] in "'\"" and self.raw[-1] == self.raw[0]

    @property
    def text(self) -> str:
        """The word without its quotes."""
        return strip_quotes(self.raw)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """A magic's line, read, and the cell below it. `silent`: a semicolon ended the line."""

    question: str
    words: tuple[Word, ...]
    options: dict[str, str | bool] = field(default_factory=dict)
    silent: bool = False
    line: str = ""  # as it was written, without a remark or semicolon at its end
    cell: str | None = None
    scope: Mapping[str, object] = field(default_factory=dict)  # the variables of the notebook

    def get_text(self, flag: str) -> str | None:
        """Find the value of an option; None if it was not given."""
        value = self.options.get(flag)
        return value if isinstance(value, str) else None

    @property
    def is_silent(self) -> bool:
        """True if a semicolon ends the line, or the cell below it."""
        return self.silent or (self.cell or "").rstrip().endswith(";")

    def find_variable(self, name: str) -> object:
        """Find a variable of the notebook; raise `invalid_intent` where there is none of that name."""
        if name not in self.scope:
            raise InvalidIntentError(f"No variable is called {name!r}.", met=f"${name}", expected="a variable's name")
        return self.scope[name]

    def read_limit(self, default: int, most: int) -> int:
        """Read `--limit`; raise `invalid_intent` unless it is a number from 1 to `most`."""
        return self.read_count("--limit", default, most)

    def read_digits(self, default: object) -> Digits:
        """Read `--digits`, how many digits a card shows; raise `invalid_intent` unless it may show so many."""
        text = self.get_text("--digits")
        if text is None:
            return cast("Digits", default)
        if text == "exact":
            return "exact"
        if text.isascii() and text.isdigit() and len(text) < 3 and 1 <= int(text) <= MOST_DIGITS:
            return int(text)
        raise InvalidIntentError(
            f"--digits is {describe_value(text)}.",
            hint="For example: --digits 4, or --digits exact for every digit.",
            met=describe_value(text),
            expected=f"a whole number from 1 to {MOST_DIGITS}, or exact",
            path="--digits",
        )

    def read_count(self, flag: str, default: int, most: int) -> int:
        """Read an option that counts; raise `invalid_intent` unless it is a number from 1 to `most`."""
        text = self.get_text(flag) or str(default)
        if not text.isascii() or not text.isdigit() or not 1 <= int(text[:6]) <= most:
            raise InvalidIntentError(f"{flag} is {text!r}.", met=text, expected=f"a number from 1 to {most}")
        return int(text)


@dataclass(slots=True, eq=False)
class Magic:
    """The record of a magic, for help, parsing and completion.

    The docstring of `run` is its help, in paragraphs: a summary; its forms, unless its name alone is one; more about
    it; and last examples.
    `label` is the progress line of one that may take long; `{}` in it stands for the first word.
    """

    magic: str  # as it is typed, with its sign
    run: Callable[[ServiceMagics, Arguments], object]
    offers: Callable[[Cursor, ServiceMagics], tuple[str, list[Suggestion]]] | None = None
    words: Words | None = Words()  # noqa: RUF009  # a tuple; None for a magic that reads its words itself
    flags: tuple[Flag, ...] = ()
    instead: Mapping[str, str] = field(default_factory=dict)  # of options that people write: what they mean here
    label: str = ""
    takes_cell: bool = False
    summary: str = field(init=False)
    forms: list[str] = field(init=False)
    about: str = field(init=False)
    examples: list[str] = field(init=False)

    def __post_init__(self) -> None:
        """Read the help from the docstring of `run`."""
        self.summary, *parts, examples = (inspect.getdoc(self.run) or "").split("\n\n")
        self.forms = parts.pop(0).split("\n") if parts and parts[0].startswith("%") else [self.magic]
        self.about = "\n\n".join(parts)
        self.examples = re.split(r"\n(?=.*%service_)", examples)

    @property
    def name(self) -> str:
        """The name without its sign."""
        return self.magic.lstrip("%")

    @property
    def all_flags(self) -> tuple[Flag, ...]:
        """Every option, those of all magics last."""
        return (*self.flags, AS, HELP)

    def write_page(self) -> str:
        """Write the help page, which is also the docstring that `%magic?` shows."""
        width = max(len(flag.shown) for flag in self.all_flags)
        parts = [
            self.summary,
            "\n".join(f"    {form}" for form in self.forms),
            self.about,
            "Options:\n" + "\n".join(f"    {flag.shown:<{width}}  {flag.about}" for flag in self.all_flags),
            "Examples:\n" + "\n".join(f"    {line}" for example in self.examples for line in example.splitlines()),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def read(self, line: str) -> Arguments:
        """Split a line into options and the rest.

        Raises
        ------
        InvalidIntentError
            An unknown option, one without its value, or twice the same.
        """
        if len(line) > MAX_CHARS:
            raise LimitExceededError(
                f"The line has {len(line):,} characters; the limit is {MAX_CHARS:,}.", limit=MAX_CHARS, value=len(line)
            )
        text, silent = _strip_semicolon(_strip_remark(line))
        words = list(split_words(text))
        options: dict[str, str | bool] = {}
        left: list[Word] = []
        question = text
        position = 0
        while position < len(words):
            word = words[position]
            if not word.raw.startswith("--") or word.raw == "--":
                left.append(word)
                position += 1
                continue
            flag, value, position = self._take(words, position)
            if flag.name in options:
                raise InvalidIntentError(f"{self.magic}: {flag.name} is given twice.", met=flag.name)
            options[flag.name] = value
            question = _blank_out(question, word.start, words[position - 1].end)
        return Arguments(question=question, words=tuple(left), options=options, silent=silent, line=text.strip())

    def attempt(self, line: str) -> Arguments | None:
        """Read a line as `read` does, but return None if it breaks the rules."""
        try:
            return self.read(line)
        except (InvalidIntentError, LimitExceededError):
            return None

    def check_words(self, arguments: Arguments, words: Words | None) -> None:
        """Raise `invalid_intent` for too few or too many words."""
        if words is not None and not words.least <= len(arguments.words) <= words.most:
            raise InvalidIntentError(
                f"{self.magic} takes {words.what}.",
                hint="Write a name or path with blanks in quotes." if len(arguments.words) > words.most > 0 else None,
                met=" ".join(word.raw for word in arguments.words),
                expected=words.what,
            )

    def bind(self, session: ServiceMagics) -> Callable[..., object]:
        """Make the function that IPython runs: help, arguments, progress, `--as`, `;`, and the last error."""

        @no_var_expand
        @needs_local_scope
        def run(line: str, cell: str | None = None, *, local_ns: Mapping[str, object] | None = None) -> object:
            try:
                arguments = replace(self.read(line), cell=cell, scope={**session.shell.user_ns, **(local_ns or {})})
                if "--help" in arguments.options:
                    print(self.write_page(), end="")  # noqa: T201  # as help() does
                    return None
                name = _read_variable_name(arguments)
                self.check_words(arguments, self.words)
                label = self.label.replace("{}", arguments.words[0].text if arguments.words else "")
                with session.screen.working(label) as progress:
                    value = self.run(session, arguments)
            except ServiceError as error:
                session.note_error(error, self, line, cell)
                raise
            if name is not None:
                session.shell.push({name: value})
            return session.screen.finish(self.name, value, progress, is_silent=arguments.is_silent)

        run.__name__, run.__doc__ = self.name, self.write_page()
        return run

    def _take(self, words: Sequence[Word], position: int) -> tuple[Flag, str | bool, int]:
        name, given, inline = words[position].raw.partition("=")
        flag = self._find_flag(name, words[position].start)
        if flag.value is None and not (given and flag.choices):
            if given:
                raise InvalidIntentError(f"{self.magic}: {flag.name} takes no value.", met=words[position].raw)
            follows = words[position + 1].raw if position + 1 < len(words) else ""
            return (flag, follows, position + 2) if follows in flag.choices else (flag, True, position + 1)
        if not given:
            position += 1
            inline = words[position].raw if position < len(words) else ""
            if not inline or inline.startswith("--"):
                raise InvalidIntentError(
                    f"{self.magic}: {flag.name} needs a value.", hint=f"Write {flag.shown}.", met=flag.name
                )
        value = strip_quotes(inline)
        if flag.choices and value not in flag.choices:
            raise InvalidIntentError(
                f"{self.magic}: {flag.name} is {value!r}.",
                hint=f"It may be {' or '.join(flag.choices)}.",
                met=value,
                expected=list(flag.choices),
                did_you_mean=difflib.get_close_matches(value, flag.choices, n=1) or None,
            )
        return flag, value, position + 1

    def _find_flag(self, name: str, start: int) -> Flag:
        known = {flag.name: flag for flag in self.all_flags}
        taken = {flag.also: flag for flag in self.flags if flag.also is not None} | known
        if name in taken:
            return taken[name]
        near = [] if name in self.instead else difflib.get_close_matches(name, known, n=1)
        takes = self.instead.get(name, f"It takes {', '.join(known)}.")
        raise InvalidIntentError(
            f"{self.magic} has no option {name}.",
            hint=f"Did you mean {near[0]}?" if near else takes,
            met=name,
            column=start + 1,
            expected=list(known),
            did_you_mean=near or None,
        )


def split_words(text: str) -> Iterator[Word]:
    """Yield the words of a line; quotes hold blanks together."""
    return (Word(raw=found.group(), start=found.start()) for found in _WORD.finditer(text))


def strip_quotes(raw: str) -> str:
    """Take the quotes off a word; inside quotes a doubled quote is one."""
    return "".join(
        found["bare"] or (found["single"] or "").replace("''", "'") + (found["double"] or "").replace('""', '"')
        for found in _QUOTED.finditer(raw)
    )


def read_pairs(flag: str, text: str) -> dict[str, str]:
    """Read `a=b,c=d`; a comma inside parentheses, as in decimal(12,2), parts nothing."""
    pairs: dict[str, str] = {}
    for part in re.findall(r"(?:\([^)]*\)|[^,])+", text) or [""]:
        key, sign, value = part.partition("=")
        if not sign or not key.strip() or not value.strip() or key.strip() in pairs:
            raise InvalidIntentError(
                f"{flag}: {part.strip()!r} is not name=value, or its name is given twice.",
                hint=f"Write {flag} name=value,other=value.",
                met=part.strip(),
                expected="name=value",
            )
        pairs[key.strip()] = value.strip()
    return pairs


def _read_variable_name(arguments: Arguments) -> str | None:
    name = arguments.get_text("--as")
    if name is not None and not name.isidentifier():
        raise InvalidIntentError(f"--as {name}: this is not a variable name.", met=name, expected="an identifier")
    return name


def _strip_remark(line: str) -> str:
    return next((line[: word.start] for word in split_words(line) if word.raw.startswith("#")), line)


def _strip_semicolon(line: str) -> tuple[str, bool]:
    text = line.rstrip()
    is_value = re.search(r"(?:^|\s)--\S+\s+;$", text) is not None  # of the option before it: `--delimiter ;`
    return (text[:-1], True) if text.endswith(";") and not is_value else (line, False)


def _blank_out(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]
