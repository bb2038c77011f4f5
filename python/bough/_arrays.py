"""Arguments that are arrays: checked, and converted where that loses nothing."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray


def whole(values: Any, name: str, dimensions: int = 1, missing: bool = False) -> "NDArray[np.uint64]":
    """Whole numbers from 0 as a contiguous array of uint64, a view if possible. missing: -1 is allowed."""
    array = np.asarray(values)
    if array.size == 0 and array.dtype.kind == "f":  # the empty list
        array = array.astype(np.uint64)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} has elements of type {array.dtype}; they must be whole numbers")
    _check_dimensions(array, name, dimensions)
    low = -1 if missing else 0
    if array.dtype.kind == "i" and array.size and array.min() < low:
        raise ValueError(f"{name} contains {array.min()}; its elements must be {low} or more")
    if array.dtype.kind == "i":  # -1 becomes 2^64 - 1, which is what it stands for
        return np.ascontiguousarray(array, np.int64).view(np.uint64)
    return np.ascontiguousarray(array, np.uint64)


def rates(values: Any, name: str, count: int) -> "Optional[NDArray[np.float64]]":
    """Rates in bit/s, one for all or one for each; 0: unknown."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} has elements of type {array.dtype}; they must be numbers, in bit/s")
    if array.ndim == 0:
        array = np.full(count, array)
    _check_dimensions(array, name, 1)
    if len(array) != count:
        raise ValueError(f"{name} has {len(array)} elements; there are {count} cables")
    array = np.ascontiguousarray(array, dtype=np.float64)
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        raise ValueError(f"{name} contains {array[bad][0]}; rates are finite, and 0 or more")
    return array


def weights(values: Any) -> "NDArray[np.float64]":
    """Weights of pairs."""
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"weights have the type {array.dtype}; they must be numbers")
    return np.ascontiguousarray(array, dtype=np.float64)


def output(out: Any, count: int) -> "NDArray[np.float64]":
    """An array that the library fills; `out` if it fits."""
    if out is None:
        return np.empty(count, np.float64)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is {type(out).__name__}; it must be a NumPy array")
    if out.dtype != np.float64 or out.shape != (count,) or not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError(f"out must be a contiguous, writable array of {count} float64; it has the type {out.dtype} and the "
                         f"shape {out.shape}")
    return out


def _check_dimensions(array: "NDArray[Any]", name: str, dimensions: int) -> None:
    if array.ndim != dimensions:
        raise ValueError(f"{name} has {array.ndim} dimensions; it must have {dimensions}")
