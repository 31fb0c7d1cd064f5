"""Survival analysis of censored times."""
