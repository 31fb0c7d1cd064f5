r"""Formulas as readable text: `\frac{c_t}{(1 + r)^t}` is shown as `c_t/(1 + r)^t` wherever nothing sets mathematics.

The browser writes the same (`packages/cards/src/formula.ts`), over the vectors in tests/vectors/faces/formulas.json.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from service_nb.core.words import GREEK, split_pairs

MOST_CHARS = 5_000  # the longest of the contract has four thousand
MOST_DEEP = 60  # parts in parts

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[ \t\r\n\f\v]+|.", re.DOTALL)
_WORD_SPACE = "\ue000"  # of a name of several words, which is one thing
_ENDS_WORD, _BEGINS_WORD = re.compile(r"[\w\ue000]$"), re.compile(r"\w")
_SIMPLE = re.compile(r"[\w.\ue000]+")
_BRACKETS = {"(": 1, "[": 1, "{": 1, "⌊": 1, "⌈": 1, ")": -1, "]": -1, "}": -1, "⌋": -1, "⌉": -1}
_LOOSE = " +-=<>≤≥≠∈~±×,;|→"  # what needs brackets inside of a fraction or a script

_RAISED = dict(zip("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", strict=True))
_LOWERED = dict(zip("0123456789", "₀₁₂₃₄₅₆₇₈₉", strict=True))

_SIGNS = split_pairs(
    "infty ∞ ell ℓ hbar ħ partial ∂ top ᵀ perp ⊥ ldots … ddagger ‡ circ ° lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ "
    "cdot · times × pm ± bmod mod"
)
_LETTERS = GREEK | _SIGNS
_BETWEEN = split_pairs("le ≤ ge ≥ ne ≠ in ∈ sim ~ cap ∩ cup ∪")
_FUNCTIONS = frozenset(
    ["sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "ln", "log", "exp", "arg"]
)
_ACCENTS = {"bar": "bar", "overline": "bar", "hat": "hat", "tilde": "tilde", "dot": "dot"}
_STYLES = frozenset(["mathrm", "mathbf", "mathsf", "mathcal", "text", "operatorname"])
_LIMITED = {"sum": "∑", "prod": "∏", "int": "∫", "min": "min", "max": "max"}


def write_formula(text: str, latex: str) -> str:
    """Write a formula so that it can be read without mathematics being set, on one or more lines.

    Parameters
    ----------
    text : str
        The formula as it is computed; taken where the LaTeX is none that can be read.
    latex : str
        The formula as books set it.
    """
    if len(latex) > MOST_CHARS:
        return text
    try:
        lines = _FormulaReader(latex).read_lines()
    except UnreadableFormulaError:
        return text or latex
    return "\n".join(lines) or text


class UnreadableFormulaError(ValueError):
    """The LaTeX has a command that is none of formulas."""


class _FormulaReader:
    """A reader of LaTeX that holds mathematics alone, from left to right."""

    def __init__(self, latex: str) -> None:
        self._tokens = [" " if piece[0] in " \t\r\n\f\v" else piece for piece in _TOKEN.findall(latex)]
        self._at = self._depth = 0

    def read_lines(self) -> list[str]:
        lines = [_clean_blanks(line) for line in self._read_until("").split("\n")]
        return [line for line in lines if line]

    # --- tokens -----------------------------------------------------------------------------------------------------

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        piece = self._peek()
        self._at += 1
        return piece

    def _skip_blanks(self) -> None:
        while self._peek() == " ":
            self._at += 1

    # --- parts ------------------------------------------------------------------------------------------------------

    def _read_until(self, end: str) -> str:
        """Read to the piece `end`, which is taken too."""
        made, was_word, before = "", False, ""
        while (piece := self._take()) not in (end, ""):
            if piece in "^_":
                made, was_word, before = self._add_script(made, piece), False, ""
                continue
            part, is_word = self._read_part(piece), _is_word(piece)
            if before in _FUNCTIONS and piece == "\\frac":
                part = f"({part})"
            is_apart = (was_word or is_word) and _ENDS_WORD.search(made) and _BEGINS_WORD.match(part)
            made += f" {part}" if is_apart else part
            if piece != " ":
                was_word, before = is_word, piece[1:]
        return made

    def _read_part(self, piece: str) -> str:
        self._depth += 1
        if self._depth > MOST_DEEP:
            raise UnreadableFormulaError("parts in parts")
        part = self._read_token(piece)
        self._depth -= 1
        return part

    def _read_token(self, piece: str) -> str:
        if piece == "{":
            return self._read_until("}")
        if piece == "&":
            return " "
        if piece.startswith("\\"):
            return self._read_command(piece[1:])
        return f" {piece} " if piece in ("=", "<", ">") else piece

    def _read_argument(self) -> str:
        self._skip_blanks()
        piece = self._take()
        return _clean_blanks(self._read_until("}") if piece == "{" else self._read_part(piece), keeps_words=True)

    def _read_command(self, name: str) -> str:
        if name in _LETTERS:
            return _LETTERS[name]
        if name in _BETWEEN:
            return f" {_BETWEEN[name]} "
        if name in _FUNCTIONS:
            return name
        if name in _LIMITED:
            return self._read_limits(_LIMITED[name])
        if name in _STYLES:
            return self._read_words(name)
        if name in _ACCENTS:
            return f"{_wrap_loose(self._read_argument())}_{_ACCENTS[name]}"
        return self._read_construct(name)

    def _read_construct(self, name: str) -> str:
        constructs: Mapping[str, Callable[[], str]] = {
            "frac": self._read_fraction,
            "sqrt": self._read_root,
            "binom": lambda: f"C({self._read_argument()}, {self._read_argument()})",
            "phantom": lambda: self._read_argument()[:0],
            "xrightarrow": lambda: f" →({self._read_argument()}) ",
            "left": self._read_bracket,
            "right": self._read_bracket,
            "begin": self._read_environment,
            "quad": lambda: "  ",
            "\\": lambda: "\n",
            ",": lambda: "\ue001",
        }
        if name in constructs:
            return constructs[name]()
        if name.isalpha():
            raise UnreadableFormulaError(name)
        return " " if name in (" ", ";", ":") else "" if name == "!" else name

    def _read_bracket(self) -> str:
        piece = self._take()
        return self._read_part(piece) if piece not in (".", "") else ""

    def _read_words(self, style: str) -> str:
        words = self._read_argument()
        if style != "text":
            return words.replace(" ", _WORD_SPACE)
        return f" {words} "

    def _read_fraction(self) -> str:
        top, bottom = self._read_argument(), self._read_argument()
        if not _is_tight(top):
            top = f"({top})"
        return f"{top}/{bottom if _is_tight(bottom, '·/') else f'({bottom})'}"

    def _read_root(self) -> str:
        degree = ""
        if self._peek() == "[":
            self._at += 1
            degree = self._read_until("]")
        inside = self._read_argument()
        return _raise_text(degree) + "√" + (inside if _SIMPLE.fullmatch(inside) else f"({inside})")

    def _read_limits(self, sign: str) -> str:
        low = high = ""
        self._skip_blanks()
        while self._peek() in ("_", "^"):
            if self._take() == "_":
                low = self._read_argument()
            else:
                high = self._read_argument()
            self._skip_blanks()
        limits = f"[{low}{' … ' if low and high else ''}{high}]" if low or high else ""
        is_called = not limits and self._peek() in ("\\left", "(")
        return f"{sign}{limits}" + ("" if is_called else " ")

    def _read_environment(self) -> str:
        name = self._read_argument()
        inside = self._read_until("\\end")
        self._read_argument()
        if name == "aligned":
            return inside
        rows = [_clean_blanks(row, keeps_words=True) for row in inside.split("\n")]
        return "{" + "; ".join(row for row in rows if row) + "}"

    def _add_script(self, made: str, sign: str) -> str:
        self._skip_blanks()
        script = self._read_argument()
        base = made.rstrip(" ")
        if sign == "^":
            if script in ("°", "ᵀ"):
                return base + script
            return base + (_raise_text(script) or f"^{_wrap_loose(script)}")
        lowered = "".join(_LOWERED.get(each, "") for each in script)
        return base + (lowered if len(lowered) == len(script) else f"_{_wrap_loose(script)}")


def _raise_text(text: str) -> str:
    """Write text as a superscript, if every character has one; else write nothing."""
    raised = "".join(_RAISED.get(each, "") for each in text)
    return raised if len(raised) == len(text) <= 3 else ""


def _wrap_loose(text: str) -> str:
    return text if _is_tight(text, "·/^") else f"({text})"


def _is_tight(text: str, also: str = "") -> bool:
    """Tell whether text reads as one thing beside an operator: no looser operator stands outside of its brackets."""
    depth = 0
    for each in text:
        depth += _BRACKETS.get(each, 0)
        if depth == 0 and (each in _LOOSE or each in also):
            return False
    return bool(text)


def _is_word(piece: str) -> bool:
    return piece[1:] in _STYLES or piece[1:] in _FUNCTIONS or piece[1:] in _LIMITED or piece[1:] in _ACCENTS


def _clean_blanks(text: str, *, keeps_words: bool = False) -> str:
    """Collapse blanks; a thin space is a product, unless something stands beside it that is none of its factors."""
    text = re.sub(r" *\ue001 *", "\ue001", text)
    text = re.sub(r"(?<=[\w)\]}⌋⌉!|])\ue001(?=[\w(\[{⌊⌈√∑∏∫|])(?!d ?[a-z]\b)", "·", text)
    text = re.sub(r" +", " ", text.replace("\ue001", " ")).strip(" ")
    text = re.sub(r"(?<=[(\[⌊⌈]) | (?=[)\]⌋⌉,;!])", "", text)
    return text if keeps_words else text.replace(_WORD_SPACE, " ")
