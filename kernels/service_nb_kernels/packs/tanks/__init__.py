"""Volumes, wetted areas and heads of horizontal and vertical tanks."""
