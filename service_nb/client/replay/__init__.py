"""Replay stored results; see `flow.Replayer`."""
