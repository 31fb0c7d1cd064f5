"""Flow coefficients, choking and cavitation of control valves, by IEC 60534."""
