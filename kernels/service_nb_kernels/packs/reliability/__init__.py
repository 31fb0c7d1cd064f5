"""Reliability and availability of parts and systems."""
