"""Drag of particles, and pressure drop of beds that are packed with them."""
