"""The sign beside each outcome. No tick: a card says what was answered, and only a verifier may say it is right."""

from __future__ import annotations

from collections.abc import Mapping

from service_nb.cards.blocks import Tone

SIGNS: Mapping[Tone, str] = {"answered": "●", "unclear": "?", "rejected": "⊘", "error": "✕", "source": "◆"}
