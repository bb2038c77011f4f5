#!/usr/bin/env python3
"""What bounds the engines: instructions, bandwidth of the memory, or its latency.

    bench/roofline.py count BUILD FILE [NAME...]    a quarter of an hour; other work on the machine does not matter
    bench/roofline.py table BUILD FILE [NAME...]    minutes, on a machine without other work

BUILD is a release build with bench_memory. `count` writes the instructions and cache misses of an event to FILE (JSON), and
adds to what is there; `table` measures times and prints the table. The counts are those of valgrind's cachegrind with a cache of
1 MiB and one of 32 MiB behind it; they are the same on every machine. Of engines with trials the counts of 1 trial are subtracted
from those of 3, which leaves out the construction. `ns` is CPU time, the least of 5 runs, in the same way. The bounds are the time
of an event if nothing but
    instructions   took time, at the rate of instructions that do not wait for each other,
    bandwidth      the bytes that miss the cache of 32 MiB, at the rate of a sequential read,
    latency        misses of the cache of 32 MiB one after the other, at half of the time of a chained access (two overlap).
The largest of the three is named, and its share of the measured time."""
import json
import os
import re
import resource
import subprocess
import sys

# name, arguments of bough sim, event, events per trial, whether trials can be subtracted
ENGINES = [
    ("circuit, rounds", "fattree:n=1048576 uniform circuit:mode=rounds", "message", 1 << 20, True),
    ("circuit, cycles", "fattree:n=262144 uniform circuit:mode=cycles", "message", 1 << 18, True),
    ("circuit, any network", "kary:k=4,levels=8 uniform circuit:mode=rounds", "message", 1 << 16, True),
    ("circuit, transit", "transit:n=262144 uniform circuit:mode=attempt", "message", 1 << 18, True),
    ("worm, butterfly", "bft:n=16384 poisson:load=0.02 worm:messages=200000,warmup=20000", "message", 220000, True),
    ("worm, any network", "kary:k=4,levels=6 poisson:load=0.05 worm:messages=100000,warmup=10000", "message", 110000, True),
    ("worm, channels", "bft:n=4096 poisson:load=0.02 worm:vcs=2,messages=20000,warmup=2000", "message", 22000, True),
    ("packet, cube", "cube:n=65536,ports=all randperm packet --routing valiant", "message", 1 << 16, True),
    ("packet, streams", "bft:n=16384 poisson:load=0.05 packet:messages=100000,warmup=10000", "message", 110000, True),
    ("flow", "kary:k=4,levels=5 randperm flow --routing dmodk", "message", 1 << 10, True),
    ("flow, schedule", "kary:k=4,levels=6 allreduce:algo=doubling,size=1MB,place=random flow", "message", 49152, True),
    ("loggops", "kary:k=4,levels=8 allreduce:algo=doubling,size=1MB,place=random loggops", "message", 1 << 20, False),
    ("sidetrack", "pruned:n=16384 randperm sidetrack", "message", 1 << 14, True),
    ("sortroute", "sorting:n=16384 randperm sortroute", "message", 1 << 14, True),
    ("bins", "fattree:n=1048576 uniform bins", "message", 1 << 20, True),
    ("online", "fattree:n=65536 uniform online", "message", 1 << 16, True),
    ("offline", "fattree:n=65536 uniform offline", "message", 1 << 16, True),
    ("linkload", "kary:k=4,levels=8 randperm linkload --routing dmodk", "message", 1 << 16, True),
    ("linkload, all pairs", "kary:k=4,levels=8 alltoall linkload --routing dmodk", "link", 2 * 8 * 4 ** 8, False),
    ("adversary", "kary:k=4,levels=5 adversary --routing dmodk", "pair", 1023 * 1024, False),
    ("check", None, "pair", 4095 * 4096, False),
]
CHECK = "check clos:radix=64,hosts=4096 --routing dmodk --trials 1"
CACHES = ["--D1=1048576,16,64", "--LL=33554432,16,64"]


def command(bough, engine, trials):
    """The words of a run; trials 0: what every run does before and after its work."""
    if trials == 0:
        return [bough, "sim", "fattree:n=4", "uniform", "bound", "--threads", "1"]
    if engine[1] is None:
        return [bough, *CHECK.split(), "--threads", "1"]
    return [bough, "sim", *engine[1].split(), "--threads", "1"] + (["--trials", str(trials)] if engine[4] else [])


def run(words, allowed=(0,)):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False)
    if done.returncode not in allowed:
        sys.exit("%s\n%s" % (" ".join(words), done.stdout))
    return done.stdout


def counted(words):
    """Instructions, misses of the small cache, misses of the large one."""
    text = run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=" + os.devnull, *CACHES, *words], (0, 1))

    def number(line):
        return int(re.search(line + r"\s*:?\s+([\d,]+)", text).group(1).replace(",", ""))
    return [number("I +refs"), number("D1 +misses"), number("LLd misses")]


def cpu(words):
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    best = float("inf")
    for _ in range(5):
        start = used()
        run(words, (0, 1))
        best = min(best, used() - start)
    return best


def limits(build):
    """By name, from bench_memory."""
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1])
            for line in run([os.path.join(build, "bench_memory")]).splitlines()}


def trials_of(engine):
    """The two numbers of trials that are subtracted, and the events between them."""
    return (3, 1, 2 * engine[3]) if engine[4] else (1, 0, engine[3])


def count(bough, engines, path):
    counts = {}
    if os.path.exists(path):
        with open(path) as file:
            counts = json.load(file)
    for engine in engines:
        if engine[0] in counts:
            continue
        many, few, events = trials_of(engine)
        pairs = zip(counted(command(bough, engine, many)), counted(command(bough, engine, few)))
        counts[engine[0]] = [(a - b) / events for a, b in pairs]
        print(engine[0], *("%.4g" % value for value in counts[engine[0]]), flush=True)
        with open(path + ".new", "w") as file:
            json.dump(counts, file, indent=1)
        os.replace(path + ".new", path)


def table(build, bough, engines, path):
    with open(path) as file:
        counts = json.load(file)
    limit = limits(build)
    for name, value in limit.items():
        print("%s: %.2f" % (name, value))
    print("\n| engine | event | ns | instructions | bytes beyond 1 MiB | beyond 32 MiB | instructions, ns | bandwidth, ns | latency, ns "
          "| bound | share |\n|---|---|---|---|---|---|---|---|---|---|---|")
    for engine in engines:
        if engine[0] not in counts:
            continue
        many, few, events = trials_of(engine)
        instructions, near, far = counts[engine[0]]
        time = (cpu(command(bough, engine, many)) - cpu(command(bough, engine, few))) / events * 1e9
        bound = {"instructions": instructions / limit["instructions/ns"],
                 "bandwidth": 64 * far / limit["DRAM bytes/ns"],
                 "latency": far * limit["DRAM ns/chained access"] / 2}
        most = max(bound, key=bound.get)
        print("| %s | %s | %.3g | %.0f | %.3g | %.3g | %.3g | %.3g | %.3g | %s | %.0f %% |" % (
            engine[0], engine[2], time, instructions, 64 * near, 64 * far, bound["instructions"], bound["bandwidth"],
            bound["latency"], most, 100 * bound[most] / time), flush=True)


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("count", "table"):
        sys.exit(__doc__)
    what, build, path, *names = sys.argv[1:]
    bough = os.path.join(build, "bough")
    engines = [engine for engine in ENGINES if not names or engine[0] in names]
    if what == "count":
        count(bough, engines, path)
    else:
        table(build, bough, engines, path)


main()
