"""Bounds on collisions, guesses and failures."""
