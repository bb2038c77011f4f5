#!/usr/bin/env python3
"""How large an input every engine takes: time and memory by size, up to the first that is refused or takes too long.

    bench/sizes.py BOUGH [SECONDS [NAME...]]

One thread, one trial. SECONDS of CPU time (default 60): a size that takes longer than a quarter of it is the last one that is tried,
and one that takes longer than it is stopped. Memory is the peak of the process, of which
Python, which starts it, takes 14 MiB. The last column of the last line of an engine says what
stops the next size: the time, or the line in which bough refuses it."""
import os
import re
import resource
import signal
import subprocess
import sys
import threading


def powers(base, first, last, step=1):
    return [(base ** k, k) for k in range(first, last + 1, step)]


# name, command with {n} and {k}, the sizes
ENGINES = [
    ("circuit, rounds", "sim fattree:n={n} uniform circuit:mode=rounds --trials 1", powers(2, 18, 30, 2)),
    ("circuit, cycles", "sim fattree:n={n} uniform circuit:mode=cycles --trials 1", powers(2, 18, 30, 2)),
    ("circuit, any network", "sim kary:k=4,levels={k} uniform circuit:mode=rounds --trials 1", powers(4, 7, 14)),
    ("circuit, transit", "sim transit:n={n} uniform circuit:mode=attempt --trials 1", powers(64, 2, 5)),
    ("worm, butterfly", "sim bft:n={n} poisson:relload=0.2 worm:messages={n},warmup=1 --trials 1", powers(4, 7, 14)),
    ("worm, any network", "sim kary:k=4,levels={k} poisson:load=0.01 worm:messages={n},warmup=1 --trials 1", powers(4, 6, 13)),
    ("worm, channels", "sim kary:k=4,levels={k} poisson:load=0.01 worm:vcs=2,messages={n},warmup=1 --trials 1", powers(4, 5, 12)),
    ("packet, cube", "sim cube:n={n},ports=all randperm packet --routing valiant --trials 1", powers(2, 14, 28, 2)),
    ("packet, tree", "sim kary:k=4,levels={k} randperm packet --routing dmodk --trials 1", powers(4, 7, 14)),
    ("flow, permutation", "sim clos:radix=64,hosts={n} randperm flow --routing dmodk --trials 1", powers(4, 6, 8)),
    ("flow, allreduce", "sim kary:k=4,levels={k} allreduce:algo=doubling,size=1MB flow --trials 1", powers(4, 5, 11)),
    ("loggops, allreduce", "sim kary:k=4,levels={k} allreduce:algo=doubling,size=1MB loggops --trials 1", powers(4, 7, 13)),
    ("sidetrack", "sim pruned:n={n} randperm sidetrack --trials 1", powers(4, 6, 13)),
    ("sortroute", "sim sorting:n={n} randperm sortroute --trials 1", powers(2, 13, 27, 2)),
    ("bins", "sim fattree:n={n} uniform bins --trials 1", powers(2, 18, 32, 2)),
    ("online", "sim fattree:n={n} uniform online --trials 1", powers(2, 14, 28, 2)),
    ("offline", "sim fattree:n={n} uniform offline --trials 1", powers(2, 14, 28, 2)),
    ("linkload, all pairs", "sim kary:k=4,levels={k} alltoall linkload --routing dmodk", powers(4, 7, 14)),
    ("queueing", "sim kary:k=4,levels={k} poisson:load=0.01 queueing --routing dmodk", powers(4, 7, 23, 2)),
    ("adversary", "sim kary:k=4,levels={k} adversary --routing dmodk", powers(4, 4, 9)),
    ("check", "check clos:radix=64,hosts={n} --routing dmodk", powers(4, 5, 9)),
    ("plan", "plan --hosts {n} --radix 64", powers(4, 5, 11)),
]


STATED = re.compile(r"needs up to (\S+ \S+) of memory")
PROBE = 8  # seconds in which a command says what memory it needs, if that is much


def stated(words):
    """The memory that a command says it needs before it begins, None if it does not, and whether it is refused."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True) as run:
        timer = threading.Timer(PROBE, run.kill)
        timer.start()
        found = next(filter(None, map(STATED.search, run.stderr)), None)
        timer.cancel()
        run.kill()
    return found and found.group(1), run.returncode > 1


def largest(bough, text, sizes):
    """In words, the largest of the sizes for which bough states a memory that fits."""
    fits = ""
    for n, k in sizes:
        memory, refused = stated([bough, *text.format(n=n, k=k).split(), "--threads", "1"])
        if refused:
            break
        if memory:
            fits = "; %d would fit, with %s" % (n, memory)
    return fits


def measure(words, limit):
    """CPU seconds, peak in MiB, and why it ended early: None, or a text."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))) as run:
        said = [line for line in run.stderr.read().splitlines() if "needs up to" not in line and " left" not in line]
        status, usage = os.wait4(run.pid, 0)[1:]
        run.returncode = status
    reason = None
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        reason = "more than %g s" % limit
    elif os.WIFSIGNALED(status):
        reason = "ended by signal %d" % os.WTERMSIG(status)
    elif os.WEXITSTATUS(status) not in (0, 1):
        reason = said[0] if said else "exit status %d" % os.WEXITSTATUS(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, reason


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    bough = sys.argv[1]
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("| engine | size | CPU s | peak MiB | next size |\n|---|---|---|---|---|")
    for name, text, sizes in ENGINES:
        if sys.argv[3:] and name not in sys.argv[3:]:
            continue
        line, long = None, False
        for at, (n, k) in enumerate(sizes):
            if long:
                line += ("time: this one took more than %g s" % (limit / 4) + largest(bough, text, sizes[at:]),)
                break
            words = text.format(n=n, k=k).split() + ([] if text.startswith("plan") else ["--threads", "1"])
            seconds, peak, reason = measure([bough, *words], limit)
            if reason:
                if reason.startswith("more than"):
                    reason = "time: " + reason + largest(bough, text, sizes[at:])
                line = (line or (name, n, 0, 0)) + (reason,)
                break
            if line:
                print("| %s | %d | %.3g | %.0f | |" % line)
            line, long = (name, n, seconds, peak), seconds > limit / 4
        print("| %s | %d | %.3g | %.0f | %s |" % (line + ("the largest that was tried",))[:5], flush=True)


main()
