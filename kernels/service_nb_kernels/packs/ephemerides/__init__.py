"""Places of the sun and the moon by short series, sunrise, and the time of sundials."""
