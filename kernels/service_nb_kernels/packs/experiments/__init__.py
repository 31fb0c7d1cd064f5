"""Design of experiments and surveys: sizes, allocations, effects."""
