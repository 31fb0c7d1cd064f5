"""Embeddings: likeness, geometry, quantisation."""
