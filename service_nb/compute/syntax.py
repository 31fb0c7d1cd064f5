"""The compute line: the text spelling of a ComputationSpec.

    <module>.<function> <parameter>=<value> … [seed=<n>] [where <condition> and|or …]
    <module>.<function>(<parameter>=<value>, …) [where <condition> and|or …]

    finance.npv rate=0.1 cashflows=budget.flow where year = 2024
    finance.npv(rate=0.1, cashflows=[-1000, 300, 420])
    hypothesis.t_test_welch first=trial.score[arm = 'A'] second=trial.score[arm = 'B']

A value is a number, 'text' or "text", true, false, a list such as [-1000, 300, 420], a column `source.field`, a
variable of the notebook, `$name`, or a column of one, `$answer.revenue`. A condition in [brackets] behind a column
selects the rows of that column alone. Names that hold anything but letters, digits
and underscores stand in `backticks`.
A comma may stand between arguments. The form with parentheses is the one that a card prints: there, "text" in double
quotes is JSON, with its escapes; elsewhere a quote inside a text is doubled, and a backslash is a backslash.
A `where` at the end selects the rows of all columns. Conditions are in the words of the ask line. Columns of one source
under one condition are one binding.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as field_of
from types import MappingProxyType
from typing import Any

from service_nb.core.words import NAME_PATTERN, describe_value, find_nearest, write_name
from service_nb.errors import InvalidIntentError, LimitExceededError

MAX_CHARS = 100_000
MAX_DEPTH = 8
MOST_NAMES = 12  # of columns that an error lists
NAME = re.compile(NAME_PATTERN + "|`(?:[^`]|``)+`")
CAPABILITY = re.compile(r"[A-Za-z_]\w*\.[A-Za-z_]\w*")
NUMBER = re.compile(r"[-+]?(?:\d+(?:_\d+)*)(?:\.\d*)?(?:[eE][-+]?\d+)?|[-+]?\.\d+(?:[eE][-+]?\d+)?")
ZEROS = re.compile(r"[-+]?0[\d_]")  # 1,000 in a list would be 1 and 0
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
TEXT = re.compile(r"'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"")
SELECTION = re.compile(r"""\[((?:'[^']*'|"[^"]*"|`[^`]*`|[^\]\['"`])*)\]""")  # a bracket in quotes closes nothing
JSON_TEXT = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
WORDS = {"true": True, "false": False}
MOST_DIGITS = 1_000_000  # of a whole number; the capability's own limit comes later
SHORTENED = 20  # signs that a card shows of a long text's beginning, and of its end; with … between them
ENDS = re.compile(r"[\s,\])]|$")


@dataclass(frozen=True, slots=True)
class ColumnReference:
    """A column that a parameter is bound to, and the text of the condition in brackets behind it."""

    source: str
    field: str
    where: str | None = None
    where_at: int = field_of(default=0, compare=False)  # the place of its first character in the line


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the notebook, or a column of one, whose value becomes a literal."""

    name: str
    field: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeLine:
    """A line, read: the capability, what its parameters are given, and the text behind `where`."""

    module: str
    function: str
    arguments: Mapping[str, object] = field_of(default_factory=dict)
    seed: int | None = None
    where: str | None = None
    where_at: int = 0  # the place of its first character in the line

    @property
    def sources(self) -> list[str]:
        """The sources whose columns the line binds, in order."""
        return list(dict.fromkeys(column.source for column in self.columns.values()))

    @property
    def columns(self) -> dict[str, ColumnReference]:
        """The columns that the line binds, by parameter."""
        return {name: value for name, value in self.arguments.items() if isinstance(value, ColumnReference)}

    @property
    def variables(self) -> set[Variable]:
        """The variables that the line names."""
        return {value for value in self.arguments.values() if isinstance(value, Variable)}

    def build_spec(
        self,
        variables: Mapping[Variable, object],
        filters: Mapping[ColumnReference, Mapping[str, object]] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """Return the ComputationSpec.

        Parameters
        ----------
        variables : mapping
            The values of the variables that the line names.
        filters : mapping, optional
            What selects the rows of a column: its own condition and that of `where`.
        """
        literals = {name: value for name, value in self.arguments.items() if not isinstance(value, ColumnReference)}
        spec: dict[str, object] = {
            "module": self.module,
            "function": self.function,
            "kwargs": {
                name: variables[value] if isinstance(value, Variable) else value for name, value in literals.items()
            },
        }
        bindings = self._build_bindings(filters)
        if bindings:
            spec["bindings"] = bindings
        if self.seed is not None:
            spec["seed"] = self.seed
        return spec

    def _build_bindings(self, filters: Mapping[ColumnReference, Mapping[str, object]]) -> list[dict[str, object]]:
        bindings: list[dict[str, Any]] = []
        for source, where in dict.fromkeys((column.source, column.where) for column in self.columns.values()):
            bound = {name: each for name, each in self.columns.items() if (each.source, each.where) == (source, where)}
            names, fields = list(bound), [column.field for column in bound.values()]
            filter_ = filters.get(next(iter(bound.values())))
            if len(bound) == 1:
                binding: dict[str, Any] = {"parameter": names[0], "source": source, "field": fields[0]}
            else:
                binding = {"parameters": names, "fields": fields, "source": source, "alignment": "rowwise"}
            bindings.append(binding | ({"filter": filter_} if filter_ else {}))
        return bindings


def parse_compute(text: str) -> ComputeLine:
    """Read a compute line.

    Raises
    ------
    InvalidIntentError
        The line breaks the rules; details name `column`, `met` and `expected`.
    LimitExceededError
        The line is longer than 100,000 characters, or nested deeper than 8 levels.
    """
    if len(text) > MAX_CHARS:
        raise LimitExceededError(
            f"The line has {len(text):,} characters; the limit is {MAX_CHARS:,}.", limit=MAX_CHARS, value=len(text)
        )
    return _LineReader(text).read_line()


def read_variable(variable: Variable, variables: Mapping[str, object]) -> object:
    """Read a variable as plain Python values: arrays, series and columns become lists.

    A column is one of an answer's rows, of a frame, or of a mapping of columns.
    """
    name = variable.name
    if name not in variables:
        near = find_nearest(name, variables, 1)
        raise InvalidIntentError(
            f"No variable is called {name!r}.",
            hint=f"Did you mean ${near[0]}?" if near else None,
            met=f"${name}",
            expected="a variable's name",
            did_you_mean=near or None,
        )
    if variable.field is None:
        return _to_plain(variables[name])
    return _to_plain(_find_column(variables[name], variable))


def _find_column(value: Any, variable: Variable) -> object:
    """Find a column of an answer, which has `columns` with names and a method `column`, or of a frame or mapping."""
    has_method = callable(getattr(type(value), "column", None))
    if not (has_method or isinstance(value, Mapping) or hasattr(type(value), "columns")):
        raise InvalidIntentError(
            f"${variable.name} has no columns.",
            hint=f"Write ${variable.name} for the whole of it.",
            met=type(value).__name__,
            expected="an answer or a frame",
        )
    names = [each["name"] for each in value.columns] if has_method else list(getattr(value, "columns", value))
    if variable.field not in names:
        near = find_nearest(str(variable.field), [str(each) for each in names], 1)
        raise InvalidIntentError(
            f"${variable.name} has no column {describe_value(variable.field)}.",
            hint=f"Did you mean ${variable.name}.{write_name(near[0])}?" if near else f"It has {_join_names(names)}.",
            met=variable.field,
            expected=[str(each) for each in names[:MOST_NAMES]],
            did_you_mean=near or None,
        )
    column: object = value.column(variable.field) if has_method else value[variable.field]
    return column


def _join_names(names: Sequence[object]) -> str:
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return ", ".join(write_name(str(each)) for each in names[:MOST_NAMES]) + more


def _to_plain(value: object) -> object:
    """Convert a value to plain Python: anything with `tolist` or `to_list` becomes a list, a scalar Python's own."""
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(type(value), method):
            return getattr(value, method)()
    return [_to_plain(item) for item in value] if isinstance(value, list | tuple | range) else value


class _LineReader:
    """Reads one line from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.is_call = False  # written with parentheses, as a card prints it

    def read_line(self) -> ComputeLine:
        self._skip_blanks()
        capability = self._take(CAPABILITY, "a capability such as finance.npv")
        module, _, function = capability.partition(".")
        self.is_call = self._peek() == "("
        if self.is_call:
            self._skip()
        arguments = self._read_arguments()
        if self.is_call:
            self._close()
        seed = arguments.pop("seed", None)
        line = ComputeLine(module=module, function=function, arguments=arguments, seed=seed)
        if not self._is_at_where():
            return line
        self.place += len("where")
        self._skip_blanks()
        return replace(line, where=self.text[self.place :].rstrip(), where_at=self.place)

    def _read_arguments(self) -> dict[str, Any]:
        arguments: dict[str, object] = {}
        while not self._is_at_end() and not self._is_at_where() and not (self.is_call and self._peek() == ")"):
            start = self.place
            name = _strip_backticks(self._take(NAME, "parameter=value: each argument has its name"))
            self._take_sign(name)
            value = self._read_value(0)
            if name in arguments:
                raise self._build_fault(f"{name} is given twice", start, "each parameter once")
            arguments[name] = self._require_whole(value, start) if name == "seed" else value
            if self._peek() == ",":
                self._skip()
                if self._is_at_end():
                    raise self._build_fault("the line ends with a comma", self.place, "parameter=value")
        return arguments

    def _close(self) -> None:
        if self._peek() != ")":
            raise self._build_fault("the call is not closed", self.place, "parameter=value or )")
        self._skip()
        if not self._is_at_end() and not self._is_at_where():
            raise self._build_fault(
                "more text follows the call", self.place, "where and a condition, or the end of the line"
            )

    def _read_value(self, depth: int) -> object:
        if depth > MAX_DEPTH:
            raise LimitExceededError(f"The list is deeper than {MAX_DEPTH} levels.", limit=MAX_DEPTH, value=depth)
        here = self._peek()
        if here == "[":
            return self._read_list(depth)
        if here in ("'", '"'):
            return self._read_quoted()
        if here == "$":
            self.place += 1
            return self._read_variable()
        if here == "…":
            raise self._build_fault("cards shorten long values", self.place, "the whole value")
        if here.isdigit() or here in ("-", "+", "."):
            return self._read_number()
        return self._read_word()

    def _read_variable(self) -> Variable:
        name = self._take(re.compile(r"[A-Za-z_]\w*"), "a variable's name behind the $", blanks=False)
        if self._peek() != ".":
            self._skip_blanks()
            return Variable(name)
        self.place += 1
        return Variable(name, _strip_backticks(self._take(NAME, "a column's name behind the dot")))

    def _read_list(self, depth: int) -> list[object]:
        items: list[object] = []
        self._skip()
        while self._peek() != "]":
            items.append(self._read_value(depth + 1))
            if isinstance(items[-1], ColumnReference | Variable):
                raise self._build_fault("a list holds values only", self.place, "numbers or texts")
            self._skip_blanks()
            if self._peek() == ",":
                self._skip()
            elif self._peek() != "]":
                raise self._build_fault("the list is not closed", self.place, ", or ]")
        self._skip()
        return items

    def _read_quoted(self) -> str:
        if self.is_call and self._peek() == '"':
            return self._read_json_text()
        found = TEXT.match(self.text, self.place)
        if found is None:
            raise self._build_fault("the text is not closed", self.place, "a closing quote")
        self.place = found.end()
        self._skip_blanks()
        single, double = found.groups()
        return double.replace('""', '"') if single is None else single.replace("''", "'")

    def _read_json_text(self) -> str:
        found = JSON_TEXT.match(self.text, self.place)
        try:
            text: str = json.loads(found.group() if found else "")
        except ValueError:
            raise self._build_fault("this text is not valid JSON", self.place, "text such as \"a\", or 'a'") from None
        written = found.group() if found else ""
        if len(written) == 2 * SHORTENED + 1 and written[SHORTENED] == "…":
            raise self._build_fault(
                "this looks like a text that a card has shortened", self.place, "the whole text, or this one in '…'"
            )
        self.place += len(written)
        self._skip_blanks()
        return text

    def _read_number(self) -> int | float | str:
        start = self.place
        date = DATE.match(self.text, start)
        if date is not None and ENDS.match(self.text, date.end()):
            self.place = date.end()
            self._skip_blanks()
            return date.group()
        found = NUMBER.match(self.text, start)
        if found is None or not ENDS.match(self.text, found.end()):
            raise self._build_fault("this is not a number", start, "a number such as -1.5e3")
        if ZEROS.match(found.group()):
            raise self._build_fault("a number must not begin with 0", start, "1000 or 1_000 for a thousand")
        self.place = found.end()
        self._skip_blanks()
        written = found.group().replace("_", "")
        return self._convert_integer(written, start) if written.lstrip("+-").isdigit() else float(written)

    def _convert_integer(self, written: str, start: int) -> int | str:
        digits = written.lstrip("+-")
        if len(digits) > MOST_DIGITS:
            raise self._build_fault("the number has too many digits", start, f"at most {MOST_DIGITS:,}")
        # Beyond what every JSON reader keeps, whole numbers travel as text.
        return written.lstrip("+") if len(digits) > 16 or int(digits) >= 2**53 else int(written)

    def _read_word(self) -> object:
        start = self.place
        first = self._take(NAME, "a value: a number, 'text', [list], source.field or $variable", blanks=False)
        if self._peek() == ".":
            self.place += 1
            column = ColumnReference(
                _strip_backticks(first), _strip_backticks(self._take(NAME, "a field's name behind the dot"))
            )
            if self._peek() == "(":  # a card says that rows were chosen, and not which: `sales.revenue (filtered)`
                raise self._build_fault(
                    "this cannot follow a column",
                    self.place,
                    "a condition behind it, [column = value], or at the end of the line: where column = value",
                )
            return self._read_selection(column) if self._peek() == "[" else column
        self._skip_blanks()
        if first.lower() in WORDS:
            return WORDS[first.lower()]
        name = _strip_backticks(first)
        raise self._build_fault(
            f"{describe_value(name)} alone is not a value",
            start,
            f"a column source.{name}, text '{name}' or a variable ${name}",
            name,
        )

    def _read_selection(self, column: ColumnReference) -> ColumnReference:
        """Read the condition in brackets behind a column, as text: it is parsed as one of an ask line."""
        start = self.place
        found = SELECTION.match(self.text, start)
        if found is None:
            raise self._build_fault("the condition is not closed", start, "[column = value]")
        written = found[1].rstrip()
        if not written.strip():
            raise self._build_fault("there is no condition in the brackets", start, "[column = value]")
        self.place = found.end()
        self._skip_blanks()
        blanks = len(written) - len(written.lstrip())
        return replace(column, where=written.lstrip(), where_at=start + 1 + blanks)

    def _take_sign(self, name: str) -> None:
        if self._peek() == ".":
            raise self._build_fault("an argument has no name", self.place - len(name), "parameter=value")
        if self._peek() != "=":
            raise self._build_fault(f"{describe_value(name)} has no value", self.place, "=")
        self._skip()

    def _require_whole(self, value: object, start: int) -> int:
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        if type(value) is not int:
            raise self._build_fault("the seed must be a whole number", start, "seed=7")
        return value

    def _take(self, pattern: re.Pattern[str], expected: str, *, blanks: bool = True) -> str:
        found = pattern.match(self.text, self.place)
        if found is None:
            met = self.text[self.place :].split(maxsplit=1)
            says = f"{describe_value(met[0])} is not expected here" if met else "the line ends too early"
            raise self._build_fault(says, self.place, expected)
        self.place = found.end()
        if blanks:
            self._skip_blanks()
        return found.group()

    def _skip_blanks(self) -> None:
        while self._peek().isspace():
            self.place += 1

    def _peek(self) -> str:
        return self.text[self.place : self.place + 1]

    def _skip(self) -> None:
        """Skip one character and the blanks after it."""
        self.place += 1
        self._skip_blanks()

    def _is_at_end(self) -> bool:
        return self.place >= len(self.text)

    def _is_at_where(self) -> bool:
        return re.match(r"where\b(?!\s*=[^=])", self.text[self.place : self.place + 12], re.IGNORECASE) is not None

    def _build_fault(self, says: str, place: int, expected: str, name: str | None = None) -> InvalidIntentError:
        met = self.text[place:].split(maxsplit=1)
        return InvalidIntentError(
            f"At column {place + 1}: {says}.",
            hint=f"Expected {expected}.",
            column=place + 1,
            met=met[0][:40] if met else "the end of the line",
            expected=expected,
            name=name,
        )


def _strip_backticks(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
