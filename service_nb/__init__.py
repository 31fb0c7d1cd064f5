"""Typed questions and named computations in notebooks: every number right, replayable and provable.

    import service_nb
    service = service_nb.create_service()
    service.connect("sales.csv")
    service.ask("sum revenue by region from sales")

In a notebook: ``%load_ext service_nb``. Importing this module loads no heavy library; names are resolved on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from service_nb._version import __version__

if TYPE_CHECKING:
    from service_nb.client.factory import create_service
    from service_nb.client.results import Computation, QueryOutcome, ServiceSource, StoredResult
    from service_nb.client.service import Service
    from service_nb.errors import ServiceError
    from service_nb.notebook.explorer import interact
    from service_nb.notebook.extension import load_ipython_extension, unload_ipython_extension
    from service_nb.notebook.panel import panel
    from service_nb.query.policy import Policy
    from service_nb.schema.source import Limits

_HOMES = {
    "Computation": "service_nb.client.results",
    "Limits": "service_nb.schema.source",
    "Policy": "service_nb.query.policy",
    "QueryOutcome": "service_nb.client.results",
    "Service": "service_nb.client.service",
    "ServiceError": "service_nb.errors",
    "ServiceSource": "service_nb.client.results",
    "StoredResult": "service_nb.client.results",
    "create_service": "service_nb.client.factory",
    "interact": "service_nb.notebook.explorer",
    "load_ipython_extension": "service_nb.notebook.extension",
    "panel": "service_nb.notebook.panel",
    "unload_ipython_extension": "service_nb.notebook.extension",
}

__all__ = [
    "Computation",
    "Limits",
    "Policy",
    "QueryOutcome",
    "Service",
    "ServiceError",
    "ServiceSource",
    "StoredResult",
    "__version__",
    "create_service",
    "interact",
    "load_ipython_extension",
    "panel",
    "unload_ipython_extension",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Tell `jupyter labextension develop` where the extension was built, and by which name JupyterLab knows it."""
    return [{"src": "_labextension", "dest": "@service-nb/lab"}]


def __dir__() -> list[str]:
    return __all__
