"""Color: spaces, differences, temperature, whiteness and the curves of video."""
