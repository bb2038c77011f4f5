"""Does a 95 % interval hold the mean in 95 % of the seeds? A question is asked with many seeds and few trials; the
reference is the mean of many trials, whose own uncertainty is added to each interval. Values that are few and uneven
(maxima, whole counts near 0) need some tens of trials before Student's interval is right; their questions say so. The number of seeds that hold it
must be one that 95 % allow: the chance that a right interval fails anywhere in the run is below 10^-6 (Bonferroni over
all questions and metrics, exact binomial tail). Seeds are fixed, so a run repeats itself."""

import csv
import io
import math
import time

from common import Part

TRIALS = 8
MANY = 64  # of values that are few and uneven
REFERENCE = 3000
SEEDS_MOST = 400
ALPHA = 1e-6
METRICS_MOST = 40  # of a question; for Bonferroni

QUESTIONS = [
    ("fattree:n=64", "uniform", "circuit:mode=rounds"),
    ("fattree:n=64", "uniform", "circuit:mode=attempt"),
    ("fattree:n=32", "uniform", "circuit:mode=cycles,retry=backoff"),
    ("fattree:n=64", "hotspot", "circuit:mode=rounds,scenarios=1,levels=1"),
    ("xgft:down=4x4,up=1x2", "randperm", "circuit:mode=rounds"),
    ("fattree:n=64", "uniform:m=16", "circuit:mode=rounds,history=1"),
    ("fattree:n=64", "uniform", "bins:model=1"),
    ("fattree:n=256", "uniform:m=64", "bins:model=2"),
    ("bft:n=16", "poisson:load=0.05,flits=8", "worm:messages=500"),
    ("bft:n=16", "bernoulli:load=0.1,flits=4", "worm:messages=500,warmup=300"),
    ("xgft:down=4x4,up=1x2", "poisson:load=0.05,flits=8", "worm:messages=300,vcs=2,levels=1"),
    ("cube:n=16", "poisson:rate=0.005", "packet:messages=500"),
    ("cube:n=32", "randperm", "packet", MANY),
    ("xgft:down=4x4,up=1x2", "randperm", "flow", MANY),
    ("xgft:down=4x4,up=1x2", "uniform", "flow:levels=1"),
    ("xgft:down=4x4,up=1x2", "uniform", "linkload"),
    ("fattree:n=32", "hrelation:h=3", "linkload"),
    ("pruned:n=64", "randperm", "sidetrack", MANY),
    ("sorting:n=256", "randperm", "sortroute"),
    ("fattree:n=64", "uniform", "offline"),
    ("fattree:n=64", "uniform", "online"),
    ("fattree:n=64", "local:p=0.5", "locality"),
]


def smallest_allowed(seeds, alpha):
    """The smallest k with P[Binomial(seeds, 0.95) < k] <= alpha."""
    tail = 0.0
    for k in range(seeds + 1):
        log = (math.lgamma(seeds + 1) - math.lgamma(k + 1) - math.lgamma(seeds - k + 1) + k * math.log(0.95)
               + (seeds - k) * math.log(0.05))
        tail += math.exp(log)
        if tail > alpha:
            return k
    return seeds


def ask(part, question, trials, seed):
    """{(metric, index): (mean, ci95, trials)} and the run itself."""
    network, traffic, method = question[:3]
    outcome = part.run(["sim", network, traffic, method, "--trials", str(trials), "--seed", str(seed), "--threads", "1",
                        "--csv"], timeout=600)
    rows = {}
    if outcome.code == 0:
        for row in csv.DictReader(io.StringIO(outcome.out.decode())):
            if row["mean"] and row["ci95"] and int(row["trials"]) == trials:
                rows[row["metric"], row["index"]] = float(row["mean"]), float(row["ci95"])
    return rows, outcome


def cover(part, number, seeds):
    question = QUESTIONS[number % len(QUESTIONS)]
    trials = question[3] if len(question) > 3 else TRIALS
    reference, outcome = ask(part, question, REFERENCE, 10 ** 6)
    if not part.check(number, outcome) or outcome.code:
        if outcome.code:
            part.finding(number, "the question is refused", outcome)
        return
    held, asked = {}, {}
    for seed in range(1, seeds + 1):
        rows, outcome = ask(part, question, trials, seed)
        if not rows and not part.check(number, outcome):
            return
        for key, (mean, ci) in rows.items():
            if key not in reference:
                continue
            at, around = reference[key]
            asked[key] = asked.get(key, 0) + 1
            slack = 1e-9 * abs(at)
            held[key] = held.get(key, 0) + (abs(mean - at) <= math.hypot(ci, around) + slack)
    for key, count in asked.items():
        least = smallest_allowed(count, ALPHA / (len(QUESTIONS) * METRICS_MOST))
        if held[key] < least:
            name = key[0] + (f"[{key[1]}]" if key[1] else "")
            part.finding(number, f"{name}: the interval holds the mean in {held[key]} of {count} seeds, not in "
                                 f"{least} or more", outcome)


def main():
    part = Part("coverage", __doc__)
    left = part.end - time.monotonic()
    seeds = int(max(30, min(SEEDS_MOST, left / len(QUESTIONS) / (0.05 if part.sanitized else 0.015))))
    for number, _ in part.cases():
        cover(part, number, seeds)
        if part.only is None and number + 1 == len(QUESTIONS):
            break
    part.finish()


main()
