"""Conformance of clients: a protocol on standard input and output, an adapter for each client, and a runner.

`README.md` has the protocol; `python -m conformance --help` the runner.
"""
