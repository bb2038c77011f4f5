#!/usr/bin/env python3
"""What a call through Python costs over the command: CPU time of both for one question, in turns.

    bench/bench_python.py LIBRARY COMMAND [TRIALS]

CPU time (user and system), since other programs disturb the wall clock; the smallest of nine. The process that calls the
library has imported it; the command is started each time. Both print CSV."""
import os
import resource
import subprocess
import sys
import time

LIBRARY, COMMAND = (os.path.abspath(path) for path in sys.argv[1:3])
TRIALS = int(sys.argv[3]) if len(sys.argv) > 3 else 150
QUESTION = ("fattree:n=65536", "uniform", "circuit:mode=rounds")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../python"))
os.environ["BOUGH_LIBRARY"] = LIBRARY


def used(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def command():
    start = used(resource.RUSAGE_CHILDREN)
    subprocess.run([COMMAND, "sim", *QUESTION, "--trials", str(TRIALS), "--threads", "1", "--csv"], check=True,
                   stdout=subprocess.DEVNULL)
    return used(resource.RUSAGE_CHILDREN) - start


start = time.process_time()
import bough  # noqa: E402

bough.list()
imported = time.process_time() - start


def package():
    start = used(resource.RUSAGE_SELF)
    bough.sim(*QUESTION, trials=TRIALS, threads=1).to_csv()
    return used(resource.RUSAGE_SELF) - start


times = [(command(), package()) for _ in range(9)]
best = [min(column) for column in zip(*times)]
print(f"command {best[0]:.3f} s, bough.sim {best[1]:.3f} s ({100 * (best[1] / best[0] - 1):+.1f} %), "
      f"import bough {imported:.3f} s")
start = time.process_time()
for _ in range(200):
    bough.sim("fattree:n=16", "uniform", "circuit", trials=1, threads=1)
print(f"a question of one trial on 16 endpoints: {(time.process_time() - start) / 200 * 1e6:.0f} us")
