"""Which LaTeX of a contract is shown as mathematics: formulas, and nothing that could change the page around them."""

from __future__ import annotations

import re

_LATEX = re.compile(r"[A-Za-z0-9 \\{}^_+\-*/=().,|\[\]<>!&:;']+")
# A tag, an end of the mathematics, half a command, an environment that is none of formulas.
_NO_LATEX = re.compile(r"<[A-Za-z/!?]|\\(?:[()\[\]]|$|(?:begin|end)(?!\{(?:cases|aligned)\}))")
_COMMAND = re.compile(r"\\(?:([A-Za-z]+)|.)")
# The commands of formulas. TeX and MathJax have hundreds, some of which read files or make links, and others define
# commands anew, for every formula of the page. So these are all that are obeyed.
_MATHEMATICS = frozenset(
    """
    frac sqrt left right mathrm mathbf mathsf mathcal text operatorname phantom binom sum prod int partial sin cos tan
    arcsin arccos arctan sinh cosh tanh ln log exp min max arg bmod lceil rceil lfloor rfloor le ge ne in pm cdot times
    circ sim infty ell hbar top perp ldots ddagger quad bar dot hat tilde overline xrightarrow alpha beta gamma delta
    epsilon varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi varphi chi psi omega Gamma Delta Lambda
    Pi Sigma Phi Psi Omega begin end
    """.split()  # noqa: SIM905 - a column of a hundred strings says less
)


def is_plain_latex(text: str) -> bool:
    """Whether LaTeX is a formula and nothing else: no link, no definition, no end of the mathematics around it."""
    if _LATEX.fullmatch(text) is None or _NO_LATEX.search(text) is not None:
        return False
    return all(match[1] is None or match[1] in _MATHEMATICS for match in _COMMAND.finditer(text))
