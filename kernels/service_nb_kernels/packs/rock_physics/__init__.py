"""Rocks as seismic waves meet them: moduli, pores and fluids, reflections."""
