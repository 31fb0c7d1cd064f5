"""Sampled signals: transforms, windows, filters, levels."""
