"""Distances, times and densities of an expanding universe."""
