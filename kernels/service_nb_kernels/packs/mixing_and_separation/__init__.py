"""Sizing of gas-liquid separators, and blending in tanks, static mixers and tees."""
