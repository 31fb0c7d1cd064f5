"""Evapotranspiration: water that crops and land give to the air, and its pieces by FAO 56."""
