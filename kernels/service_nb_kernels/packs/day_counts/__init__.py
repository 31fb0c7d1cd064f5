"""Fractions of a year between two dates, as bonds, loans and swaps count them."""
