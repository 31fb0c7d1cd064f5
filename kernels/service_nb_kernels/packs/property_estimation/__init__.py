"""Properties of chemicals estimated from few constants: corresponding states and correlations."""
