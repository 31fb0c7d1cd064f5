"""Petroleum measures, heating values, and flammability limits."""
