r"""The face for LaTeX and PDF: only commands that nbconvert's template loads, none of them from data.

Every character that TeX would obey is written by name, and so is every pair that TeX would draw as one (`--`, `''`).
What the template's font does not have would vanish from the page without a word; it is written as its code point.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from service_nb.cards import blocks, folding
from service_nb.cards import format as fmt
from service_nb.core.words import make_visible, measure_width

# In mathematics, whose fonts have them.
SIGNS: Mapping[blocks.Tone, str] = {
    "answered": r"$\bullet$",
    "unclear": "?",
    "rejected": r"$\oslash$",
    "error": r"$\times$",
    "source": r"$\blacklozenge$",
    "verified": r"$\checkmark$",
}

_CUT = "\0"
_NAMES = {
    _CUT: r"\allowbreak{}",
    **{char: f"\\{char}" for char in "{}$&#%_"},
    **{char: f"{{{char}}}" for char in "[]*"},  # else an option of the line's end before them
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    '"': r"\textquotedbl{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "—": "{---}",
    "–": "{--}",  # noqa: RUF001 - the dash of a range
    "…": r"\ldots{}",
    "−": "$-$",  # noqa: RUF001 - the sign that a minus in prose is
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≠": r"$\ne$",
    "→": r"$\to$",
    "∞": r"$\infty$",
    "π": r"$\pi$",
    "Ω": r"$\Omega$",
}
# One character each, or the first of a pair that would become a dash or a low quote.
_SPECIAL = re.compile(r"-(?=-)|,(?=,)|[^ -~\u00a1-\u017f]|[" + re.escape("".join(_NAMES)) + "]")
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(cases|aligned)\}")
_PART = re.compile(_ENVIRONMENT.pattern + r"|\\(?:[A-Za-z]+|.|$)|[_^] *(?=[_^}]|$)|[{}&]")
_BREAK = "\\\\\n"  # lists would say the same in twice the bytes, and every card of a notebook has them
_WIDEST = 90  # characters of a table that the page has room for
_LONG = 32  # a column of longer text is broken into lines
_RUN, _RUN_IN_COLUMN = 76, 18  # characters without a blank that a line, or a line of such a column, has room for
_POINTED, _BROKEN = "r@{}l", r"p{0.3\linewidth}"


def write_latex(content: Iterable[blocks.Block]) -> str:
    """Write blocks as paragraphs of one TeX group, so that its settings end with it. Nothing is hyphenated."""
    paragraphs = "\n\n".join(_write_block(block) for block in content)
    return f"{{\\small\\raggedright\\parindent0pt\\hyphenpenalty10000\n{paragraphs}\n\\par}}\n"


def escape(text: str, run: int = _RUN) -> str:
    """Escape text for TeX; allow a line break after every `run` characters without a blank."""
    shown = make_visible(text)  # which never holds the mark itself
    broken = re.sub(rf"\S{{{run}}}(?=\S)", r"\g<0>" + _CUT, shown) if len(shown) > run else shown
    return _SPECIAL.sub(_escape_char, broken)


def _escape_char(match: re.Match[str]) -> str:
    char = match[0]
    if char in "-,":
        return f"{char}{{}}"
    return _NAMES.get(char) or f"\\texttt{{U+{ord(char):04X}}}"


def _write_bold(text: str) -> str:
    return f"\\textbf{{{text}}}"


def _write_code(text: str) -> str:
    return f"\\texttt{{{escape(text)}}}"


def _write_block(block: blocks.Block) -> str:
    match block:
        case blocks.Title():
            sign = "" if block.tone in ("source", "answered") else f"{SIGNS[block.tone]} "
            note = f" · {escape(block.note)}" if block.note else ""
            return f"{_write_bold(sign + escape(block.text))}{note}"
        case blocks.Status():
            return " · ".join([f"{SIGNS[block.tone]} {escape(block.label)}", *map(escape, folding.list_notes(block))])
        case blocks.Figure():
            return f"{{\\Large {_write_bold(escape(block.value))}}} {escape(block.caption)}"
        case blocks.Table():
            return f"{_write_table(block)}\n\n{escape(block.caption)}"
        case blocks.Sentence():
            return escape(block.text)
        case blocks.Formula():
            return f"\\[{block.latex}\\]" if _is_whole_formula(block.latex) else _write_code(block.text)
        case blocks.Commands():
            return _write_commands(block)
        case blocks.Facts():
            return "\n\n".join(_write_facts(block))
        case blocks.Mark():
            return escape(block.text)


def _is_whole_formula(latex: str) -> bool:
    """Tell whether LaTeX is a complete formula: an unclosed group would swallow the rest of the document."""
    return fmt.is_plain_latex(latex) and _is_closed(latex)


def _is_closed(latex: str) -> bool:
    opened: list[str] = []
    for match in _PART.finditer(latex):
        part, name = match[0], match[2] or "{"
        if part == "{" or match[1] == "begin":
            opened.append(name)
        elif part == "}" or match[1] == "end":
            if not opened or opened.pop() != name:
                return False
        elif part[0] in "_^" or part == "\\" or (part in ("&", "\\\\") and not {*opened} - {"{"}):
            return False  # `_` without an operand, an incomplete command, `\\` outside of a multi-line block
    return not opened


def _write_table(table: blocks.Table) -> str:
    columns = [[head.text, *cells] for head, *cells in zip(table.heads, *table.rows, strict=True)]
    if not columns:
        return ""
    widths = [max(map(measure_width, column)) for column in columns]
    if sum(min(width, _LONG) for width in widths) + 2 * len(widths) > _WIDEST:
        return _BREAK.join(_write_records(table))
    kinds = [
        _choose_column_kind(head.aligned == "point", cells, width)
        for head, (_, *cells), width in zip(table.heads, columns, widths, strict=True)
    ]
    lines = [" & ".join(map(_write_head, (head.text for head in table.heads), kinds))]
    lines += [" & ".join(map(_write_cell, row, kinds)) for row in table.rows]
    first, *rest = (f"{line}\\\\" for line in lines)
    return "\n".join(
        [f"\\begin{{longtable}}[l]{{{''.join(kinds)}}}", first, r"\hline\rule{0pt}{3ex}%", *rest, r"\end{longtable}"]
    )


def _choose_column_kind(is_quantity: bool, cells: Sequence[str], width: int) -> str:
    """Choose the column type; quantities with a decimal point take two columns that meet at the point."""
    if is_quantity:
        return _POINTED if any("." in cell for cell in cells) else "r"
    return "l" if width <= _LONG else _BROKEN


def _write_head(text: str, kind: str) -> str:
    said = _write_bold(escape(text))
    return f"\\multicolumn{{2}}{{r}}{{{said}}}" if kind == _POINTED else said


def _write_cell(text: str, kind: str) -> str:
    if kind != _POINTED:
        return escape(text, _RUN_IN_COLUMN if kind == _BROKEN else _RUN)
    whole, point, rest = text.partition(".")
    return f"{escape(whole)} & {escape(point + rest)}"


def _write_records(table: blocks.Table) -> Iterator[str]:
    """Write the rows of a table that is too wide for the page as text that can wrap."""
    for row in table.rows:
        yield "; ".join(f"{escape(head.text)}: {escape(cell)}" for head, cell in zip(table.heads, row, strict=True))


def _write_commands(block: blocks.Commands) -> str:
    title = f"{_write_bold(escape(block.title))} " if block.title else ""
    lines = [_write_command(command) for command in block.commands]
    return _BREAK.join([title.rstrip(), *lines]) if len(lines) > 1 else "".join([title, *lines])


def _write_command(command: blocks.Command) -> str:
    return _write_code(command.line) + (f" · {escape(command.note)}" if command.note else "")


def _write_facts(block: blocks.Facts) -> Iterator[str]:
    for fact in block.facts:
        lines = ["".join(map(_write_span, line)) for line in fact.lines]
        if fact.is_steps:
            lines = [f"{index}. {line}" for index, line in enumerate(lines, 1)]
        yield _BREAK.join([f"{_write_bold(escape(fact.label))} {lines[0]}", *lines[1:]])


def _write_span(span: blocks.TextSpan) -> str:
    return escape(span.text) if span.kind == "text" else _write_code(span.text)


FACE = blocks.CardFace(name="latex", mime="text/latex", write=write_latex, rank=2)
