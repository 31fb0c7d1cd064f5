"""Directions in the sky: frames, angles, precession and the arguments of the Moon."""
