"""Digital images: quality, filters, colour, boxes."""
