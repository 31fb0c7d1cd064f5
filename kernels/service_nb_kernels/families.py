"""Probability distributions: one declaration of a family becomes its named functions and moments.

A family states its support, its density or mass, its distribution function and the moments it has. This module adds
what follows from them in every family alike: the value outside of the support, logarithms, the other tail, quantiles as
roots, standard deviations. It only writes formulas; the reader treats them like those of any other capability.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from service_nb_kernels.errors import PackError

CONTINUOUS, DISCRETE = "x", "k"
LARGEST_COUNT = "1000000"  # of a discrete variable, unless `largest` says more: a sum or a series over it has a bound
SUPPORT = re.compile(r"([\[(])(.+),(.+)([\])])")
MOMENTS = ("mean", "variance", "std", "skewness", "kurtosis", "median", "mode", "entropy")
OF_VARIABLE = ("log_cdf", "log_sf", "cdf", "sf")
OF_PROBABILITY = ("quantile", "upper_quantile")
GIVEN = frozenset({"density", "mass", "log_density", "log_mass", *OF_VARIABLE, *OF_PROBABILITY, *MOMENTS})
ENDS = ("lowest", "highest")  # of a support that is finite only for some parameters
ASIDE = {"about", "source", "support", "params", "define", "requires", "limit", "keywords", "version", "cases"}
KEYS = GIVEN | ASIDE | {"largest", *ENDS}


@dataclass(frozen=True, slots=True)
class Wording:
    """What a function of a family says of itself; `{0}` stands for the distribution."""

    summary: str
    about: str
    keywords: tuple[str, ...] = ()


WORDINGS: Mapping[str, Wording] = {
    "pdf": Wording("Probability density of the {0} at a point.", "density", ("likelihood",)),
    "pmf": Wording("Probability of a single value of the {0}.", "probability of the value", ("mass function",)),
    "log_pdf": Wording(
        "Natural logarithm of the density of the {0} at a point.", "logarithm of the density", ("log-likelihood",)
    ),
    "log_pmf": Wording(
        "Natural logarithm of the probability of a single value of the {0}.",
        "logarithm of the probability",
        ("log-likelihood",),
    ),
    "cdf": Wording(
        "Cumulative probability of the {0} up to a value.", "probability of at most the value", ("distribution",)
    ),
    "sf": Wording(
        "Upper tail probability of the {0} beyond a value.",
        "probability of more than the value",
        ("survival function", "exceedance"),
    ),
    "log_cdf": Wording(
        "Natural logarithm of the cumulative probability of the {0}.", "logarithm of the cumulative probability"
    ),
    "log_sf": Wording(
        "Natural logarithm of the upper tail probability of the {0}.",
        "logarithm of the tail probability",
        ("log survival",),
    ),
    "quantile": Wording(
        "Value that the {0} does not exceed with a stated probability.", "quantile", ("inverse cdf", "percentile")
    ),
    "upper_quantile": Wording(
        "Value that the {0} exceeds with a stated probability.", "upper quantile", ("critical value", "inverse sf")
    ),
    "mean": Wording("Mean of the {0} from its parameters.", "mean", ("expectation",)),
    "variance": Wording("Variance of the {0} from its parameters.", "variance"),
    "std": Wording("Standard deviation of the {0} from its parameters.", "standard deviation"),
    "skewness": Wording("Skewness of the {0} from its parameters.", "standardized third moment"),
    "kurtosis": Wording("Excess kurtosis of the {0}: 0 is that of a normal one.", "excess kurtosis"),
    "median": Wording("Median of the {0} from its parameters.", "median"),
    "mode": Wording("Mode of the {0}: its most likely value.", "mode"),
    "entropy": Wording("Entropy of the {0} in nats.", "entropy, in natural units", ("differential entropy",)),
}
DISCRETE_SUMMARIES: Mapping[str, str] = {
    "quantile": "Smallest value of the {0} with at least a stated cumulative probability.",
    "upper_quantile": "Smallest value of the {0} with at most a stated probability beyond it.",
}
DISCRETE_KEYWORDS: Mapping[str, tuple[str, ...]] = {"entropy": ("Shannon entropy",)}


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula, with the conditions under which the value exists and the domain of its first argument."""

    text: str
    requires: tuple[str, ...] = ()
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class Support:
    """Where a variable lies; the ends are texts, since they may name parameters."""

    low: str
    high: str
    includes_low: bool
    includes_high: bool

    @property
    def bounded(self) -> tuple[bool, bool]:
        """Whether each end is finite."""
        return self.low != "-inf", self.high != "inf"

    @property
    def literal(self) -> bool:
        """Whether no end depends on a parameter."""
        return all(_is_number(end) for end in (self.low, self.high))

    def holds(self, variable: str) -> list[str]:
        """Return the conditions of lying inside."""
        left, right = self.bounded
        above = [f"{self.low} {'<=' if self.includes_low else '<'} {variable}"] * left
        return above + [f"{variable} {'<=' if self.includes_high else '<'} {self.high}"] * right


def _is_number(text: str) -> bool:
    try:
        return bool(text in ("inf", "-inf") or Fraction(text) is not None)
    except ValueError:
        return False


def _support(text: str) -> Support:
    match = SUPPORT.fullmatch(text.strip())
    if match is None:
        raise PackError(f"No support: {text!r}; expected such as '[0, inf)' or '[low, high]'.")
    opening, low, high, closing = match.groups()
    return Support(low.strip(), high.strip(), opening == "[", closing == "]")


def expand(
    name: str,
    table: Mapping[str, Any],
    *,
    field: str,
    define: Mapping[str, str],
) -> list[Mapping[str, Any]]:
    """Return the capability tables of a family of distributions, each with its `name`.

    Parameters
    ----------
    name : str
        What the names begin with: ``gamma`` gives ``gamma_pdf``, ``gamma_cdf`` and so on.
    table : mapping
        The declaration, as the topic file states it.
    field, define : str, mapping
        Of the topic file; a family's own definitions come before those of the file.

    Raises
    ------
    PackError
        The declaration breaks a rule; the message says which.
    """
    unknown = sorted(table.keys() - KEYS)
    if unknown:
        raise PackError(f"{field}.{name}: unknown keys {unknown}; expected some of {sorted(KEYS)}.")
    if ("density" in table) == ("mass" in table):
        raise PackError(f"{field}.{name}: either a density or a mass is needed.")
    return list(_Family(name, table, define).entries())


def _find_range(function: str) -> Mapping[str, str]:
    """Find where the values of a function lie."""
    if function in ("pmf", "cdf", "sf"):
        return {"range": "[0, 1]"}
    return {"range": "[0, inf)"} if function in ("pdf", "variance", "std") else {}


class _Family:
    """One declaration, and the formulas that follow from it."""

    def __init__(self, name: str, table: Mapping[str, Any], define: Mapping[str, str]) -> None:
        self.name, self.table = name, table
        self.is_discrete = "mass" in table
        self.variable = DISCRETE if self.is_discrete else CONTINUOUS
        self.density = "pmf" if self.is_discrete else "pdf"
        self.define = {**define, **table.get("define", {})}
        self.params: Mapping[str, Mapping[str, Any]] = table["params"]
        self.support = _support(self._inlined(str(table["support"])))
        hidden = self.params.keys() & ({CONTINUOUS, DISCRETE, "p"} | (table.keys() & GIVEN))
        if hidden:
            raise PackError(f"{name}: a parameter cannot be called {', '.join(sorted(hidden))} here.")

    def entries(self) -> Iterator[Mapping[str, Any]]:
        """Yield the table of every function that the family has."""
        for function, formula in self.formulas.items():
            yield self._entry(function, formula)
        for row in self.table["cases"]:
            strange = row.keys() - self.formulas.keys() - self.params.keys()
            strange -= {self.variable, "p", "origin", "within"}
            if strange:
                raise PackError(f"{self.name}: a case names {sorted(strange)}, which the family has not.")

    @cached_property
    def formulas(self) -> Mapping[str, Formula]:
        """The family's functions, in the order in which they are listed."""
        found = {self.density: self._density()}
        logarithm = self._log_density()
        if re.search(rf"\b{self.variable}\b", logarithm.text):  # that of a flat density is no function of the variable
            found[f"log_{self.density}"] = logarithm
        if "cdf" in self.table or "sf" in self.table:
            found |= {function: self._tail(function) for function in ("cdf", "sf")}
            found |= {f"log_{function}": self._log_tail(function) for function in ("cdf", "sf")}
            if not (self.is_discrete and self.support.low == "-inf" and "quantile" not in self.table):
                found |= {function: self._quantile(function) for function in OF_PROBABILITY}
        for moment in MOMENTS:
            if moment in self.table:
                found[moment] = self._given(moment)
            elif moment == "std" and "variance" in self.table:
                variance = self._given("variance")
                found["std"] = Formula(f"sqrt({variance.text})", variance.requires)
        return found

    def _given(self, key: str) -> Formula:
        """A formula as declared: its text, or a table of text and conditions."""
        stated = self.table[key]
        if isinstance(stated, str):
            return Formula(self._inlined(stated))
        return Formula(self._inlined(stated["formula"]), tuple(map(self._inlined, stated.get("requires", ()))))

    def _inlined(self, text: str) -> str:
        """The text with definitions in the place of their names: behind a `lambda` they depend on its variable."""
        for _ in range(1 + len(self.define)):
            found = [name for name in self.define if re.search(rf"\b{name}\b", text)]
            if not found:
                return text
            for name in found:
                text = re.sub(rf"\b{name}\b", lambda _, name=name: f"({self.define[name]})", text)  # type: ignore[misc]
        raise PackError(f"{self.name}: a definition needs itself.")

    def _density(self) -> Formula:
        inside = " and ".join(self.support.holds(self.variable))
        text = self._given("mass" if self.is_discrete else "density").text
        return Formula(f"({text}) if {inside} else 0" if inside else text)

    def _log_density(self) -> Formula:
        """The logarithm exists where the density is not 0: only inside."""
        plain = "mass" if self.is_discrete else "density"
        stated = f"log_{plain}"
        found = self._given(stated) if stated in self.table else Formula(f"log({self._given(plain).text})")
        if self.support.literal:
            opening, closing = "(["[self.support.includes_low], ")]"[self.support.includes_high]
            domain = self._counted(opening, self.support.low, self.support.high, closing)
            return Formula(found.text, found.requires, domain)
        return Formula(found.text, (*self.support.holds(self.variable), *found.requires))

    def _inner(self, function: str) -> str:
        """A tail inside of the support: as declared, or from the other one."""
        if function in self.table:
            return self._given(function).text
        return f"1 - ({self._given('cdf' if function == 'sf' else 'sf').text})"

    def _tail(self, function: str) -> Formula:
        before, after = ("0", "1") if function == "cdf" else ("1", "0")
        text = self._up_to_high(self._inner(function), after)
        if self.support.bounded[0]:
            below = "<" if self.is_discrete else "<="
            text = f"{before} if {self.variable} {below} {self.support.low} else {text}"
        return Formula(text)

    def _up_to_high(self, text: str, after: str) -> str:
        return f"({text}) if {self.variable} < {self.support.high} else {after}" if self.support.bounded[1] else text

    def _log_tail(self, function: str) -> Formula:
        """The logarithm exists where the tail is not 0: above the low end, or below the high one."""
        low, high = self.support.bounded
        stated = f"log_{function}"
        found = self._given(stated) if stated in self.table else Formula(f"log({self._inner(function)})")
        if function == "cdf":
            text = self._up_to_high(found.text, "0")
            return self._from_low(Formula(text, found.requires)) if low else Formula(text, found.requires)
        below = "<" if self.is_discrete else "<="
        text = f"0 if {self.variable} {below} {self.support.low} else ({found.text})" if low else found.text
        return self._to_high(Formula(text, found.requires)) if high else Formula(text, found.requires)

    def _from_low(self, formula: Formula) -> Formula:
        if self.support.literal:
            domain = self._counted("[" if self.is_discrete else "(", self.support.low, "inf", ")")
            return Formula(formula.text, formula.requires, domain)
        condition = f"{self.support.low} {'<=' if self.is_discrete else '<'} {self.variable}"
        return Formula(formula.text, (condition, *formula.requires))

    def _to_high(self, formula: Formula) -> Formula:
        if self.support.literal:
            return Formula(formula.text, formula.requires, self._counted("(", "-inf", self.support.high, ")"))
        return Formula(formula.text, (f"{self.variable} < {self.support.high}", *formula.requires))

    def _counted(self, opening: str, low: str, high: str, closing: str) -> str:
        """A domain; that of a discrete variable is bounded."""
        largest = self.table.get("largest", LARGEST_COUNT)
        if self.is_discrete and low == "-inf":
            opening, low = "[", f"-{largest}"
        if self.is_discrete and high == "inf":
            high, closing = largest, "]"
        return f"{opening}{low}, {high}{closing}"

    def _quantile(self, function: str) -> Formula:
        """A quantile; of the probabilities 0 and 1 it is the end of the support, where that is finite."""
        formula = self._inner_quantile(function)
        text, requires, ends = formula.text, formula.requires, (self._end(0), self._end(1))
        at_zero, at_one = ends if function == "quantile" else reversed(ends)
        for probability, end in ((1, at_one), (0, at_zero)):
            if end is not None:
                text = f"{end.text} if p == {probability} else ({text})"
                requires += tuple(f"p != {probability} or {condition}" for condition in end.requires)
        return Formula(text, requires, f"{'(['[at_zero is not None]}0, 1{')]'[at_one is not None]}")

    def _end(self, side: int) -> Formula | None:
        """The low or the high end of the support as a formula; None if it is infinite."""
        if ENDS[side] in self.table:
            return self._given(ENDS[side])
        end = (self.support.low, self.support.high)[side]
        return Formula(end) if self.support.bounded[side] else None

    def _inner_quantile(self, function: str) -> Formula:
        if function in self.table:
            return self._given(function)
        tail = "cdf" if function == "quantile" else "sf"
        if "quantile" in self.table:
            return Formula(re.sub(r"\bp\b", "(1 - p)", self._given("quantile").text))
        if not self.is_discrete:
            bounds = f"{self.support.low}, {self.support.high}"
            return Formula(f"root(lambda x: ({self._inner(tail)}) - p, {bounds})")
        after, reached = ("1", ">=") if tail == "cdf" else ("0", "<=")
        text = self._up_to_high(self._inner(tail), after)
        return Formula(f"smallest(lambda k: ({text}) {reached} p, {self.support.low})")

    def _entry(self, function: str, formula: Formula) -> Mapping[str, Any]:
        wording = WORDINGS[function]
        summary, keywords = wording.summary, wording.keywords
        if self.is_discrete:
            summary = DISCRETE_SUMMARIES.get(function, summary)
            keywords = DISCRETE_KEYWORDS.get(function, keywords)
        conditions = dict.fromkeys([*self.table.get("requires", ()), *formula.requires])
        read = set(re.findall(r"\w+", formula.text))
        params = self._first(function, formula) | {
            name: param for name, param in self.params.items() if function not in MOMENTS or name in read
        }
        absent = ({CONTINUOUS, DISCRETE, "p"} | self.params.keys()) - params.keys()
        counts = self.is_discrete and function in OF_PROBABILITY
        return {
            "name": f"{self.name}_{function}",
            "summary": summary.format(self.table["about"]),
            "source": self.table["source"],
            "formula": formula.text,
            "result": {"type": "int" if counts else "float64", "about": wording.about, **_find_range(function)},
            "params": params,
            "requires": [text for text in conditions if not _names(text) & absent],
            "limit": self.table.get("limit", {}),
            "keywords": [*self.table.get("keywords", ()), *keywords],
            "version": self.table.get("version", 1),
            "cases": list(self._cases(function, list(params))),
        }

    def _first(self, function: str, formula: Formula) -> dict[str, Mapping[str, Any]]:
        """The argument that is no parameter of the family: the variable, a probability, or none."""
        if function in MOMENTS:
            return {}
        if function in OF_PROBABILITY:
            return {"p": {"domain": formula.domain or "(0, 1)", "about": "probability"}}
        if self.is_discrete:
            domain = formula.domain or self._counted("(", "-inf", "inf", ")")
            return {DISCRETE: {"type": "int", "domain": domain, "about": "value of the variable"}}
        domain = formula.domain or "(-inf, inf)"
        return {CONTINUOUS: {"domain": domain, "about": "value of the variable"}}

    def _cases(self, function: str, names: list[str]) -> Iterator[Mapping[str, Any]]:
        met = []
        for row in self.table["cases"]:
            if function not in row:
                continue
            arguments = {name: row[name] for name in names}
            if arguments in met:  # rows that differ in a parameter which this function has not
                continue
            met.append(arguments)
            outcome = {"error" if isinstance(row[function], str) else "result": row[function]}
            yield arguments | outcome | {key: row[key] for key in ("origin", "within") if key in row}


def _names(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text))
