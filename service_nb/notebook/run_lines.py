"""The output that shows lines to run: in JupyterLab with a button beside each, elsewhere as code."""

from __future__ import annotations

from collections.abc import Iterable

from service_nb.cards.blocks import Block, Command, Commands, Sentence
from service_nb.cards.faces import Bundle, write_bundle

# Holds `{"says", "title", "lines": [{"line", "note"}], "more"}`. It is for display: nothing of it is hashed, and
# JupyterLab runs none but magics of service_nb.
LINES_MIME = "application/vnd.service-nb.lines.v1+json"


def build_lines_bundle(lines: Iterable[str | Command], *, says: str = "", title: str = "", more: str = "") -> Bundle:
    """Build the bundle of lines to run.

    Parameters
    ----------
    lines : iterable of str or Command
        As they are typed; each runs as it stands.
    says : str
        What they are for.
    title : str
        Their heading; by default one that says there is a choice, where there is.
    more : str
        A line below them.
    """
    commands = tuple(each if isinstance(each, Command) else Command(each) for each in lines)
    heading = title or ("Run one of these" if len(commands) > 1 else "")
    blocks: list[Block] = [Sentence(says, "message")] if says else []
    blocks += [Commands(commands, heading), *([Sentence(more, "hint")] if more else [])]
    data, metadata = write_bundle(blocks)
    shown = [{"line": each.line, "note": each.note} for each in commands]
    return {LINES_MIME: {"says": says, "title": heading, "lines": shown, "more": more}, **data}, metadata
