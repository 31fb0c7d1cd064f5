"""Cubic and virial equations of state: pressure, compressibility, fugacity and departures of real gases and liquids."""
