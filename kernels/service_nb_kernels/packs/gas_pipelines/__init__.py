"""Flow of gas through long pipelines, and the work that compresses it."""
