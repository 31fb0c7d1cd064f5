"""Error-correcting codes: bounds and failure rates."""
