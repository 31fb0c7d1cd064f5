"""Access to a client's runtime without its protection; a room of its own, so that each use shows as an import."""

from __future__ import annotations

from service_nb.client.service import Service
from service_nb.runtimes.interface import Runtime

__all__ = ["get_unsafe_runtime"]


def get_unsafe_runtime(service: Service) -> Runtime:
    """Return the runtime that a client computes with.

    Unsafe: it takes calls as they come. No policy is asked, arguments are held to no signature, nothing is hashed, and
    what comes back has no provenance, so nobody can replay or check it. For measuring and for looking into a runtime,
    never for results.

    Parameters
    ----------
    service : Service
        The client; its policy does not reach what is returned.
    """
    return service._context.runtime.get()  # noqa: SLF001  # the one door to it
