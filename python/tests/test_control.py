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
