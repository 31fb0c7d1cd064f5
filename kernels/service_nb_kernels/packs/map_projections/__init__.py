"""Projections of the earth and the sky onto maps."""
