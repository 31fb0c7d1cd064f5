"""Heat transfer to a liquid that boils and from a vapor that condenses."""
