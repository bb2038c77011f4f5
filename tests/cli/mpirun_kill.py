#!/usr/bin/env python3
"""Kills runs on several ranks at random moments and resumes them with other numbers of ranks and threads.

    tests/cli/mpirun_kill.py BOUGH [ROUNDS [SEED]]

A round runs one study until it is finished: in each attempt one rank, or all ranks and mpirun, are killed with SIGKILL,
or mpirun is interrupted, after a random time; some attempts are not killed, or run in one process without MPI. In the end
the store has the trials of a run that nobody killed, bit for bit."""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

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
# fewer trials than ranks, which therefore compute them together
TOGETHER = """study: Killed together
network: fattree:n=2^17
traffic: randperm
methods: ["circuit:mode=rounds,history=1"]
trials: 4
"""


def trials(directory):
    return subprocess.run([sys.executable, os.path.join(HERE, "store_trials.py"), directory], check=True,
                          capture_output=True, text=True).stdout


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def kill(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def attack(run, how, rng):
    """What is killed was started by this script: mpirun, and the ranks that are its children."""
    try:
        ranks = children(run.pid)
    except OSError:
        return
    if how == "rank" and ranks:
        kill(rng.choice(ranks), signal.SIGKILL)
    elif how == "all":
        for pid in [run.pid, *ranks]:
            kill(pid, signal.SIGKILL)
    elif how == "interrupt":
        kill(run.pid, signal.SIGINT)


def attempt(words, seconds, how, rng, env):
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env) as run:
        try:
            run.wait(seconds)
            said = run.stderr.read()
            if run.returncode:
                sys.exit("%s: status %d: %s" % (" ".join(words), run.returncode, said.decode()))
            return True
        except subprocess.TimeoutExpired:
            attack(run, how, rng)
            run.communicate()
    return False


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


def write_together(bough, home):
    """A study whose trials 8 ranks compute together, and its results."""
    study = os.path.join(home, "together.yaml")
    with open(study, "w", encoding="utf-8") as file:
        file.write(TOGETHER)
    subprocess.run([bough, "run", study, "-o", home + "/together", "--threads", "1"], check=True, capture_output=True)
    return study


def kill_together(bough, home, env, counts):
    """Kills a rank, then all, then interrupts mpirun, and finishes in one process."""
    study, store = write_together(bough, home), home + "/store_together"
    rng, seconds = random.Random(3), 1
    for how, ranks in (("rank", 8), ("all", 9), ("interrupt", 8)):
        words = ["mpirun", "--oversubscribe", "-n", str(ranks), bough, "run", study, "-o", store, "--threads", "1"]
        seconds *= 1.5
        counts[how] += not attempt(words, seconds, how, rng, env)
        time.sleep(0.3 if how == "all" else 0)
    subprocess.run([bough, "run", study, "-o", store], check=True, capture_output=True)
    if trials(store) != trials(home + "/together"):
        sys.exit(f"trials of all ranks together differ from those of one process; the store is {store}")


def main():
    bough, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    home = tempfile.mkdtemp(prefix="bkill.", dir="/tmp")
    env = dict(os.environ, TMPDIR=home, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    study = write_study(bough, home)
    expected, counts = trials(home + "/alone"), {"rank": 0, "all": 0, "interrupt": 0}
    begun = time.monotonic()
    kill_together(bough, home, env, counts)
    for number in range(rounds):
        store, done = f"{home}/store{number}", False
        while not done:
            ranks, threads = rng.randint(1, 4), rng.randint(1, 2)
            how = rng.choice(["rank", "all", "interrupt"])
            seconds = rng.uniform(0.5, 3) if rng.random() < 0.85 else 600
            words = [bough, "run", study, "-o", store, "--threads", str(threads)]
            if rng.random() < 0.9:
                words = ["mpirun", "--oversubscribe", "-n", str(ranks), *words]
            done = attempt(words, seconds, how, rng, env)
            counts[how] += not done
            time.sleep(0.3 if how == "all" and not done else 0)  # ranks without mpirun end by themselves
        if trials(store) != expected:
            sys.exit(f"round {number}: other trials than a run that nobody killed; the store is {store}")
        shutil.rmtree(store)
    shutil.rmtree(home, ignore_errors=True)
    print(f"{rounds} rounds: {counts['rank']} times one rank was killed, {counts['all']} times all, {counts['interrupt']} "
          f"times mpirun was interrupted; all stores are equal ({time.monotonic() - begun:.0f} s)")


main()
