"""Stored results, run again: `Replaying` is what a client does with a card, a notebook, an id or its whole ledger."""
