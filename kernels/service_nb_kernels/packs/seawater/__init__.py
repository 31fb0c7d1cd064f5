"""Seawater: its density, sound, heat, salt and gases by UNESCO's equation of state of 1980 (EOS-80)."""
