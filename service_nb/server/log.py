"""Write the log of a process that serves."""

from __future__ import annotations

import logging

LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


def configure_log(*, quiet: bool, as_json: bool) -> None:
    """Write the log to the standard error: what goes wrong, and a line for each request."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(LOG_FORMAT))
    for name in ("service_nb", "uvicorn"):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(logging.WARNING)
        logger.propagate = False
    logging.getLogger("uvicorn").setLevel(logging.ERROR)  # its warnings are of what strangers send
    access = logging.getLogger("service_nb.access")
    access.setLevel(logging.WARNING if quiet else logging.INFO)
    if as_json:
        lines = logging.StreamHandler()
        lines.setFormatter(logging.Formatter("%(message)s"))
        access.addHandler(lines)
        access.propagate = False
