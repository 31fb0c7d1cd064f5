"""Uncertainty of measurements by the GUM: evaluation, propagation, coverage, calibration."""
