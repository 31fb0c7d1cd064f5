"""Epochs and the rotation of the earth."""
