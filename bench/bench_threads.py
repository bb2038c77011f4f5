#!/usr/bin/env python3
"""How well two threads of one trial use two cores.

    bench/bench_threads.py BOUGH [-r REPEATS] [--large] [NAME...]

NAME: a part of the commands to run; all without it. --large: one command for each engine at the size at which threads are
worth it, and a table file of 6.3 GB, which is made first (two minutes); it should fit in the page cache.

Each command is one trial. It is run by one process of one thread, by one of two threads, and by two processes of one thread
at once, in turns, so that other work on the machine meets all three. Columns:

    one      seconds of one thread alone
    pair     seconds until both of two processes have ended: what one thread takes while the other core is busy, too
    two      seconds of two threads
    speedup  one / two
    efficiency  (pair / 2) / two: 1 where two threads are as fast as two independent processes on half of the work each; in
             brackets the interval that has its median with 90 % (5 repeats: the least and the largest)
    CPU      CPU time of two threads / of one thread; 1 where nothing is done twice and nobody waits actively

Processes and threads are bound to cores (taskset, OMP_PROC_BIND). Times are medians; efficiency and CPU are medians of the
ratios of a turn. On a busy machine threads wait for each other where processes do not, so the efficiency is a lower bound; CPU
is disturbed less."""
import argparse
import os
import statistics
import subprocess
import tempfile

from timing import bound, median_interval, memory_line, timed

COMMANDS = [
    "fattree:n=1048576 uniform circuit:mode=rounds",
    "fattree:n=16777216 uniform circuit:mode=rounds",
    "fattree:n=16777216 uniform circuit:mode=cycles,retry=round,payload=16",
    "kary:k=4,levels=8 uniform circuit:mode=rounds",
    "kary:k=4,levels=8 uniform circuit:mode=cycles",
    "kary:k=4,levels=9 uniform circuit:mode=rounds",
    "kary:k=4,levels=10 uniform circuit:mode=rounds",
    "transit:n=262144 local:p=1 circuit:mode=attempt",
    "transit:leaf=192,stages=2 local:p=1 circuit:mode=attempt",
    "cube:n=1048576,ports=all randperm packet --routing valiant",
    "cube:n=4194304,ports=all randperm packet --routing valiant",
    "kary:k=4,levels=8 allreduce:algo=doubling flow --routing dmodk",
    "kary:k=4,levels=10 randperm linkload --routing dmodk",
    "kary:k=4,levels=9 alltoall linkload --routing dmodk",
    "kary:k=4,levels=6 adversary --routing dmodk",
    "kary:k=20,levels=3 adversary --routing dmodk",
    "check clos:radix=64,hosts=16384 --routing dmodk",
    "check clos:radix=64,hosts=32768 --routing dmodk",
    "check clos:radix=64,hosts=65536 --routing dmodk",
    "check clos:radix=64,hosts=16384 --routing updn",
]

# NET and LFTS: files of a fabric of 32,768 hosts and of its tables
LARGE = [
    "fattree:n=16777216 uniform circuit:mode=rounds",
    "fattree:n=16777216 uniform circuit:mode=cycles,retry=round,payload=16",
    "kary:k=4,levels=10 uniform circuit:mode=rounds",
    "transit:leaf=192,stages=2 local:p=1 circuit:mode=attempt",
    "cube:n=4194304,ports=all randperm packet --routing valiant",
    "kary:k=4,levels=8 allreduce:algo=doubling flow --routing dmodk",
    "kary:k=4,levels=10 randperm flow",
    "kary:k=4,levels=11 randperm linkload --routing dmodk",
    "kary:k=4,levels=10 alltoall linkload --routing dmodk",
    "kary:k=20,levels=3 adversary --routing dmodk",
    "kary:k=4,levels=7 adversary --routing dmodk",
    "check clos:radix=64,hosts=65536 --routing dmodk",
    "check clos:radix=64,hosts=65536 --routing updn",
    "check NET --lft LFTS",
    "check NET --lft LFTS --routing minhop",
    "check NET --lft LFTS --lft LFTS",
]


def make_files(bough, folder):
    """The paths of NET and LFTS."""
    net, lfts = os.path.join(folder, "c32.net"), os.path.join(folder, "c32.lfts")
    subprocess.run([bough, "net", "clos:radix=64,hosts=32768", "-o", net], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([bough, "net", net, "--routing", "updn", "-o", lfts], check=True, stdout=subprocess.DEVNULL)
    return net, lfts


def run_bound(words, copies=1):
    """A process of one thread, or some at once, each on a core of its own."""
    return timed([bound(words, i) for i in range(copies)], fine=(0, 1))  # 1: check found something


def measure(bough, command, files, repeats):
    """Prints the line of a command. files: the paths of NET and LFTS."""
    given = command.replace("NET", files[0]).replace("LFTS", files[1]).split()
    words = [bough, *given] if given[0] == "check" else [bough, "sim", *given, "--trials", "1"]
    words.append("--threads")
    turns = []
    for _ in range(repeats):
        turns.append((run_bound([*words, "1"]), run_bound([*words, "1"], 2),
                      timed([[*words, "2"]], fine=(0, 1))))
    one, pair, two = (statistics.median(turn[i][0] for turn in turns) for i in range(3))
    print("%6.2fs %6.2fs %6.2fs %8.2f %9.2f [%.2f, %.2f] %6.2f  %s" % (
        one, pair, two, statistics.median(turn[0][0] / turn[2][0] for turn in turns),
        *median_interval([turn[1][0] / 2 / turn[2][0] for turn in turns]),
        statistics.median(turn[2][1] / turn[0][1] for turn in turns), command), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bough")
    parser.add_argument("-r", "--repeats", type=int, default=5)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("name", nargs="*")
    given = parser.parse_intermixed_args()
    bough = os.path.abspath(given.bough)
    commands = [c for c in (LARGE if given.large else COMMANDS) if not given.name or any(name in c for name in given.name)]
    print(memory_line())
    print("%7s %7s %7s %8s %22s %6s  command" % ("one", "pair", "two", "speedup", "efficiency", "CPU"))
    with tempfile.TemporaryDirectory(prefix="bough-bench.") as folder:
        files = make_files(bough, folder) if any("LFTS" in c for c in commands) else ("", "")
        for command in commands:
            measure(bough, command, files, given.repeats)


main()
