"""The parameter that says which alternative a test is made against."""

from __future__ import annotations

from typing import Any

from service_nb_kernels.certified import tails
from service_nb_kernels.declare import P


def make_alternative(about: str) -> dict[str, Any]:
    """Return the parameter `alternative`; `about` says of what `less` and `greater` are."""
    about = f"alternative hypothesis: {about}"
    return P("string", choices=tails.ALTERNATIVES, default="two-sided", about=about)
