"""Scores of weather, flood and ensemble forecasts."""
