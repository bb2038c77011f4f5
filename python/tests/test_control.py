"""Ctrl-C, Stop, progress, exceptions of callbacks."""
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import bough

LONG = ("fattree:n=65536", "uniform", "circuit:mode=rounds")  # hours


def long(**keywords):
    return bough.sim(*LONG, trials=1000000, **keywords)


def test_ctrl_c():
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        long()
    assert bough.sim("fattree:n=16", "uniform", "circuit", trials=2).value("messages") == 16


def test_ctrl_c_of_a_program():
    code = f"import bough; print('go', flush=True); bough.sim(*{LONG}, trials=1000000)"
    run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           env={**os.environ, "PYTHONPATH": "python"})
    assert run.stdout.readline() == b"go\n"
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == -signal.SIGINT and b"KeyboardInterrupt" in errors


def interrupted(call, line):
    """Calls call() and sends SIGINT before a numbered line of the functions that wait; how it ended."""
    left = line

    def trace(frame, event, _):
        nonlocal left
        if os.path.basename(frame.f_code.co_filename) not in ("_control.py", "threading.py"):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGINT)
        return trace

    old = sys.gettrace()
    try:
        sys.settrace(trace)
        call()
    except KeyboardInterrupt:
        return "interrupted"
    finally:
        sys.settrace(old)
    return "ended"


def loads():
    return bough.Network("xgft:down=24x24,up=1x12").link_loads("dmodk")


@pytest.mark.parametrize("call, ends", [(lambda: long(threads=1), False), (loads, True)], ids=["sim", "link_loads"])
def test_ctrl_c_at_any_line(call, ends):
    """Wherever Ctrl-C arrives, no thread works on after the call, which would write into arrays that are gone."""
    handler = signal.getsignal(signal.SIGINT)
    for line in range(1, 160, 3):
        assert interrupted(call, line) == "interrupted" or ends
        alive = [thread for thread in threading.enumerate() if thread.name.startswith("bough_")]
        assert not alive, f"line {line}"
        assert signal.getsignal(signal.SIGINT) is handler or getattr(signal.getsignal(signal.SIGINT), "bough_old", None) is handler


def test_ctrl_c_in_a_call_of_a_callback():
    """Both calls end, the inner and the outer."""
    def show(_share, _what):
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        long(threads=1)

    with pytest.raises(KeyboardInterrupt):
        long(threads=1, progress=show)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("bough_")]


def test_a_handler_that_raises():
    class Alarm(Exception):
        pass

    def ring(*_):
        raise Alarm

    old = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Alarm):
            long()
    finally:
        signal.signal(signal.SIGALRM, old)


def test_two_threads_two_stops():
    stops = [bough.Stop(), bough.Stop()]
    ends, events = [None, None], [threading.Event(), threading.Event()]

    def work(i):
        try:
            long(stop=stops[i], threads=1)
        except bough.Stopped as error:
            ends[i] = str(error)
        events[i].set()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    stops[1].request()
    assert events[1].wait(120) and not events[0].is_set()  # the other one runs on
    stops[0].request()
    for thread in threads:
        thread.join()
    assert all(ends)


def test_both_at_once():
    """One stop for two calls, requested by this thread."""
    stop = bough.Stop()
    ends = []

    def work():
        with pytest.raises(bough.Stopped):
            long(stop=stop, threads=1)
        ends.append(1)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    stop.request()
    for thread in threads:
        thread.join()
    assert ends == [1, 1] and stop.requested
    with pytest.raises(bough.Stopped):
        long(stop=stop)  # also calls that begin later


def test_progress():
    seen = []
    here = threading.get_ident()

    def show(share, what):
        assert threading.get_ident() == here
        seen.append((share, what))
        if len(seen) > 2:
            stop.request()

    stop = bough.Stop()
    with pytest.raises(bough.Stopped):
        long(progress=show, stop=stop)
    assert all(0 <= share <= 1 and isinstance(what, str) for share, what in seen)
    assert [share for share, _ in seen] == sorted(share for share, _ in seen)


def test_an_exception_of_progress():
    def show(share, what):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        long(progress=show)


def test_bars(capsys, monkeypatch):
    pytest.importorskip("tqdm")
    stop = bough.Stop()
    threading.Timer(1.5, stop.request).start()
    with pytest.raises(bough.Stopped):
        long(progress=True, stop=stop)
    assert "%" in capsys.readouterr().err
    bough.sim("fattree:n=16", "uniform", "circuit", trials=2, progress=True)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    bough.sim("fattree:n=16", "uniform", "circuit", trials=2, progress=True)


def test_check_stops():
    stop = bough.Stop()
    stop.request()
    with pytest.raises(bough.Stopped):
        bough.check("examples/fabric/cluster.ibnetdiscover", stop=stop)
