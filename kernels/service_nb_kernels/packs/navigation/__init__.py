"""Courses, distances and positions on a globe: great circles and rhumb lines."""
