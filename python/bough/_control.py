"""Long calls: threads, progress, stopping by Ctrl-C or by another thread, exceptions of callbacks."""
from __future__ import annotations

import ctypes
import operator
import signal
import sys
import threading
from ctypes import byref, c_void_p
from typing import Any, Callable, Dict, Optional, Set, Tuple, Union

from ._library import Control, ErrorText, Handle, Progress, check, decode, library, make

ProgressArgument = Union[None, bool, Callable[[float, str], object]]


class Stop:
    """A request to stop, for `stop=` of `sim`, `run` and `check`. Any thread may make it; the calls raise `Stopped`.

    >>> import bough, threading
    >>> stop = bough.Stop()
    >>> threading.Timer(0.2, stop.request).start()
    >>> try:
    ...     bough.sim("fattree:n=65536", "uniform", "circuit:mode=rounds", trials=100000, stop=stop)
    ... except bough.Stopped as error:
    ...     print(error)
    interrupted
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._calls: "Set[Call]" = set()
        self._requested = False

    def request(self) -> None:
        """Ends all calls that have this stop, also those that begin later."""
        with self._lock:
            self._requested = True
            for call in self._calls:
                call.stop()

    @property
    def requested(self) -> bool:
        """Whether request() was called."""
        return self._requested

    def _add(self, call: "Call") -> None:
        with self._lock:
            self._calls.add(call)
            if self._requested:
                call.stop()

    def _remove(self, call: "Call") -> None:
        with self._lock:
            self._calls.discard(call)


class _Signals:
    """While this is active, an exception of a signal handler goes to `fail`, and leaves no function.

    Python runs handlers between any two steps of the main thread. An exception that one raises would else leave
    the function that waits for the library, or the handling of an earlier exception there."""

    def __init__(self, fail: "Callable[[BaseException], None]") -> None:
        self._fail = fail
        self._old: "Dict[int, Tuple[Any, Any]]" = {}  # the handler here, and the one that it stands for
        self.active = False

    def hold(self) -> None:
        """Takes the place of all handlers that are written in Python."""
        if threading.current_thread() is not threading.main_thread():
            return
        try:
            for number in signal.valid_signals():
                handler = signal.getsignal(number)
                if callable(handler):
                    handler = getattr(handler, "bough_old", handler)  # that of a call whose progress calls this one
                    self._old[number] = self._guard(handler), signal.getsignal(number)
                    signal.signal(number, self._old[number][0])
        except ValueError:  # this interpreter is not the main one: it handles no signals
            return
        self.active = True

    def release(self) -> None:
        """Gives the handlers back."""
        self.active = False
        for number, (own, old) in self._old.items():
            if signal.getsignal(number) is own:
                signal.signal(number, old)

    def _guard(self, handler: "Callable[[int, Any], Any]") -> "Callable[[int, Any], None]":
        def guard(number: int, frame: Any) -> None:
            if not self.active:  # the call has not begun, or is over
                handler(number, frame)
                return
            try:
                handler(number, frame)
            except BaseException as error:  # pylint: disable=broad-except
                self._fail(error)

        guard.bough_old = handler  # type: ignore[attr-defined]
        return guard


class Call:
    """One long call of the library. Its callbacks report their exceptions here.

    The call runs in a thread of its own: Python handles signals in the main thread only, and not while that is in the
    library. This thread waits, shows the progress, and stops the call when anything is raised here. It returns after
    the call has ended, since the library uses arrays of the caller until then."""

    def __init__(self, threads: Optional[int] = None, stop: Optional[Stop] = None,
                 progress: ProgressArgument = None) -> None:
        if threads is not None:
            if isinstance(threads, bool) or not hasattr(threads, "__index__") or not 0 < operator.index(threads) < 2**31:
                raise ValueError(f"threads={threads!r} must be a whole number from 1")
            threads = operator.index(threads)
        if stop is not None and not isinstance(stop, Stop):
            raise TypeError(f"stop is {type(stop).__name__}; it must be a bough.Stop")
        self._threads = threads or 0
        self._user_stop = stop
        self._stop = Handle(make("bough_stop_create"), "bough_stop_destroy", "stop")
        self._show = _shown(progress)
        self._event = threading.Event()
        self._latest: "Optional[tuple[float, str]]" = None
        self._finished = False
        self._error: Optional[BaseException] = None
        self._status, self._text, self._made = 0, ErrorText(), c_void_p()

    def stop(self) -> None:
        """Ends the call soon."""
        with self._stop as pointer:
            library().bough_stop_request(pointer)

    def fail(self, error: BaseException) -> None:
        """An exception of a callback: ends the call, which raises it."""
        if self._error is None:
            self._error = error
        self.stop()

    @property
    def failed(self) -> bool:
        """Whether something was raised: callbacks need no more results."""
        return self._error is not None

    def make(self, name: str, question: Handle, destroy: str, what: str) -> Handle:
        """Calls name(question, control, &made, &error); what it made, or its error, or what was raised meanwhile."""
        def work(control: Any) -> int:
            with question as pointer:
                status: int = getattr(library(), name)(pointer, control, byref(self._made), byref(self._text))
                return status

        try:
            self.run(name, work)
        except BaseException:
            if self._made.value:
                Handle(self._made.value, destroy, what).close()
            raise
        assert self._made.value
        return Handle(self._made.value, destroy, what, question.keep)

    def run(self, name: str, work: "Callable[[Any], int]") -> None:
        """Runs work(control), which fills self.text and returns a status; raises its error, or what was raised meanwhile."""
        if self._user_stop:
            self._user_stop._add(self)
        signals = _Signals(self.fail)
        try:
            signals.hold()
            threading.Thread(target=self._work, args=(work,), name=name).start()
            while not self._finished:
                self._wait()
        finally:
            signals.release()
            if self._user_stop:
                self._user_stop._remove(self)
            if isinstance(self._show, _Bar):
                self._show.close(self._error is None and self._status == 0)
        if self._error is not None:
            raise self._error
        check(self._status, self._text)

    @property
    def text(self) -> Any:
        """The bough_error of the call, by reference."""
        return byref(self._text)

    def _work(self, work: "Callable[[Any], int]") -> None:
        def progress(_context: object, share: float, what: Optional[bytes]) -> int:
            self._latest = (share, decode(what or b""))
            self._event.set()
            return 0

        shown = Progress(progress) if self._show else Progress(0)
        try:
            with self._stop as stop:
                self._status = work(byref(Control(ctypes.sizeof(Control), self._threads, stop, shown)))
        except BaseException as error:  # pylint: disable=broad-except
            self.fail(error)
        finally:
            self._finished = True
            self._event.set()

    def _wait(self) -> None:
        try:
            self._event.wait(0.2)
            self._event.clear()
            latest, self._latest = self._latest, None
            if self._show and latest and self._error is None:
                self._show(*latest)
        except BaseException as error:  # pylint: disable=broad-except
            self.fail(error)


class _Bar:
    """Progress by tqdm, or without it as a line on standard error."""

    def __init__(self) -> None:
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=1.0, bar_format="{desc}{percentage:3.0f}% |{bar}| {elapsed}<{remaining}", leave=False)

    def __call__(self, share: float, what: str) -> None:
        if self._bar is None:
            print(f"\r{share:4.0%} {what:.60}", end="", file=sys.stderr, flush=True)
            return
        self._bar.set_description_str(f"{what:.40} " if what else "", refresh=False)
        self._bar.update(max(0.0, share - self._bar.n))

    def close(self, finished: bool) -> None:
        """Ends the line."""
        if self._bar is None:
            print(file=sys.stderr)
            return
        if finished:
            self(1.0, "")
        self._bar.close()


def _shown(progress: ProgressArgument) -> Optional[Callable[[float, str], object]]:
    if progress is None or progress is False:
        return None
    if progress is True:
        return _Bar()
    if not callable(progress):
        raise TypeError("progress must be True, False or a function of (share, what)")
    return progress
