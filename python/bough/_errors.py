"""Errors of the library as Python exceptions."""
from __future__ import annotations

__all__ = ["Error", "InvalidError", "UnsupportedError", "TooLargeError", "FileError", "RunError", "Stopped",
           "LibraryError"]


class Error(Exception):
    """What the library refuses or cannot do. The text is one line: the place and the reason.

    >>> import bough
    >>> try:
    ...     bough.Network("fatree:n=64")
    ... except bough.Error as error:
    ...     print(error)
    no network family 'fatree' (did you mean 'fattree'?); see `bough list families`
    """

    #: where the mistake is ("file.yaml:12", "key 'n'"), or ""
    place: str = ""

    def __init__(self, message: str = "", place: str = "") -> None:
        super().__init__(message)
        self.place = place


class InvalidError(Error, ValueError):
    """A spec, a file, an array or an argument is wrong."""


class UnsupportedError(Error, ValueError):
    """These parts do not fit together: a method cannot answer this question."""


class TooLargeError(Error, MemoryError):
    """It does not fit in memory."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class RunError(Error, RuntimeError):
    """A run failed."""


class Stopped(Error):
    """A call was stopped by `bough.Stop`. Ctrl-C raises KeyboardInterrupt instead."""


class LibraryError(Error, ImportError):
    """libbough is missing, or has another version than this package."""


# of bough_status, in its order; 0 is OK
BY_STATUS = (None, InvalidError, UnsupportedError, TooLargeError, TooLargeError, FileError, RunError, Stopped)
