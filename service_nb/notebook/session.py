"""The client of this notebook: one for each IPython session, held by its magics and made on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from IPython.core.getipython import get_ipython

from service_nb.errors import InvalidIntentError

if TYPE_CHECKING:
    from service_nb.client.service import Service
    from service_nb.notebook.magics import ServiceMagics

MAGICS = "ServiceMagics"
_UNLOADED = "_service_nb_unloaded"  # the attribute of a shell that keeps its magics while the extension is not loaded


def current() -> Service:
    """Return the client that this notebook's magics ask."""
    return cast("Service", magics().service)


def use(service: Service) -> None:
    """Let this notebook's magics ask `service`, for example one with a policy.

    Raises
    ------
    InvalidIntentError
        Not a client, or the extension is not loaded.
    """
    if not callable(getattr(service, "ask", None)):
        raise InvalidIntentError(
            f"use() takes a client, not {type(service).__name__}.", hint="Make one with service_nb.create_service(…)."
        )
    magics().service = service


def keep(shell: Any, magics: ServiceMagics) -> None:
    """Keep the magics of a session that unloads the extension: `%reload_ext` does so, and means the same sources."""
    setattr(shell, _UNLOADED, magics)


def kept(shell: Any) -> ServiceMagics | None:
    """Return the magics of a session that had loaded the extension before."""
    found: ServiceMagics | None = getattr(shell, _UNLOADED, None)
    return found


def magics() -> ServiceMagics:
    """Return the magics of this session.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The extension is not loaded.
    """
    shell: Any = get_ipython()
    loaded = shell.magics_manager.registry.get(MAGICS) if shell is not None else None
    if loaded is None:
        raise InvalidIntentError("The magics are not loaded in this session.", hint="Run %load_ext service_nb first.")
    return cast("ServiceMagics", loaded)
