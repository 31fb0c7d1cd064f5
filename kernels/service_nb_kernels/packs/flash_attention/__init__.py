"""Attention, exact, and the cost of computing it in blocks."""
