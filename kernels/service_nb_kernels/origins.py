"""Where a case comes from, and the grade of evidence that it gives: print, other software, or ourselves alone.

    published     "anderson2003, table A.1: at Mach 2"        a key of the bibliography, and the place in it
    independent   "scipy 1.17.1, scipy.stats.entropy: base 2" a package of oracles.toml, its version and its function
    derived       "mpmath 1.4.1, 50 digits", "by hand: 3 / 4", "exact fractions", "Python 3.11, math.comb"

A derived value shows that a formula is computed rightly, the others that it is the right formula.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

from service_nb_kernels.errors import PackError

__all__ = ["GRADES", "Grade", "choose_best", "grade_origin", "list_cited", "read_oracles"]

Grade = Literal["published", "independent", "derived"]
GRADES: tuple[Grade, ...] = ("published", "independent", "derived")  # the best first
PRINTED = re.compile(r"(?P<key>[a-z][a-z0-9]*), \S.*", re.DOTALL)
PROGRAM = re.compile(
    r"(?P<package>[A-Za-z][\w-]*) (?P<version>\d[\w.]*), (?P<function>[A-Za-z]\w*((\.|::)\w+)+)(\(.*?\))?(: \S.*)?",
    re.DOTALL,
)
OURS = re.compile(
    r"(by hand|exact fractions( of Python [\d.]*\d)?|(mpmath|Python|sympy) \d[\w.]*)([,:;] \S.*|)", re.DOTALL
)
FORMS = (
    "expected '<key of the bibliography>, <place>', '<package of oracles.toml> <version>, <function>', "
    "'mpmath <version>, <digits> digits', 'by hand: …', 'exact fractions' or 'Python <version>, …', "
    "what was asked after a colon"
)


def grade_origin(origin: str, keys: Container[str]) -> Grade:
    """Return the grade of a case's origin; `keys` are those of the bibliography.

    Raises
    ------
    PackError
        The origin has none of the known forms.

    Examples
    --------
    >>> grade_origin("anderson2003, table A.1", {"anderson2003"})
    'published'
    >>> grade_origin("scipy 1.17.1, scipy.stats.entropy", ())
    'independent'
    >>> grade_origin("by hand: 3 / 4", ())
    'derived'
    """
    printed, program = PRINTED.fullmatch(origin), PROGRAM.fullmatch(origin)
    if printed is not None and printed["key"] in keys:
        return "published"
    if program is not None and program["package"] in read_oracles():
        return "independent"
    if OURS.fullmatch(origin) is not None:
        return "derived"
    raise PackError(f"the origin {origin!r} has no known form; {FORMS}")


def choose_best(grades: Iterable[Grade]) -> Grade:
    """Return the best of some grades; without any it is `derived`."""
    return min(grades, key=GRADES.index, default="derived")


def list_cited(origin: str) -> list[str]:
    """List the keys that an origin cites: one, or none."""
    printed = PRINTED.fullmatch(origin)
    return [] if printed is None else [printed["key"]]


@cache
def read_oracles() -> Mapping[str, Mapping[str, str | bool]]:
    """Return the independent packages by name: `licence`, `about`; `is_run_only` where nobody reads its code."""
    table: Mapping[str, Mapping[str, str | bool]] = tomllib.loads(
        files("service_nb_kernels").joinpath("oracles.toml").read_text(encoding="utf-8")
    )
    return table
