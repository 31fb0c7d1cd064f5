"""Entropies, divergences, channels and codes."""
