#!/usr/bin/env python3
"""Searches sets of messages that need many rounds on the fat-tree at a given load factor.

    python3 studies/strumpen2005/sets/search.py BOUGH [LAMBDA]...

For every LAMBDA it writes random-LAMBDA.csv, a random set of 64 messages of distinct sources on 64 endpoints with at
most that load factor (largest (up + down messages) / capacity of a channel), and worst-LAMBDA.csv: the same after a hill
climb that moves or exchanges destinations within the load factor and keeps what raises the mean of the rounds. Seeds of
the search are not those of the study, so the study measures the sets anew. It takes a few minutes.
"""
import os
import random
import subprocess
import sys
import tempfile

N, LEVELS, STEPS, TRIALS = 64, 6, 1200, 48
HERE = os.path.dirname(os.path.abspath(__file__))


def channels(source, destination):
    """The channels of a message: (level, subtree below), once for up and once for down."""
    for level in range(LEVELS):
        if source >> level == destination >> level:
            return
        yield level, source >> level
        yield level, destination >> level


def fits(to, limit):
    load = {}
    for source, destination in enumerate(to):
        for channel in channels(source, destination):
            load[channel] = load.get(channel, 0) + 1
    return all(count <= limit << level for (level, _), count in load.items())


def write(path, to):
    with open(path, "w") as file:
        file.write("source,destination\n")
        file.writelines(f"{s},{d}\n" for s, d in enumerate(to))


def rounds(bough, path, seed):
    out = subprocess.run([bough, "sim", f"fattree:n={N}", f"messages:{path}", "circuit:mode=rounds", "--csv", "--trials",
                          str(TRIALS), "--seed", str(seed), "--threads", "1"], check=True, capture_output=True, text=True)
    rows = [line.split(",") for line in out.stdout.splitlines()]
    mean, metric = rows[0].index("mean"), rows[0].index("metric")
    return next(float(row[mean - len(rows[0])]) for row in rows[1:] if row[metric - len(rows[0])] == "rounds")


def random_set(limit, draw):
    """A permutation without fixed points; then destinations move at random while the load factor allows it."""
    to = list(range(N))
    while any(s == d for s, d in enumerate(to)):
        draw.shuffle(to)
    for _ in range(40 * N if limit > 2 else 0):
        s, d = draw.randrange(N), draw.randrange(N)
        if s != d and fits(to[:s] + [d] + to[s + 1:], limit):
            to[s] = d
    return to


def change(to, limit, draw):
    new = list(to)
    s, t = draw.sample(range(N), 2)
    if limit > 2 and draw.random() < 0.5:
        new[s] = to[t] if draw.random() < 0.5 else draw.randrange(N)
    else:
        new[s], new[t] = to[t], to[s]
    return new if new[s] != s and new[t] != t and fits(new, limit) else None


def climb(bough, to, limit, draw):
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "set.csv")
        best = None
        for step in range(STEPS):
            if step % 50 == 0:  # other trials: what is kept must not fit these trials only
                write(path, to)
                best = rounds(bough, path, 1000 + step)
            new = change(to, limit, draw)
            if new is None:
                continue
            write(path, new)
            value = rounds(bough, path, 1000 + step // 50 * 50)
            if value >= best:
                to, best = new, value
    return to


def main():
    bough = os.path.abspath(sys.argv[1])
    for limit in [int(word) for word in sys.argv[2:]] or [2, 4, 8, 16, 32]:
        draw = random.Random(limit)
        start = random_set(limit, draw)
        write(os.path.join(HERE, f"random-{limit}.csv"), start)
        found = climb(bough, start, limit, draw)
        write(os.path.join(HERE, f"worst-{limit}.csv"), found)
        print(limit, rounds(bough, os.path.join(HERE, f"random-{limit}.csv"), 9),
              rounds(bough, os.path.join(HERE, f"worst-{limit}.csv"), 9), flush=True)


if __name__ == "__main__":
    main()
