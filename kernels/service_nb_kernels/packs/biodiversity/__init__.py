"""Diversity, evenness and richness of communities from counts of their species."""
