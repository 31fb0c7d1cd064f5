"""Friction factors of pipes, and loss coefficients of entrances, bends, contractions, expansions, valves and tees."""
