"""Void fraction, viscosity and pressure drop of a gas and a liquid that flow together in a pipe."""
