"""The sign beside each outcome. A card has no tick: it says what was answered; only a verdict says that it holds."""

from __future__ import annotations

from collections.abc import Mapping

from service_nb.cards.blocks import Tone

SIGNS: Mapping[Tone, str] = {
    "answered": "●",
    "unclear": "?",
    "rejected": "⊘",
    "error": "✕",
    "source": "◆",
    "verified": "✓",
}
