"""Indexes of how often the papers of an author are cited."""
