#!/usr/bin/env python3
"""How well ranks and threads use two cores.

    bench/bench_ranks.py BOUGH [PAIRS [TRIALS]]
    bench/bench_ranks.py BOUGH joint [PAIRS [NAME...]]

A study of 200 equal trials takes about 30 s of CPU time. The yardstick is two independent processes of one thread, each with
half of the trials. It alternates with `mpirun -n 2 bough run --threads 1` and with one process of two threads, so that other
work on the machine meets all three. Processes, ranks and threads are bound to cores. Printed are the shortest times and their
ratios to that of the yardstick (1: nothing is lost), and the medians of the ratios of pairs, which other work disturbs more.
The start of mpirun, which does not depend on the study, is timed by a study of one trial; `without start` leaves it out. CPU is
the least CPU time of all processes, which a busy machine disturbs least.

`joint`: one trial or check that 2 ranks compute together, for each method that gains from 2, or those named. The yardstick is
two processes that compute one each at the same time; half their time is what 2 ranks take that lose nothing. Times are
medians; efficiency is the median of the pairs, with the interval that has it with 90 % (5 pairs: the least and the largest). A
pair of all takes about four minutes of a quiet machine."""
import os
import shutil
import statistics
import sys
import tempfile

from timing import bound, median_interval, memory_line, timed

STUDY = 'study: equal\nnetwork: bft:n=65536\ntraffic: "poisson:load=0.0024,flits=32"\nmethods: [worm]\n'
MPI = ["mpirun", "--oversubscribe", "--bind-to", "core"]
TRIAL = ["--trials", "1"]

# points of 5 to 30 s of one thread
JOINT = {"linkload": ["sim", "fattree:n=4096", "alltoall", "linkload:engine=generic", "--routing", "hash", *TRIAL],
         "linkload pairs": ["sim", "kary:k=3,levels=13", "alltoall", "linkload", "--routing", "dmodk", *TRIAL],
         "linkload permutation": ["sim", "kary:k=3,levels=14", "randperm", "linkload", "--routing", "dmodk", *TRIAL],
         "packet": ["sim", "cube:n=2^23,ports=all", "randperm", "packet", "--routing", "valiant", *TRIAL],
         "packet tree": ["sim", "kary:k=4,levels=11", "randperm", "packet", "--routing", "dmodk", *TRIAL],
         "circuit": ["sim", "fattree:n=2^26", "uniform", "circuit:mode=rounds", *TRIAL],
         "check": ["check", "clos:radix=64,hosts=65536", "--routing", "dmodk"],
         "check updn": ["check", "clos:radix=64,hosts=65536", "--routing", "updn"],
         "check tables": ["check", "clos:radix=64,hosts=65536", "--routing", "updn", "--routing", "minhop"],
         "check each": ["check", "xgft:down=16x16x8,up=1x16x8", "--routing", "dmodk", "--faults", "each:switch"]}


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


def bench_joint(bough, home, pairs, names):
    start, start_cpu = start_of([bough, "sim", "fattree:n=64", "uniform", "bins", *TRIAL, "--threads", "1"], home)
    print("%d pairs; mpirun takes %.2f s to start, %.2f s of CPU time" % (pairs, start, start_cpu))
    print("%-20s %12s %8s %20s %14s %10s" % ("one trial", "2 processes", "2 ranks", "efficiency", "without start", "CPU ratio"))
    for name in names:
        one = [bough, *JOINT[name], "--threads", "1"]
        alone, together = [], []
        for _ in range(pairs):
            alone.append(run_all([one, one], home))
            together.append(run_all([[*MPI, "-n", "2", *one]], home))
        both, joint = (statistics.median(t[0] for t in times) for times in (alone, together))
        ratios = list(zip(alone, together))
        print("%-20s %11.2fs %7.2fs %7.2f [%.2f, %.2f] %14.2f %10.2f" % (
            name, both, joint, *median_interval([a[0] / 2 / t[0] for a, t in ratios]),
            statistics.median(a[0] / 2 / (t[0] - start) for a, t in ratios),
            statistics.median(a[1] / 2 / (t[1] - start_cpu) for a, t in ratios)), flush=True)


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
    joint = words[:1] == ["joint"]
    pairs, rest = int(words[joint]) if len(words) > joint else 3, words[joint + 1:]
    unknown = [name for name in rest if joint and name not in JOINT]
    if unknown:
        sys.exit("no point '%s'; there are: %s" % (unknown[0], ", ".join(JOINT)))
    print(memory_line())
    home = tempfile.mkdtemp(prefix="branks.", dir="/tmp")
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", TMPDIR=home)
    if joint:
        bench_joint(bough, home, pairs, rest or list(JOINT))
    else:
        bench_study(bough, home, pairs, int(rest[0]) if rest else 200)
    shutil.rmtree(home, ignore_errors=True)


main()
