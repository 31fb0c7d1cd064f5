"""Descriptive statistics and regression of samples, exact."""
