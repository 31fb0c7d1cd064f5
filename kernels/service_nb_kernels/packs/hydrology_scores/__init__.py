"""Scores of simulated against observed series, such as river flows."""
