"""NumPy, imported when something first needs it: formulas of single numbers do not, and WebAssembly has none."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from service_nb_kernels.errors import PlatformError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:

    class LazyNumPy:
        """Stands for the module until one of its names is used, and keeps each name from then on."""

        def __getattr__(self, name: str) -> Any:
            try:
                found = getattr(importlib.import_module("numpy"), name)
            except ModuleNotFoundError:
                raise PlatformError("It computes with arrays of NumPy, which this runtime does not have.") from None
            self.__dict__[name] = found
            return found

    np, NDArray = LazyNumPy(), Sequence

__all__ = ["NDArray", "is_array", "is_numpy_loaded", "np"]


def is_array(value: object) -> TypeGuard[NDArray[Any]]:
    """Tell whether a value is an array of NumPy; before NumPy is imported, none is."""
    return is_numpy_loaded() and isinstance(value, np.ndarray)


def is_numpy_loaded() -> bool:
    """Tell whether anything has imported NumPy."""
    return "numpy" in sys.modules
