"""Write the golden faces anew: `python -m tests.unit.cards.golden`, then look at the difference."""

from __future__ import annotations

from pathlib import Path

from tests.faces import to_html, to_markdown, to_text
from tests.unit.cards.samples import CARDS

WRITERS = {"txt": to_text, "html": to_html, "md": to_markdown}

for ending, names in {"txt": CARDS, "html": ("answered", "clarification"), "md": ("cut", "rejection")}.items():
    for name in names:
        text = WRITERS[ending](CARDS[name]).rstrip("\n") + "\n"
        (Path(__file__).parent / f"{name}.{ending}").write_text(text, encoding="utf-8")
