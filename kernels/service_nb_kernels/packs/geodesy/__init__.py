"""Positions, latitudes, radii and lengths on an ellipsoid of revolution such as that of WGS 84."""
