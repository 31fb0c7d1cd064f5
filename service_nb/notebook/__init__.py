"""The face in notebooks. `current()` is the client behind the magics; `use(service)` puts another in its place."""

from service_nb.notebook.session import current, use

__all__ = ["current", "use"]
