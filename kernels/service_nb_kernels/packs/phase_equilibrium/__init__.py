"""Vapor pressures, K-values, solubilities and second virial coefficients."""
