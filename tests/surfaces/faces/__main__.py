"""Write the golden faces anew: `python -m tests.surfaces.faces`, then look at the difference before committing it."""

from __future__ import annotations

from tests.surfaces.faces.cards import CARDS, FOLDER, VIEWS

for name, card in CARDS.items():
    for ending, view in VIEWS.items():
        (FOLDER / f"{name}.{ending}").write_text(view(card).rstrip("\n") + "\n", encoding="utf-8")
