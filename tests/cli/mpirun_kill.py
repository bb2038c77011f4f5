#!/usr/bin/env python3
"""Kills runs on several ranks at random moments and resumes them with other numbers of ranks and threads.

    tests/cli/mpirun_kill.py BOUGH [MOMENTS [SEED]]

A round runs one study until it is finished. The rounds begin with 1, 2, 3 and 4 ranks of 1 and 2 threads in turn, and each
further attempt of a round has other numbers than the one before; some run in one process without MPI. In an attempt one
rank, or all ranks and mpirun, are killed with SIGKILL, or mpirun is interrupted, after a random time. Rounds go on until
runs were ended at MOMENTS moments (default 8); after each round the store has the trials of a run that nobody killed, bit
for bit."""
import collections
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NUMBERS = [(ranks, threads) for ranks in range(1, 5) for threads in (1, 2)]
HERE = os.path.dirname(os.path.abspath(__file__))
STUDY = """study: Killed
network: fattree:n={n}
traffic: uniform:m={n}
methods: ["circuit:mode=rounds,history=1", bins, bound, linkload]
grid:
  - n: [64, 256, 1024]
precision: 0.01%
trials: TRIALS
"""


def trials(directory):
    return subprocess.run([sys.executable, os.path.join(HERE, "store_trials.py"), directory], check=True,
                          capture_output=True, text=True).stdout


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def kill(pids, number):
    done = 0
    for pid in pids:
        try:
            os.kill(pid, number)
            done += 1
        except ProcessLookupError:
            pass
    return done


def attack(run, how, rng):
    """What is killed was started by this script: mpirun, and the ranks that are its children; or one process. Returns how
    many processes were signalled."""
    try:
        while run.args[0] == "mpirun" and not children(run.pid) and run.poll() is None:
            time.sleep(0.05)  # a busy machine starts them late
        ranks = children(run.pid) or [run.pid]
    except OSError:
        return 0
    if how == "interrupt":
        return kill([run.pid], signal.SIGINT)
    if how == "rank":
        return kill(rng.sample(ranks, min(1, len(ranks))), signal.SIGKILL)
    return kill({run.pid, *ranks}, signal.SIGKILL)


def attempt(words, seconds, how, rng, env):
    """Whether the run has finished before it was ended."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env) as run:
        try:
            said, ended = run.communicate(timeout=seconds)[1], 0
        except subprocess.TimeoutExpired:
            ended = attack(run, how, rng)
            said = run.communicate()[1]
        if run.returncode and not ended:
            sys.exit("%s: status %d: %s" % (" ".join(words), run.returncode, said.decode()))
    return not run.returncode


def write_study(bough, home):
    """A study that takes one process about 4 s, and its results."""
    study, count, seconds = os.path.join(home, "study.yaml"), 200, 0
    while seconds < 2:
        count = int(count * min(10, 4 / max(seconds, 0.1)))
        with open(study, "w", encoding="utf-8") as file:
            file.write(STUDY.replace("TRIALS", str(count)))
        shutil.rmtree(home + "/alone", ignore_errors=True)
        begun = time.monotonic()
        subprocess.run([bough, "run", study, "-o", home + "/alone", "--threads", "1"], check=True, capture_output=True)
        seconds = time.monotonic() - begun
    return study


def run_round(bough, store, first, rng, tally):
    """Runs the study until it is finished. first: numbers of ranks and threads of the first attempt."""
    now, done = first, False
    while not done:
        ranks, threads = now
        how = rng.choice(["rank", "all", "interrupt"])
        lasting = sum(tally.ended.values()) >= tally.moments
        words = [bough, "run", tally.study, "-o", store, "--threads", str(threads)]
        if rng.random() < 0.9:
            words = ["mpirun", "--oversubscribe", "-n", str(ranks), *words]
        done = attempt(words, 600 if lasting else rng.uniform(0.5, 3), how, rng, tally.env)
        if not done:
            tally.ended[how] += 1
            tally.with_numbers[now if words[0] == "mpirun" else "one process"] += 1
            time.sleep(0.3 if how == "all" else 0)  # ranks without mpirun end by themselves
        now = rng.choice([other for other in NUMBERS if other != now])


class Tally:
    """What was ended, and how often."""

    def __init__(self, study, moments, env):
        self.study, self.moments, self.env = study, moments, env
        self.ended = {"rank": 0, "all": 0, "interrupt": 0}
        self.with_numbers = collections.Counter()


def main():
    bough, moments = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 8
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    home = tempfile.mkdtemp(prefix="bkill.", dir="/tmp")
    env = dict(os.environ, TMPDIR=home, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    tally = Tally(write_study(bough, home), moments, env)
    expected, begun, rounds = trials(home + "/alone"), time.monotonic(), 0
    while sum(tally.ended.values()) < moments:
        store = f"{home}/store{rounds}"
        run_round(bough, store, NUMBERS[rounds % len(NUMBERS)], rng, tally)
        if trials(store) != expected:
            sys.exit(f"round {rounds}: other trials than a run that nobody killed; the store is {store}")
        shutil.rmtree(store)
        rounds += 1
    shutil.rmtree(home, ignore_errors=True)
    print(f"{rounds} rounds: {tally.ended['rank']} times one rank was killed, {tally.ended['all']} times all, "
          f"{tally.ended['interrupt']} times mpirun was interrupted; all stores are equal ({time.monotonic() - begun:.0f} s)")
    print("ended: " + ", ".join(("%s: %d" if isinstance(numbers, str) else "%d ranks x %d: %d") % (
        *((numbers,) if isinstance(numbers, str) else numbers), count)
        for numbers, count in sorted(tally.with_numbers.items(), key=str)))


main()
