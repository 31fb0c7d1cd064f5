"""Unit cells, lattice planes, elasticity of crystals, and X-rays that they scatter."""
