"""Retrieval for generation: scores, fusion, indexes."""
