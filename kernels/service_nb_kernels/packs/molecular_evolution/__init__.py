"""Evolutionary distances of aligned nucleotide sequences."""
