"""Pitch, tuning, rhythm and sets of pitch classes."""
