"""Thermal comfort: indoor climate by ISO 7730 and its kin, heat stress and cold."""
