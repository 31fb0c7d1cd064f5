"""Measures of classifiers, scores, forecasts, rankings, clusterings and fairness."""
