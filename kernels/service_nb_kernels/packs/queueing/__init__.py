"""Queues in their steady state."""
