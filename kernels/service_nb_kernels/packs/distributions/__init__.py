"""Probability distributions."""
