"""Real files of every format that bough reads, damaged: bytes flipped, deleted, doubled, lines swapped, numbers made
huge, two files joined, the end cut off, compressed or archived and damaged then. The verbs that read them must refuse them in
one line, or answer. The files are those of ../shared/data where it is there, those of examples/, and what bough writes
itself."""

import bz2
import glob
import gzip
import io
import lzma
import os
import re
import tarfile
import zipfile

from common import Part

SANITIZED = True

LARGE = 60000  # of a longer file only the beginning is taken
NUMBERS = [b"0", b"-1", b"255", b"256", b"65535", b"65536", b"2147483648", b"4294967295", b"4294967296",
           b"9223372036854775807", b"18446744073709551616", b"9" * 40, b"1e999", b"nan", b"0x7fffffffffffffff"]
TREE = "xgft:down=4x4,up=1x2"
BIG = "xgft:down=16x16,up=1x8"

GOAL = b"""num_ranks 3
rank 0 {
l1: calc 100 cpu 0
l2: send 1024b to 1 tag 3
l2 requires l1
}
rank 1 {
l1: recv 1024b from 0 tag 3
l2: send 10b to 2 tag 4 cpu 1 nic 0
l2 irequires l1
}
rank 2 {
l1: recv 10b from 1 tag 4
}
"""
SIMAI = b"""HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 checkpoints: 0 \
checkpoint_initiates: 0
2
layer0 -1 100 ALLREDUCE 1000 50 NONE 0 60 ALLGATHER 2000 100
layer1 -1 100 ALLREDUCE 1000 50 REDUCESCATTER 10 60 NONE 0 100
"""
CM = b"""Nodes 16
Connections 3
Triggers 1
0->1 id 1 start 0 size 10000
1->2 id 2 start 1000 size 20 send_done_trigger 1
3->4 id 3 trigger 1 size 5
trigger id 1 oneshot
"""
MATRIX = b"0 10 20\n5 0 7\n1 2 0\n"
MESSAGES = b"time,source,destination,size\n0,0,1,5\n3,1,h2,7\n3,2,0,1\n"
DATA = b"metric,n,value,ci95\nrounds,16,3.5,0.1\nrounds,64,4.5,\nfirst_success,16,0.5,\n"
STUDY = b"""study: small
network: fattree:n={n}
traffic: uniform:m={m}
methods: [circuit:mode=rounds, 'bins:model=1']
grid:
  - n: 2^4..2^6 times 2
  - m: [n/8, n]
only: [m <= n]
trials: 3
precision: 5%
plot: {x: n, y: [rounds, first_success], series: method}
compare: true
seed: 7
"""
PLACE = b"# rank endpoint\n0 3\n1 h1\n2, 0\n3 7\n"
ROOTS = b"# roots\ns2.0\ns2.1\n"


def fabric_verbs(f):
    return [["net", f], ["check", f], ["sim", f"ibnet:{f}", "uniform", "linkload", "--trials", "1"],
            ["net", f, "--routing", "updn", "-o", "out.lfts"], ["net", f, "-o", "out.csv"]]


class Kind:
    def __init__(self, verbs):
        self.verbs, self.files = verbs, []


def tables_of(fabric):
    return lambda f: [["check", fabric, "--lft", f],
                      ["sim", f"ibnet:{fabric}", "shift", "linkload", "--routing", f"lft:{f}"]]


def gather(part):
    """Kinds of files with what reads them; every file as bytes and its name."""
    sim = lambda traffic, method, net=TREE: lambda f: [["sim", net, f"{traffic}:{f}", *method, "--trials", "1"]]
    kinds = {
        "fabric": Kind(fabric_verbs),
        "goal": Kind(lambda f: sim("goal", ["loggops"], BIG)(f) + sim("goal", ["flow"], BIG)(f)),
        "training": Kind(lambda f: sim("aicb", ["loggops"], BIG)(f) + sim("simai", ["loggops"], BIG)(f)),
        "model": Kind(sim("train", ["loggops"], BIG)),
        "cm": Kind(sim("cm", ["flow"], BIG)),
        "matrix": Kind(sim("matrix", ["flow"], BIG)),
        "messages": Kind(lambda f: sim("messages", ["linkload"])(f) + sim("messages", ["packet"])(f)),
        "jobs": Kind(lambda f: sim("jobs", ["loggops"], BIG)(f) + [["check", "examples.net", "--job", f"jobs:{f}"]]),
        "data": Kind(lambda f: [["sim", "fattree:n=16", f"data:{f}"]]),
        "prices": Kind(lambda f: [["plan", "--hosts", "100", "--radix", "8", "--prices", f]]),
        "study": Kind(lambda f: [["run", f, "--dry-run", "--threads", "1"]]),
        "place": Kind(lambda f: [["sim", TREE, f"allreduce:algo=ring,ranks=4,size=1kB,place={f}", "loggops"]]),
        "roots": Kind(lambda f: [["net", TREE, "--routing", f"updn:roots={f}", "-o", "out.xml"]]),
        "order": Kind(lambda f: [["net", "examples.net", "--order", f]]),
    }

    def add(kind, name, data):
        kinds[kind].files.append((name, data))

    def read(path):
        try:
            with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
                return file.read(LARGE)
        except OSError:
            return b""

    def add_all(kind, *patterns):
        for pattern in patterns:
            for path in sorted(glob.glob(os.path.join(part.data, pattern))
                               + glob.glob(os.path.join(part.root, "examples", pattern))):
                data = read(path)
                if data:
                    add(kind, os.path.basename(path), data)

    add_all("fabric", "fabrics/*.ibnetdiscover", "fabrics/*.ports", "fabrics/*.dot", "ibsim/*-16.*discover",
            "ibsim/*-16.net", "ibsim/*.ports", "fabric/*.ibnetdiscover", "fabric/*.net", "ethernet/*.csv")
    add_all("goal", "goal/*.goal", "goal/*.goal.gz")
    add_all("training", "ai/*.csv", "ai/*.csv.gz", "ai/*.simai.txt")
    add_all("model", "training/*.yaml")
    add_all("cm", "matrices/*.cm")
    add_all("matrix", "matrices/*.mat")
    add_all("jobs", "jobs.csv")
    add_all("prices", "prices.csv")
    add_all("study", "*.yaml")
    add_all("roots", "fabric/*.roots", "fabrics/*.roots")
    add_all("order", "ibsim/*.ca-order", "fabrics/*.hostnames")
    for kind, data in (("goal", GOAL), ("training", SIMAI), ("cm", CM), ("matrix", MATRIX), ("messages", MESSAGES),
                       ("data", DATA), ("study", STUDY), ("place", PLACE), ("roots", ROOTS)):
        add(kind, "own", data)

    # what bough writes
    for ending in ("net", "csv", "anynet", "topo", "dot", "json"):
        out = os.path.join(part.dir, f"written.{ending}")
        part.run(["net", TREE if ending != "topo" else "xgft:down=4x4,up=1x4", "-o", out])
        if os.path.exists(out):
            add("fabric", f"written.{ending}", read(out))
    with open(os.path.join(part.dir, "examples.net"), "wb") as file:
        file.write(read(os.path.join(part.dir, "written.net")))

    # tables, each with its fabric
    pairs = [("examples.net", None)]
    cluster = os.path.join(part.root, "examples", "fabric", "cluster.ibnetdiscover")
    pairs += [(cluster, os.path.join(part.root, "examples", "fabric", "cluster.*.lfts.gz"))]
    for fabric in sorted(glob.glob(os.path.join(part.data, "ibsim", "ft?-16.ibnetdiscover"))
                         + glob.glob(os.path.join(part.data, "fabrics", "*.opensm.ibnetdiscover"))
                         + glob.glob(os.path.join(part.data, "fabrics", "plafrim*.ports"))):
        stem = re.sub(r"(\.opensm)?\.(ibnetdiscover|ports)$", "", fabric)
        pairs.append((fabric, stem + ".*"))
    for fabric, pattern in pairs:
        kind = kinds.setdefault(f"tables of {os.path.basename(fabric)}", Kind(tables_of(fabric)))
        for path in sorted(glob.glob(pattern)) if pattern else []:
            if re.search(r"\.(lfts|fdbs|dump_fts|ibroute|lid-matrix)(\.gz)?$", path):
                kind.files.append((os.path.basename(path), read(path)))
        if not pattern:
            for ending in ("lfts", "fdbs"):
                out = os.path.join(part.dir, f"tables.{ending}")
                part.run(["net", fabric, "--routing", "updn", "-o", out])
                if os.path.exists(out):
                    kind.files.append((f"tables.{ending}", read(out)))
    return {name: kind for name, kind in sorted(kinds.items()) if kind.files}


def damage(rng, data, other):
    """One change."""
    if not data:
        return other
    at = rng.randrange(len(data))
    size = rng.choice([1, 1, 2, 4, 16, 100, 1000])
    how = rng.randrange(12)
    if how == 0:
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:]
    if how == 1:
        return data[:at] + data[at + size:]
    if how == 2:
        return data[:at] + data[at:at + size] * rng.choice([2, 3, 50]) + data[at + size:]
    if how == 3:
        return data[:at]
    if how == 4:
        return data[:at] + bytes(rng.randrange(256) for _ in range(min(size, 16))) + data[at:]
    if how == 5:
        return data[:at] + other[rng.randrange(len(other) or 1):]
    if how in (6, 7):  # a number
        numbers = list(re.finditer(rb"\d+", data))
        if not numbers:
            return data + rng.choice(NUMBERS)
        m = rng.choice(numbers)
        return data[:m.start()] + rng.choice(NUMBERS) + data[m.end():]
    lines = data.splitlines(keepends=True)
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    if how == 8:
        lines[i], lines[j] = lines[j], lines[i]
    elif how == 9:
        del lines[i]
    elif how == 10:
        lines.insert(j, lines[i])
    else:  # words of two lines
        a, b = lines[i].split(b" "), lines[j].split(b" ")
        a[rng.randrange(len(a))] = b[rng.randrange(len(b))]
        lines[i] = b" ".join(a)
    return b"".join(lines)


def tar(data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        head = tarfile.TarInfo("file")
        head.size = len(data)
        file.addfile(head, io.BytesIO(data))
    return out.getvalue()


def zipped(data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(zipfile.ZipInfo("file"), data)
    return out.getvalue()


PACK = {"gz": lambda data: gzip.compress(data, mtime=0), "xz": lambda data: lzma.compress(data, preset=0), "bz2": bz2.compress,
        "tar": tar, "tar.xz": lambda data: lzma.compress(tar(data), preset=0), "zip": zipped}


def main():
    part = Part("mutate", __doc__)
    kinds = gather(part)
    names = list(kinds)
    everything = [data for kind in kinds.values() for _, data in kind.files]
    for number, rng in part.cases():
        name = rng.choice(names)
        kind = kinds[name]
        base, data = rng.choice(kind.files)
        other = rng.choice(everything if rng.random() < 0.2 else [d for _, d in kind.files])
        for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3, 8]) if number else 0):
            data = damage(rng, data, other)
        path = os.path.join(part.dir, "damaged")
        if rng.random() < 0.15:
            how = rng.choice(list(PACK))
            data = PACK[how](data)
            path += "." + how
            if rng.random() < 0.5:
                data = damage(rng, data, PACK[how](other[:1000]))
        with open(path, "wb") as file:
            file.write(data)
        outcome = part.run(rng.choice(kind.verbs(path)), timeout=60 if part.sanitized else 20)
        if outcome.code is None and (name == "study" or b"of memory" in outcome.err):
            continue  # a study may ask for a long trial, which its forecast times
        reason = part.fault(outcome)
        if reason:
            part.finding(number, f"{reason} ({name}, {base})", outcome, [path])
    part.finish()


main()
