"""Time series: dependence, smoothing, models and their moments."""
