"""Solar energy: sunlight on tilted surfaces, air mass, photovoltaic modules and trackers."""
