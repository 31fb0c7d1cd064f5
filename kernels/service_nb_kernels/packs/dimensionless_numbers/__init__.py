"""Numbers without a dimension that compare the forces and the transport of a flow."""
