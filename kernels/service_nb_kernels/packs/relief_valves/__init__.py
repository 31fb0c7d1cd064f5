"""Sizing of safety and relief valves by API 520."""
