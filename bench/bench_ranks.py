#!/usr/bin/env python3
"""How well ranks and threads use two cores.

    bench/bench_ranks.py BOUGH [PAIRS [TRIALS]]

A study of 200 equal trials takes about 30 s of CPU time. The yardstick is two independent processes of one thread, each with
half of the trials. It alternates with `mpirun -n 2 bough run --threads 1` and with one process of two threads, so that other
work on the machine meets all three. Processes, ranks and threads are bound to cores. Printed are the shortest times and their
ratios to that of the yardstick (1: nothing is lost), and the medians of the ratios of pairs, which other work disturbs more.
The start of mpirun, which does not depend on the study, is timed by a study of one trial; `without start` leaves it out. CPU is
the least CPU time of all processes, which a busy machine disturbs least."""
import os
import shutil
import statistics
import sys
import tempfile

from timing import bound, memory_line, timed

STUDY = 'study: equal\nnetwork: bft:n=65536\ntraffic: "poisson:load=0.0024,flits=32"\nmethods: [worm]\n'
MPI = ["mpirun", "--oversubscribe", "--bind-to", "core"]


def run_all(commands, home):
    """The times of commands that write to out*, which are removed first. Several are bound to cores of their own, and so are
    the ranks or the threads of one."""
    for name in os.listdir(home):
        if name.startswith("out"):
            shutil.rmtree(os.path.join(home, name))
    if len(commands) > 1:
        return timed([bound(words, i) for i, words in enumerate(commands)], home)
    return timed(commands, home)


def start_of(command, home):
    """What mpirun adds to a command that takes next to no time: seconds, and CPU seconds."""
    pairs = [(run_all([[*MPI, "-n", "2", *command]], home), run_all([command], home)) for _ in range(3)]
    return [statistics.median(ranks[i] - one[i] for ranks, one in pairs) for i in (0, 1)]


def bench_study(bough, home, pairs, trials):
    with open(os.path.join(home, "study.yaml"), "w", encoding="utf-8") as file:
        file.write(STUDY)

    def run(out, number, threads, *more):
        return [bough, "run", "study.yaml", "-o", out, "--trials", str(number), "--threads", str(threads), *more]

    half = [run("out%d" % i, trials // 2, 1, "--set", "seed=%d" % i) for i in (1, 2)]
    cases = {"two processes": half, "2 ranks x 1 thread": [[*MPI, "-n", "2", *run("out", trials, 1)]],
             "1 rank x 2 threads": [run("out", trials, 2)]}
    start = start_of(run("out", 1, 1), home)[0]
    wall, cpu = {name: [] for name in cases}, {name: [] for name in cases}
    for _ in range(pairs):
        for name, commands in cases.items():
            seconds = run_all(commands, home)
            wall[name].append(seconds[0])
            cpu[name].append(seconds[1])
    first = next(iter(cases))
    print("%d trials, %d pairs; mpirun takes %.2f s to start" % (trials, pairs, start))
    print("%-20s %8s %11s %8s %14s %8s %6s" % ("", "time", "efficiency", "median", "without start", "CPU", "ratio"))
    for name, times in wall.items():
        less = start if "ranks" in name else 0
        print("%-20s %7.2fs %11.3f %8.3f %14.3f %7.2fs %6.3f" % (
            name, min(times), min(wall[first]) / min(times), statistics.median(y / s for y, s in zip(wall[first], times)),
            min(wall[first]) / (min(times) - less), min(cpu[name]), min(cpu[first]) / min(cpu[name])))


def main():
    bough, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    print(memory_line())
    home = tempfile.mkdtemp(prefix="branks.", dir="/tmp")
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", TMPDIR=home)
    bench_study(bough, home, int(words[0]) if words else 3, int(words[1]) if len(words) > 1 else 200)
    shutil.rmtree(home, ignore_errors=True)


main()
