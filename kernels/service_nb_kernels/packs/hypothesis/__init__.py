"""Tests of hypotheses, intervals, effect sizes and power."""
