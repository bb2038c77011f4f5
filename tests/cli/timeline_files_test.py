#!/usr/bin/env python3
"""The files of a timeline: bough sim --trace, --messages and --link-use.

    tests/cli/timeline_files_test.py BOUGH ROOT

Bad requests first, then two messages by hand, then what must hold in every file, under all methods. The trace is also
validated against trace_events.schema.json where python3-jsonschema is installed."""
import collections
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    jsonschema = None

BOUGH, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
TREE = "xgft:down=2x2,up=1x1"
WIDE = "xgft:down=4x4,up=1x1"
ALLTOALL = "alltoall:algo=pairwise,size=1MB"
GOAL = """num_ranks 4
rank 0 { send 1000000b to 2 tag 7 }
rank 1 { send 1000000b to 3 }
rank 2 { recv 1000000b from 0 tag 7 }
rank 3 { recv 1000000b from 1 }
"""
MESSAGES = ["id", "from_rank", "to_rank", "from", "to", "bytes", "tag", "label", "line", "posted", "started", "arrived",
            "received", "alone", "slowdown", "link"]
LINK_USE = ["link", "from", "to", "begin", "end", "bytes", "gbit_s"]


def bough(*args):
    return subprocess.run([BOUGH, "sim", *args], capture_output=True, text=True)


def right(*args):
    done = bough(*args)
    assert done.returncode == 0, (args, done.stderr)
    return done.stdout


def wrong(text, *args):
    done = bough(*args)
    assert done.returncode == 2, (args, done.returncode, done.stderr)
    assert text in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, (text, done.stderr, done.stdout)


def rows(path):
    with open(path, newline="") as file:
        lines = list(csv.reader(file))
    return lines[0], [dict(zip(lines[0], line)) for line in lines[1:]]


def refusals():
    one = "there are 2 here"
    wrong(one, WIDE, ALLTOALL, "flow", "packet", "--trace", "t.json")
    wrong(one, WIDE, ALLTOALL, "flow", "--routing", "dmodk", "--routing", "random", "--messages", "m.csv")
    wrong("record schedules (collectives, GOAL, training) and lists (cm:, flows:, matrix:) under flow, packet, worm or loggops; this is shift:k=2", WIDE, "shift:k=2", "flow", "--trace", "t.json")
    wrong("record schedules", WIDE, ALLTOALL, "linkload", "--link-use", "l.csv")
    for ranks in ("x", "-1", "5-3", "1-2x", "0-", "", "0--1", "0- 3", " 2", "1234567890"):
        wrong("expected ranks, as 0-63", WIDE, ALLTOALL, "flow", "--trace", "t.json", "--trace-ranks", ranks)
    wrong("there are 16 ranks", WIDE, ALLTOALL, "flow", "--trace", "t.json", "--trace-ranks", "8-16")
    wrong("--trace-ranks selects ranks of --trace", WIDE, ALLTOALL, "flow", "--trace-ranks", "0-3")
    for option in ("--trace", "--messages", "--link-use"):
        wrong("nowhere/x: cannot be written", WIDE, ALLTOALL, "flow", option, "nowhere/x")
    wrong("--trace-ranks 0-63 selects some", "xgft:down=32x32,up=1x1", ALLTOALL, "loggops", "--trace", "t.json")
    assert not os.listdir("."), os.listdir(".")


def lists():
    """A flow of HPCC's list, and one after it by a trigger of a connection matrix; each takes 80.4 us alone."""
    with open("two.cm", "w") as file:
        file.write("Nodes 4\nConnections 3\nTriggers 1\n0->2 start 0 size 1000000 send_done_trigger 1\n"
                   "1->3 trigger 1 size 1000000\n1->3 start 160400000 size 500\ntrigger id 1 oneshot\n")
    with open("two.txt", "w") as file:
        file.write("2\n0 2 3 100 1000000 0\n1 3 3 100 1000000 0\n")
    for option, traffic in (("--trace", "cm:two.cm"), ("--html", "flows:two.txt")):
        wrong(f"{option} shows ranks, and a list of messages has none", TREE, traffic, "flow", option, "x")
    right(TREE, "cm:two.cm", "flow", "--routing", "dmodk", "--messages", "m.csv", "--link-use", "l.csv")
    head, lines = rows("m.csv")
    assert head == MESSAGES and len(lines) == 3
    by_line = {line["line"]: line for line in lines}
    times = [[float(by_line[n][key]) * 1e6 for key in ("posted", "started", "arrived", "received")] for n in "456"]
    near = [[0, 0, 80.4, 80.4], [80.4, 80.4, 160.8, 160.8], [160.4, 160.4, 160.84, 160.84]]
    assert all(abs(a - b) < 1e-3 for one, other in zip(times, near) for a, b in zip(one, other)), times
    assert by_line["4"]["from"] == "h0" and by_line["4"]["tag"] == by_line["4"]["label"] == "" and by_line["4"]["slowdown"] == "1"
    assert sum(float(line["bytes"]) for line in rows("l.csv")[1] if line["from"] == "h1") == 1000500
    for method in ("flow", "packet", "worm"):
        right(TREE, "flows:two.txt", method, "--routing", "dmodk", "--messages", "m.csv")
        lines = rows("m.csv")[1]
        assert [line["line"] for line in lines] == ["2", "3"] and lines[0]["bytes"] == "1000000"
        assert 1.9 < max(float(line["slowdown"]) for line in lines) < 2.1, (method, lines)
    for file in ("two.cm", "two.txt", "m.csv", "l.csv"):
        os.remove(file)


def by_hand():
    """Each message has half of the link that both cross: 160.4 us instead of 80.4 us."""
    with open("two.goal", "w") as file:
        file.write(GOAL)
    right(TREE, "goal:two.goal,o=0ps,g=0ps", "flow", "--routing", "dmodk", "--trace", "t.json", "--messages", "m.csv",
          "--link-use", "l.csv")
    with open("m.csv") as file:
        assert file.read() == (
            ",".join(MESSAGES) + "\n"
            "0,0,2,h0,h2,1000000,7,,2,0.000000000000,0.000000000000,0.000160400000,0.000160400000,0.000080400000,"
            "1.9950248756218905,s1.0/3 -> s2.0/1\n"
            "1,1,3,h1,h3,1000000,0,,3,0.000000000000,0.000000000000,0.000160400000,0.000160400000,0.000080400000,"
            "1.9950248756218905,s1.0/3 -> s2.0/1\n"), open("m.csv").read()
    head, lines = rows("l.csv")
    assert head == LINK_USE
    carried = collections.Counter()
    for line in lines:
        carried[line["from"], line["to"]] += float(line["bytes"])
    want = {("h0", "s1.0"): 1e6, ("h1", "s1.0"): 1e6, ("s1.0", "s2.0"): 2e6, ("s2.0", "s1.1"): 2e6,
            ("s1.1", "h2"): 1e6, ("s1.1", "h3"): 1e6}
    assert carried.keys() == want.keys() and all(abs(carried[k] - want[k]) < 1 for k in want), carried
    for process, count in collections.Counter(e["pid"] for e in trace("t.json") if e["ph"] == "X").items():
        assert count == {1: 6, 2: 2, 4: 2}[process], (process, count)  # two waits


def trace(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
        whole = json.load(file)
    if jsonschema:
        with open(os.path.join(ROOT, "tests/cli/trace_events.schema.json")) as schema:
            jsonschema.Draft202012Validator(json.load(schema)).validate(whole)
    assert whole["otherData"]["seed"] == "1" and whole["otherData"]["trial"] == "0"
    return whole["traceEvents"]


def check_trace(events, completion):
    threads = collections.defaultdict(list)
    arrows = collections.defaultdict(dict)
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    for event in events:
        if event["ph"] == "X":
            # as viewers do it, in floating point
            threads[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] in "sf":
            assert event["ph"] not in arrows[event["id"]]
            arrows[event["id"]][event["ph"]] = event
    for thread, spans in threads.items():
        assert thread[0] == 4 or thread in named, thread
        spans.sort()
        for a, b in zip(spans, spans[1:]):
            assert a[1] <= b[0], (thread, a, b)
    for ends in arrows.values():
        assert set(ends) == {"s", "f"} and ends["s"]["ts"] <= ends["f"]["ts"]
        for end in ends.values():  # on a span of its thread
            assert any(a <= end["ts"] <= b for a, b in threads[end["pid"], end["tid"]])
    path = sorted(threads[4, 0])
    assert path[0][0] == 0 and all(b[0] - a[1] < 0.0011 for a, b in zip(path, path[1:]))
    assert abs(path[-1][1] - completion * 1e6) < 0.0021, (path[-1], completion)
    return len(arrows)


def check_messages(path, completion):
    head, lines = rows(path)
    assert head == MESSAGES and len(lines) == 16 * 15
    for line in lines:
        posted, started, arrived, received = (float(line[k]) for k in ("posted", "started", "arrived", "received"))
        assert posted <= started <= arrived <= received <= completion + 1e-12
        assert float(line["slowdown"]) >= 1 and float(line["alone"]) > 0
        assert abs(float(line["alone"]) * float(line["slowdown"]) - (arrived - started)) < 2e-12
        if float(line["slowdown"]) > 1.01:
            assert line["link"]


def under_all_methods():
    for method in ("flow:critical=1", "packet:critical=1", "worm:critical=1", "loggops:critical=1"):
        out = json.loads(right(WIDE, ALLTOALL, method, "--routing", "dmodk", "--json", "--trace", "t.json.gz",
                               "--messages", "m.csv", "--link-use", "l.csv"))
        value = {r["metric"]: r["mean"] for r in out["results"] if "index" not in r or r["index"] is None}
        completion = value["completion_time"]
        parts = sum(value["critical_" + k] for k in ("compute", "overhead", "transfer", "sharing"))
        assert abs(parts - completion) < 1e-12
        assert check_trace(trace("t.json.gz"), completion) == 16 * 15
        check_messages("m.csv", completion)
        _, lines = rows("l.csv")
        hosts = sum(float(line["bytes"]) for line in lines if line["from"].startswith("h"))
        assert 0 <= hosts - 16 * 15 * 62500 < 64 * 16 * 15, hosts  # worm: whole flits


def some_ranks():
    right(WIDE, ALLTOALL, "flow", "--trace", "t.json", "--trace-ranks", "2-3")
    events = trace("t.json")
    assert {e["tid"] for e in events if e["pid"] == 1 and e["ph"] == "X"} == {2, 3}
    assert sum(e["ph"] == "s" for e in events) == 2  # both ways between them


def written_completely():
    """A full disk leaves no file behind; a device is written directly."""
    if os.path.exists("/dev/full"):
        done = bough(WIDE, ALLTOALL, "flow", "--messages", "/dev/full")
        assert done.returncode != 0 and "/dev/full: cannot be written" in done.stderr, done.stderr
    done = bough(WIDE, ALLTOALL, "flow", "--messages", "/dev/stdout")
    assert done.stdout.startswith(",".join(MESSAGES)), done.stdout[:200]
    assert not [name for name in os.listdir(".") if name.endswith(".part")]


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    refusals()
    lists()
    by_hand()
    under_all_methods()
    some_ranks()
    written_completely()
    os.chdir("/")
