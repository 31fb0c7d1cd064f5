"""Spatial autocorrelation of values on places with weights between neighbors."""
