"""libbough through ctypes: finding it, its functions, calling them.

ctypes needs nothing but Python itself, so one wheel serves all versions of Python and any build of the library, and
it releases the interpreter lock during calls. tests/test_header.py compares the declarations here with bough.h."""
from __future__ import annotations

import ctypes
import glob
import os
import threading
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char, c_char_p, c_double, c_int, c_int64, c_size_t,
                    c_uint, c_uint32, c_uint64, c_void_p)
from typing import Any, Callable, Optional

from ._errors import BY_STATUS, LibraryError

VERSION = "0.1"
SONAME = "libbough.so." + VERSION

Progress = CFUNCTYPE(c_int, c_void_p, c_double, c_char_p)


class ErrorText(Structure):
    """bough_error"""
    _fields_ = [("status", c_int), ("place", c_char * 256), ("reason", c_char * 640)]


class Control(Structure):
    """bough_control"""
    _fields_ = [("size", c_size_t), ("threads", c_uint), ("stop", c_void_p), ("progress", Progress),
                ("context", c_void_p)]


class Loads(Structure):
    """bough_loads"""
    _fields_ = [("size", c_size_t), ("routing", c_char_p), ("traffic", c_char_p), ("load", c_void_p), ("unrouted", c_double)]


class NetworkOptions(Structure):
    """bough_network_options"""
    _fields_ = [("size", c_size_t), ("faults", c_char_p), ("physical", c_char_p), ("registry", c_void_p)]


class NetworkSizes(Structure):
    """bough_network_sizes"""
    _fields_ = [("nodes", c_uint64), ("endpoints", c_uint64), ("switches", c_uint64), ("links", c_uint64),
                ("cables", c_uint64), ("levels", c_uint)]


class LinkArrays(Structure):
    """bough_link_arrays"""
    _fields_ = [("size", c_size_t), ("from", c_void_p), ("to", c_void_p), ("rate", c_void_p), ("alive", c_void_p)]


class CableArrays(Structure):
    """bough_cable_arrays"""
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("nodes", c_uint64), ("endpoints", c_uint64), ("a", c_void_p),
                ("b", c_void_p), ("rate", c_void_p), ("count", c_size_t), ("node_name", POINTER(c_char_p))]


class MessageArrays(Structure):
    """bough_message_arrays"""
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("source", c_void_p), ("destination", c_void_p),
                ("bytes", c_void_p), ("count", c_size_t)]


class WeightArrays(Structure):
    """bough_weight_arrays"""
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("source", c_void_p), ("destination", c_void_p),
                ("weight", c_void_p), ("count", c_size_t)]


class TableArrays(Structure):
    """bough_table_arrays"""
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("nodes", c_uint64), ("endpoints", c_uint64),
                ("link", c_void_p)]


class TuningArgument(Structure):
    """bough_tuning"""
    _fields_ = [("size", c_size_t), ("objective", c_char_p), ("job", c_void_p), ("jobs", c_size_t),
                ("routing", c_void_p), ("routings", c_size_t), ("effort", c_double), ("seed", c_uint64),
                ("report", c_void_p), ("tables", c_void_p)]


class PlanningArgument(Structure):
    """bough_planning"""
    _fields_ = [("size", c_size_t), ("hosts", c_uint64), ("radix", c_uint), ("levels", c_uint), ("taper", c_double),
                ("prices", c_char_p), ("job", c_char_p), ("routing", c_char_p), ("physical", c_char_p), ("spray", c_int),
                ("limit", c_uint64), ("seed", c_uint64), ("report", c_void_p)]


class PathLinks(Structure):
    """bough_links"""
    _fields_ = [("link", c_void_p), ("room", c_size_t), ("count", c_size_t)]


class ResultRow(Structure):
    """bough_result"""
    _fields_ = [("point", c_size_t), ("network", c_char_p), ("faults", c_char_p), ("routing", c_char_p), ("traffic", c_char_p),
                ("method", c_char_p), ("metric", c_char_p), ("unit", c_char_p), ("index", c_int64),
                ("mean", c_double), ("ci95", c_double), ("min", c_double), ("max", c_double), ("trials", c_uint64),
                ("exact", c_int), ("status", c_char_p), ("note", c_char_p), ("premises", c_char_p)]


class ExtHop(Structure):
    """bough_ext_hop"""
    _fields_ = [("node", c_uint64), ("source", c_uint64), ("destination", c_uint64), ("key", c_uint64),
                ("list", POINTER(c_uint32)), ("first", c_uint64), ("count", c_uint64)]


ExtLink = CFUNCTYPE(c_uint64, c_void_p, POINTER(ExtHop))
ExtDestination = CFUNCTYPE(c_uint64, c_void_p, c_uint64, c_uint64, c_uint64)


class ExtRouting(Structure):
    """bough_ext_routing"""
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("summary", c_char_p), ("source", c_char_p),
                ("params", c_void_p), ("context", c_void_p), ("open", c_void_p), ("close", c_void_p), ("link", ExtLink),
                ("any_link", c_int), ("choose", c_void_p), ("via", c_void_p)]


class ExtPattern(Structure):
    """bough_ext_pattern"""
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("summary", c_char_p), ("source", c_char_p),
                ("params", c_void_p), ("context", c_void_p), ("destination", ExtDestination), ("random", c_int),
                ("probability", c_void_p), ("open", c_void_p), ("close", c_void_p)]


class ExtHost(Structure):
    """bough_ext_host, as far as it is used"""
    _fields_ = [("size", c_size_t), ("version", c_char_p), ("add_network", c_void_p),
                ("add_routing", CFUNCTYPE(c_int, c_void_p, POINTER(ExtRouting), POINTER(ErrorText))),
                ("add_pattern", CFUNCTYPE(c_int, c_void_p, POINTER(ExtPattern), POINTER(ErrorText)))]


class Compared(Structure):
    """bough_compared"""
    _fields_ = [("row", c_size_t), ("against", c_size_t), ("difference", c_double), ("difference_ci95", c_double),
                ("ratio", c_double), ("ratio_ci95", c_double), ("trials", c_uint64)]


_ERROR = POINTER(ErrorText)
_OUT = POINTER(c_void_p)

# result and arguments of every function that is used; those that end with _ERROR return a status
FUNCTIONS: "dict[str, tuple[Any, list[Any]]]" = {
    "bough_version": (c_char_p, []),
    "bough_free": (None, [c_void_p]),
    "bough_registry_create": (c_int, [_OUT, _ERROR]),
    "bough_registry_load": (c_int, [c_void_p, c_char_p, _ERROR]),
    "bough_registry_add_messages": (c_int, [c_void_p, POINTER(MessageArrays), _ERROR]),
    "bough_registry_add_weights": (c_int, [c_void_p, POINTER(WeightArrays), _ERROR]),
    "bough_registry_use_network": (c_int, [c_void_p, c_void_p, _ERROR]),
    "bough_registry_add_tables": (c_int, [c_void_p, POINTER(TableArrays), _ERROR]),
    "bough_registry_destroy": (None, [c_void_p]),
    "bough_extensions": (POINTER(ExtHost), []),
    "bough_list": (c_int, [c_void_p, _OUT, _ERROR]),
    "bough_stop_create": (c_int, [_OUT, _ERROR]),
    "bough_stop_request": (None, [c_void_p]),
    "bough_stop_destroy": (None, [c_void_p]),
    "bough_network_open": (c_int, [c_char_p, POINTER(NetworkOptions), _OUT, _ERROR]),
    "bough_network_parse": (c_int, [c_char_p, c_char_p, c_size_t, _OUT, _ERROR]),
    "bough_network_from_cables": (c_int, [POINTER(CableArrays), _OUT, _ERROR]),
    "bough_network_with": (c_int, [c_void_p, POINTER(NetworkOptions), _OUT, _ERROR]),
    "bough_network_destroy": (None, [c_void_p]),
    "bough_network_size": (NetworkSizes, [c_void_p]),
    "bough_network_spec": (c_char_p, [c_void_p]),
    "bough_network_node_name": (c_int, [c_void_p, c_uint64, c_char_p, c_size_t, _ERROR]),
    "bough_network_links": (c_int, [c_void_p, POINTER(LinkArrays), _ERROR]),
    "bough_network_path": (c_int, [c_void_p, c_char_p, POINTER(c_uint64), POINTER(PathLinks), _ERROR]),
    "bough_network_loads": (c_int, [c_void_p, POINTER(Control), POINTER(Loads), _ERROR]),
    "bough_plan_trees": (c_int, [POINTER(Control), POINTER(PlanningArgument), _ERROR]),
    "bough_network_tune": (c_int, [c_void_p, POINTER(Control), POINTER(TuningArgument), _ERROR]),
    "bough_network_text": (c_int, [c_void_p, c_char_p, c_char_p, _OUT, _ERROR]),
    "bough_question_create": (c_int, [_OUT, _ERROR]),
    "bough_question_set": (c_int, [c_void_p, c_char_p, c_char_p, _ERROR]),
    "bough_question_use_registry": (c_int, [c_void_p, c_void_p, _ERROR]),
    "bough_question_use_network": (c_int, [c_void_p, c_void_p, _ERROR]),
    "bough_question_destroy": (None, [c_void_p]),
    "bough_simulate": (c_int, [c_void_p, POINTER(Control), _OUT, _ERROR]),
    "bough_results_count": (c_size_t, [c_void_p]),
    "bough_results_get": (ResultRow, [c_void_p, c_size_t]),
    "bough_results_axis": (c_char_p, [c_void_p, c_size_t, c_size_t, POINTER(c_char_p)]),
    "bough_results_compare": (c_int, [c_void_p, c_size_t, POINTER(Compared)]),
    "bough_results_text": (c_int, [c_void_p, c_char_p, _OUT, _ERROR]),
    "bough_results_destroy": (None, [c_void_p]),
    "bough_diagnose": (c_int, [c_void_p, POINTER(Control), _OUT, _ERROR]),
    "bough_diagnosis_severity": (c_int, [c_void_p]),
    "bough_diagnosis_text": (c_int, [c_void_p, c_char_p, _OUT, _ERROR]),
    "bough_diagnosis_destroy": (None, [c_void_p]),
}

_lock = threading.Lock()
_loaded: Optional[ctypes.CDLL] = None


def _candidates() -> "list[str]":
    """Where the library may be, in order."""
    chosen = os.environ.get("BOUGH_LIBRARY")
    if chosen:
        return [chosen]
    here = os.path.dirname(os.path.abspath(__file__))
    prefix = os.path.normpath(os.path.join(here, "..", "..", ".."))  # lib, of lib/python3/dist-packages/bough
    beside = [os.path.join(here, SONAME), os.path.join(prefix, SONAME)]
    beside += sorted(glob.glob(os.path.join(glob.escape(prefix), "*", SONAME)))
    return [path for path in beside if os.path.exists(path)] + [SONAME]


def _open(path: str) -> ctypes.CDLL:
    try:
        lib = ctypes.CDLL(path)
    except OSError as error:
        if os.environ.get("BOUGH_LIBRARY"):
            raise LibraryError(f"BOUGH_LIBRARY={path} cannot be loaded: {error}") from None
        raise LibraryError(f"{SONAME} cannot be loaded: {error}; install libbough, or set BOUGH_LIBRARY to the path of "
                           "the library") from None
    try:
        lib.bough_version.restype = c_char_p
        version = lib.bough_version().decode("ascii", "replace")
    except AttributeError:
        raise LibraryError(f"{path} is not libbough") from None
    if version.split(".")[:2] != VERSION.split("."):
        raise LibraryError(f"{path} is libbough {version}; this package needs {VERSION}")
    for name, (result, arguments) in FUNCTIONS.items():
        try:
            function = getattr(lib, name)
        except AttributeError:
            raise LibraryError(f"{path} has no {name}: it is older than this package") from None
        function.restype, function.argtypes = result, arguments
    return lib


def library() -> ctypes.CDLL:
    """The library, loaded at the first use."""
    global _loaded
    with _lock:
        if _loaded is None:
            _loaded = _open(_candidates()[0])
        return _loaded


def check(status: int, error: ErrorText) -> None:
    """Raises the exception of a status."""
    if not status:
        return
    kind = BY_STATUS[status] if status < len(BY_STATUS) else None
    place, reason = decode(error.place), decode(error.reason)
    raise (kind or BY_STATUS[6])(f"{place}: {reason}" if place else reason, place)


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a status; raises its error."""
    error = ErrorText()
    check(getattr(library(), name)(*arguments, byref(error)), error)


def make(name: str, *arguments: Any) -> int:
    """Calls a function whose last argument but the error is an object that it creates."""
    made = c_void_p()
    call(name, *arguments, byref(made))
    assert made.value
    return made.value


def text(name: str, *arguments: Any) -> str:
    """Calls a function that creates a text."""
    made = make(name, *arguments)
    try:
        return decode(ctypes.string_at(made))
    finally:
        library().bough_free(made)


def encode(value: Any, what: str) -> bytes:
    """A text or a path for the library."""
    if isinstance(value, (str, os.PathLike)):
        data = os.fsencode(value)
    elif isinstance(value, bytes):
        data = value
    else:
        raise TypeError(f"{what} is {type(value).__name__}; it must be a text")
    if b"\0" in data:
        raise ValueError(f"{what} contains a null character")
    return data


def decode(data: bytes) -> str:
    """A text of the library. Names of recorded fabrics may have any bytes; what is not UTF-8 is escaped."""
    return data.decode("utf-8", "backslashreplace")


class Handle:
    """An object of the library, destroyed when it is closed and no call uses it. keep: what it borrows.

    with handle as pointer: keeps it alive during a call, while other threads may close it."""

    __slots__ = ("_pointer", "_destroy", "_users", "_closed", "_lock", "_what", "keep")

    def __init__(self, pointer: int, destroy: str, what: str, keep: Any = None) -> None:
        self.keep = keep  # what the object borrows: lives longer than it
        self._destroy: Callable[[int], None] = getattr(library(), destroy)
        self._users = 0
        self._closed = False
        self._lock = threading.RLock()  # a signal handler may use what the main thread is using
        self._what = what
        self._pointer: Optional[int] = pointer  # the last one: __del__ looks at it first

    def __enter__(self) -> int:
        with self._lock:
            if self._closed or self._pointer is None:
                raise ValueError(f"this {self._what} is closed")
            self._users += 1
            return self._pointer

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            self._free()

    def _free(self) -> None:
        if self._closed and not self._users and self._pointer is not None:
            pointer, self._pointer = self._pointer, None
            self._destroy(pointer)

    def close(self) -> None:
        """Destroys it, as soon as the calls that use it have ended. Closing twice does nothing."""
        with self._lock:
            self._closed = True
            self._free()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._closed

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is not None:
            self.close()
