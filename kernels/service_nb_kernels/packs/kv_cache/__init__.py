"""The cache of keys and values: memory, paging, positions."""
