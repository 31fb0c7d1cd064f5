"""Names of other libraries, and what each is here: NumPy's `std` is `stats.std_population`.

The table stands in `foreign_names.json`; both languages read it. A row of the same definition is a counterpart; one of
another is the nearest, and says why. Arguments are bound by name, with what turns the other library's value into ours
(`percent`: 90 is 0.9), so that what was typed for another library means the same here or is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cache
from importlib.resources import files
from typing import Any

import orjson

from service_nb.core.canonical import write_canonical_text
from service_nb.core.words import GREEK, split_words

MOST_NAME = 120  # characters of a name that is looked up

# How a value of another library becomes one of ours, and a result of ours one of its own where the row says so.
CONVERSIONS = ("percent", "negated", "half", "quarter", "reciprocal", "dashes", "later")

_CALL = re.compile(r"\s*[=+]?\s*([^(\[\s]+)")
_SPACES = re.compile(r"[\s_\-\u2010-\u2015]+")
_APOSTROPHES = re.compile(r"['\u2019]")
_IN_SYMBOLS = re.compile(r"[\\{}_^\s]")
# Words around a name or a method that say nothing of it.
FILLERS = split_words(
    "a algorithm an calculate compute do equation fit for formula function how in method model of perform run the to "
    "using with"
)
_LETTER_NAMES = {letter: name for name, letter in GREEK.items() if name.islower() and not name.startswith("var")}
_LETTER_NAMES["\u00b5"] = "mu"  # the sign of micro
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class ForeignArgument:
    """An argument of another library, as it is here: a parameter and how its value becomes ours; or no parameter."""

    parameter: str | None
    conversion: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterpart:
    """A name of another library, as it is here."""

    library: str
    name: str
    capability: str
    # Whether both compute the same from the same values; where not, this is the nearest, and `difference` says why.
    is_same: bool
    difference: str
    origin: str
    # In the order of the other library: the arguments that it takes, and what they are here.
    arguments: Mapping[str, ForeignArgument] = field(default_factory=dict)
    # Arguments without a parameter of ours, with the value for which this row holds: `ddof` is 0.
    settings: Mapping[str, str] = field(default_factory=dict)
    # Arguments that the other library has a value for where none is given.
    defaults: Mapping[str, str] = field(default_factory=dict)
    # Parameters of ours that its definition fixes.
    fixed: Mapping[str, str | float] = field(default_factory=dict)
    # Its result is this part of ours, and turned by this conversion.
    part: str = ""
    result: str = ""
    # Capabilities of which each is its definition in some cases, beside the first: `wilcox.test` is exact or normal.
    either: tuple[str, ...] = ()
    # Parameters of ours that are the cells of the table that it takes, row after row, two in each.
    cells: tuple[str, ...] = ()

    # What is given in place of the usual settings, for which this row holds: `ddof=1`.
    variant: str = ""

    @property
    def can_be_called(self) -> bool:
        """True if a call of it can be written as one of ours, though the definitions may differ."""
        return self.is_same or self.begins_later or bool(self.result or self.either)

    @property
    def begins_later(self) -> bool:
        """True if the first of its flows is a period from now, where ours is now."""
        return any(each.conversion == "later" for each in self.arguments.values())

    @property
    def title(self) -> str:
        """The name with its library as people call it: `NumPy's std`; of a textbook's the name alone."""
        named = f"{_read_table().libraries[self.library].title} {self.name}".strip()
        return f"{named} with {self.variant}" if self.variant else named

    @property
    def sentence(self) -> str:
        """A sentence that says what the name is here."""
        if not self.is_same:
            return f"{self.title} is not the same as {self.capability}: {self.difference}."
        told = f": {self.difference}" if self.difference else ", by the same definition"
        return f"{self.title} is {self.capability}{told}."


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentMethod:
    """A well-known method that the contract has not, with what is nearest and why it is not that."""

    name: str
    words: tuple[str, ...]  # all that people call it, the name among them
    nearest: tuple[str, ...]
    reason: str

    @property
    def sentence(self) -> str:
        """That it is not here, and what is nearest, in two sentences."""
        return f"{self.name} is not here. Nearest is {' or '.join(self.nearest)}: {self.reason}."


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterWords:
    """Words of a field, or of other libraries, for one of our parameters."""

    words: tuple[str, ...]
    parameter: str  # none where books disagree: `mean` of a lognormal distribution
    places: tuple[str, ...]  # fields, and capabilities
    origin: str
    conversion: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignLibrary:
    """The spelling of a library's names."""

    title: str
    openings: tuple[str, ...]  # of its names, with the dot: `np.`
    modules: tuple[str, ...]  # that an import may leave out: `stats.` of SciPy
    is_bare: bool  # its names stand alone: `STDEV.S`
    is_tongue: bool  # it is no library but a language, whose words come last
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    libraries: Mapping[str, ForeignLibrary]
    counterparts: tuple[Counterpart, ...]
    absent: tuple[AbsentMethod, ...]
    parameters: tuple[ParameterWords, ...]
    by_name: Mapping[str, tuple[Counterpart, ...]]
    by_absent: Mapping[str, AbsentMethod]
    fields: frozenset[str]
    said: Mapping[str, str]  # what people call a library, and how its names begin


def find_counterpart(name: str, given: Mapping[str, str] | None = None) -> Counterpart | None:
    """Find what a name of another library is here, or None.

    Parameters
    ----------
    name : str
        As it is written there: ``np.std``, ``scipy.stats.norm.cdf``, ``=STDEV.S(``, ``t.test``.
    given : mapping, optional
        Its arguments by the names that they have there, as text: ``{"ddof": "1"}``. They may decide which of our
        capabilities it is. What is not given has the other library's default.

    Returns
    -------
    Counterpart or None
        None also if no row of that name takes these arguments, and if two libraries have it with two meanings.
    """
    rows = list_counterparts(name)
    firsts = {row.library: row for row in reversed(rows)}
    if len({(row.capability, row.is_same) for row in firsts.values()}) != 1:  # `var` alone is NumPy's, or R's
        return None
    own = [row for row in rows if (row.library, row.name) == (rows[0].library, rows[0].name)]
    return next((row for row in own if _has_arguments(row, given or {}, own[0].settings)), None)


def list_counterparts(name: str, *, is_exact: bool = True) -> tuple[Counterpart, ...]:
    """List the rows of a name, whatever their settings; those that are spelt so to the letter, if there are any.

    `T.TEST` is a spreadsheet's and `t.test` is R's, unless they need not be exact.
    """
    folded, table = fold_foreign_name(_name_library(name)), _read_table()
    found = table.by_name.get(folded) or table.by_name.get(_strip_fillers(folded), ())
    field, _, rest = folded.partition(".")
    if not found and field.replace(" ", "_") in table.fields:  # `finance.pmt`: our field, and another library's name
        found = table.by_name.get(rest, ())
    exact = tuple(row for row in found if row.name.rpartition(".")[2] in name)
    return exact if is_exact and exact else found


def list_all_counterparts() -> tuple[Counterpart, ...]:
    """List all rows of the table."""
    return _read_table().counterparts


def list_bare_names() -> list[str]:
    """List the names that stand alone, folded: those of spreadsheets, R, textbooks and other languages."""
    table = _read_table()
    return [name for name, rows in table.by_name.items() if table.libraries[rows[0].library].is_bare]


def find_absent(words: str) -> AbsentMethod | None:
    """Find the well-known method that these words name and that the contract has not."""
    known, folded = _read_table().by_absent, _fold_words(words[:MOST_NAME])
    return known.get(folded) or known.get(_strip_fillers(folded))


def list_absent() -> tuple[AbsentMethod, ...]:
    """List the well-known methods that the contract has not."""
    return _read_table().absent


def find_parameter(entry: Mapping[str, Any], word: str) -> ForeignArgument | None:
    """Find the parameter of a capability that a word of its field, or of another library, names.

    Parameters
    ----------
    entry : mapping
        The entry of the contract, as `Service.capability` returns it.
    word : str
        ``S``, ``sigma``, ``nper``. The parameter's own name is one of its words.

    Returns
    -------
    ForeignArgument or None
        None also if the word may be two parameters, or if books disagree on it.
    """
    names = [part["name"] for part in entry["params"]]
    if word in names:
        return ForeignArgument(word)
    for spell in (str, str.lower):  # `T` is a time and `t` may be another: the letter as it stands comes first
        found = dict.fromkeys(_list_meanings(entry, names, word, spell))
        if found:
            only = next(iter(found))
            return only if len(found) == 1 and only.parameter else None
    return None


def list_parameter_words() -> tuple[ParameterWords, ...]:
    """List the words of fields for our parameters."""
    return _read_table().parameters


def convert_value(text: str, conversion: str) -> str | None:
    """Turn a value that was written for another library into ours; None if it is no number.

    >>> convert_value("90", "percent")
    '0.9'
    """
    if not conversion:
        return text
    if conversion == "dashes":  # R's `two.sided`
        return text.replace(".", "-")
    if not _NUMBER.fullmatch(text.strip()):
        return None
    try:
        return _convert_number(Decimal(text.strip()), conversion)
    except (InvalidOperation, ZeroDivisionError, ValueError, OverflowError):
        return None


def fold_accents(text: str) -> str:
    """Fold a text to small letters without accents: `Écart-type` becomes `ecart-type`."""
    small = text.lower()
    if small.isascii():
        return small
    plain = unicodedata.normalize("NFD", small.replace("ß", "ss"))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def fold_foreign_name(name: str) -> str:
    """Fold a name: without `=` before it and arguments behind it, in small letters."""
    short = name[:MOST_NAME]
    called = _CALL.match(short)
    bare = (
        called[1]
        if called is not None and ("." in called[1] or "(" in short or short.lstrip().startswith("="))
        else short
    )
    return _fold_words(bare)


def _strip_fillers(folded: str) -> str:
    """Strip words that say nothing from both ends: `fit a logistic regression model`."""
    words = folded.split(" ")
    while words and words[0] in FILLERS:
        del words[0]
    while words and words[-1] in FILLERS:
        del words[-1]
    return " ".join(words)


def _name_library(words: str) -> str:
    """Write `numpy std` and `excel percentile.inc` as these libraries do; other words as they are."""
    first, _, rest = words.strip().partition(" ")
    opening = _read_table().said.get(first.lower()) if rest else None
    return words if opening is None else f"{opening}{rest.strip()}"


def _has_arguments(row: Counterpart, given: Mapping[str, str], usual: Mapping[str, str]) -> bool:
    """Tell whether a row holds for arguments: each is a parameter of ours, or has the value that the row asks for."""
    for name, value in given.items():
        argument = row.arguments.get(name)
        if argument is None or (argument.parameter is None and row.settings.get(name) != _fold_setting(value)):
            return False
    return all(name in given or usual.get(name) == value for name, value in row.settings.items())


# --- the table --------------------------------------------------------------------------------------------------------


@cache
def _read_table() -> _Table:
    told = orjson.loads(files("service_nb.compute").joinpath("foreign_names.json").read_bytes())
    libraries = {
        key: ForeignLibrary(
            title=each["title"],
            openings=tuple(each.get("openings", ())),
            modules=tuple(each.get("modules", ())),
            is_bare=each.get("bare", False),
            is_tongue=each.get("tongue", False),
            reference=each["reference"],
        )
        for key, each in told["libraries"].items()
    }
    usual: dict[tuple[str, str], Mapping[str, str]] = {}
    rows = tuple(each for row in _expand_families(told) for each in _build_counterparts(row, libraries, usual))
    absent = tuple(
        AbsentMethod(
            name=row["names"][0], words=tuple(row["names"]), nearest=tuple(row["nearest"]), reason=row["reason"]
        )
        for row in told["absent"]
    )
    parameters = tuple(
        ParameterWords(
            words=tuple(row["words"]),
            parameter=row["parameter"],
            places=tuple(row["in"]),
            origin=row["origin"],
            conversion=row.get("conversion", ""),
        )
        for row in told["parameters"]
    )
    by_absent = {_fold_words(name): each for each in absent for name in each.words}
    return _Table(
        libraries=libraries,
        counterparts=rows,
        absent=absent,
        parameters=parameters,
        by_name=_build_index(rows, libraries),
        by_absent=by_absent,
        said={
            word: each["openings"][0] if "openings" in each else ""
            for each in told["libraries"].values()
            for word in each.get("said", ())
        },
        fields=frozenset(row.capability.partition(".")[0] for row in rows),
    )


def _expand_families(told: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield all rows; a distribution is one row of the file, and each of its functions is one here."""
    yield from told["names"]
    for family in told["families"]:
        variable = "k" if family["density"] == "pmf" else "x"
        for function in told["functions"][family["library"]]:
            ours = function["ours"].replace("pdf", family["density"])
            if ours in family.get("without", ()):
                continue
            names = {"cdf": "cdf", "pdf": family["density"]}
            argument = function["argument"] if function["argument"] != "x" else variable
            argument = function["argument"] if family["library"] == "R" else argument
            yield {
                "library": family["library"],
                "names": [function["name"].replace("{}", family["name"]).replace("pdf", names["pdf"])],
                "capability": f"distributions.{family['distribution']}_{ours}",
                "arguments": {argument: function.get("parameter", variable)}
                | family["arguments"]
                | function.get("arguments", {}),
                "settings": {**family.get("settings", {}), **function.get("settings", {})},
                "defaults": family.get("defaults", {}),
                "fixed": family.get("fixed", {}),
                "difference": family.get("difference", ""),
            }


def _build_counterparts(
    row: Mapping[str, Any], libraries: Mapping[str, ForeignLibrary], usual: dict[tuple[str, str], Mapping[str, str]]
) -> Iterator[Counterpart]:
    """Build a row for each of its names; the first row of a name has its usual settings."""
    settings = {key: _fold_setting(value) for key, value in row.get("settings", {}).items()}
    for name in row["names"]:
        first = usual.setdefault((row["library"], name), settings)
        variant = ", ".join(
            f"{key}={value}" for key, value in row.get("settings", {}).items() if first.get(key) != value.lower()
        )
        yield Counterpart(
            library=row["library"],
            name=name,
            capability=row["capability"],
            is_same=row.get("same", True),
            difference=row.get("difference", ""),
            origin=row.get("origin") or libraries[row["library"]].reference.replace("{}", name),
            arguments={key: _read_argument(value) for key, value in row.get("arguments", {}).items()},
            settings=settings,
            variant=variant,
            defaults=row.get("defaults", {}),
            fixed=row.get("fixed", {}),
            part=row.get("part", ""),
            result=row.get("result", ""),
            either=tuple(row.get("either", ())),
            cells=tuple(row.get("cells", ())),
        )


def _read_argument(text: str | None) -> ForeignArgument:
    if text is None:
        return ForeignArgument(None)
    parameter, _, conversion = text.partition(" ")
    return ForeignArgument(parameter, conversion)


def _build_index(
    rows: Sequence[Counterpart], libraries: Mapping[str, ForeignLibrary]
) -> Mapping[str, tuple[Counterpart, ...]]:
    """Index the rows by their spellings: of libraries whose names stand alone, of others, of languages."""
    ranked: tuple[dict[str, list[Counterpart]], ...] = ({}, {}, {})
    for row in rows:
        library = libraries[row.library]
        tails = {row.name, *(row.name.removeprefix(module) for module in library.modules)}
        written = {*tails, *(f"{opening}{tail}" for opening in library.openings for tail in tails)}
        for spelling in {_fold_words(each) for each in written}:
            ranked[2 if library.is_tongue else not library.is_bare].setdefault(spelling, []).append(row)
    names = {name for part in ranked for name in part}
    return {name: tuple(row for part in ranked for row in part.get(name, ())) for name in sorted(names)}


def _list_meanings(entry: Mapping[str, Any], names: Sequence[str], word: str, spell: Any) -> Iterator[ForeignArgument]:
    """Yield the parameters that a word may be: by the field's words, other libraries, the contract's own symbols."""
    wanted = spell(word)
    for row in list_parameter_words():
        is_here = (not row.parameter or row.parameter in names) and not {entry["id"], entry["module"]}.isdisjoint(
            row.places
        )
        if is_here and wanted in map(spell, row.words):
            yield ForeignArgument(row.parameter, row.conversion)
    for counterpart in _read_table().counterparts:
        if counterpart.capability == entry["id"] and counterpart.is_same:
            for name, argument in counterpart.arguments.items():
                # The sign of another library belongs to a call of its function: `pmt` alone has ours.
                if argument.parameter is not None and argument.conversion != "negated" and spell(name) == wanted:
                    yield argument
    symbol = spell(_fold_symbol(word))
    for part in entry["params"]:
        if symbol and spell(_fold_symbol(part.get("symbol", ""))) == symbol:
            yield ForeignArgument(part["name"])


def _fold_symbol(symbol: str) -> str:
    """Fold a symbol of a formula: `r_f` and `rf`, and a Greek letter and its name in LaTeX, are one."""
    return _IN_SYMBOLS.sub("", "".join(_LETTER_NAMES.get(letter, letter) for letter in symbol))


def _fold_setting(value: object) -> str:
    return str(value).strip().strip("'\"").lower()


def _fold_words(words: str) -> str:
    """Fold words: small letters without accents, one blank between words."""
    return _SPACES.sub(" ", _APOSTROPHES.sub("", fold_accents(words))).strip(' "`;,?!()')


def _convert_number(number: Decimal, conversion: str) -> str:
    match conversion:
        case "percent":
            return _write_number(number / 100)
        case "negated":
            return _write_number(-number)
        case "half":
            return _write_number(number / 2)
        case "quarter":
            return _write_number(number / 4)
        case "reciprocal":  # as a double, as the other library has it
            return write_canonical_text(1 / float(number))
    raise ValueError(conversion)


def _write_number(number: Decimal) -> str:
    return f"{number.normalize():f}" if number else "0"
