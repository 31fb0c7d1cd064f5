"""Write the golden faces anew: `python -m tests.unit.cards.golden`, then look at the difference."""

from __future__ import annotations

from pathlib import Path

from service_nb.cards.faces.html import to_html
from service_nb.cards.faces.markdown import to_markdown
from service_nb.cards.faces.text import to_text
from tests.unit.cards.samples import CARDS

WRITERS = {"txt": to_text, "html": to_html, "md": to_markdown}

for ending, names in {"txt": CARDS, "html": ("answered", "clarification"), "md": ("cut", "rejection")}.items():
    for name in names:
        text = WRITERS[ending](CARDS[name]).rstrip("\n") + "\n"
        (Path(__file__).parent / f"{name}.{ending}").write_text(text, encoding="utf-8")
