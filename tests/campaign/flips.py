"""Damages the store of a finished study: flips 1..n bits or bytes of results.sqlite, or cuts it off, and asks for a
report and runs the study again. What comes out must be the results of the undamaged store, or a clear line."""

import os
import shutil

import common

SANITIZED = True
STUDIES = {
    "trials": "network: fattree:n={n}\ntraffic: uniform:m={n}\n"
              "methods: [\"circuit:mode=rounds\", bins, collision]\ngrid:\n  - n: [16, 64]\ntrials: 40\n",
    "layouts": "network: fattree:n=64\nrouting: [random, dmodk]\ntraffic: uniform:m=64\n"
               "methods: [\"circuit:mode=rounds,history=1\", linkload]\ntrials: 60\n",
    "single": "network: fattree:n={n}\ntraffic: permutation\nmethods: [bins, collision]\n"
              "grid:\n  - n: 2^3..2^7 times 2\ntrials: 1\n",
}
FILES = ("results.csv", "results.json")


def damage(rng, data):
    """The damaged bytes, and in words what was done."""
    data = bytearray(data)
    kind = rng.choice(("bit", "bit", "bits", "bytes", "cut", "zeros", "swap"))
    if kind in ("bit", "bits"):
        places = [rng.randrange(8 * len(data)) for _ in range(1 if kind == "bit" else rng.randint(2, 40))]
        for bit in places:
            data[bit // 8] ^= 1 << bit % 8
        return data, f"bits {places[:4]}"
    if kind == "bytes":
        places = [rng.randrange(len(data)) for _ in range(rng.randint(1, 20))]
        for at in places:
            data[at] = rng.randrange(256)
        return data, f"bytes at {places[:4]}"
    at = rng.randrange(len(data))
    if kind == "cut":
        return data[:at], f"cut at {at}"
    length = rng.choice((16, 512, 4096))
    if kind == "zeros":
        at -= at % length
        data[at:at + length] = bytes(len(data[at:at + length]))
        return data, f"{length} zeros at {at}"
    page = 4096
    a, b = (page * rng.randrange(len(data) // page) for _ in range(2))
    data[a:a + page], data[b:b + page] = data[b:b + page], data[a:a + page]
    return data, f"pages at {a} and {b} swapped"


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Study:
    """A finished study: its directory, its file, and what every later run must come to."""

    def __init__(self, part, name):
        self.file = os.path.join(part.dir, f"{name}.yaml")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(STUDIES[name])
        self.whole = os.path.join(part.dir, name)
        done = part.run(["run", self.file, "--out", self.whole])
        if done.code:
            raise SystemExit(f"flips: {name}: {done.err.decode()}")
        self.results = {f: read(os.path.join(self.whole, f)) for f in FILES}
        self.report = part.run(["report", self.whole, "--json"]).out
        self.store = read(os.path.join(self.whole, "results.sqlite"))


def names_store(outcome):
    return b"results.sqlite" in outcome.err


def attack(part, case, rng, study):
    data, what = damage(rng, study.store)
    out = os.path.join(part.dir, "damaged")
    shutil.rmtree(out, ignore_errors=True)
    os.mkdir(out)
    store = os.path.join(out, "results.sqlite")
    kept = os.path.join(part.dir, f"results-{case}.sqlite")
    for path in (store, kept):
        with open(path, "wb") as file:
            file.write(data)

    def check(outcome, right, words):
        if not part.check(case, outcome, [kept]):
            return False
        if outcome.code == 0 and not right():
            part.finding(case, f"{words}: other results ({what})", outcome, [kept])
            return False
        if outcome.code and not names_store(outcome):
            part.finding(case, f"{words}: the line does not name the file ({what})", outcome, [kept])
            return False
        return outcome.code == 0

    report = part.run(["report", out, "--json"])
    check(report, lambda: report.out == study.report, "report")
    done = part.run(["run", study.file, "--out", out])
    same = lambda: all(read(os.path.join(out, f)) == study.results[f] for f in FILES)
    if check(done, same, "run"):
        again = part.run(["report", out, "--json"])
        if again.code or again.out != study.report:
            part.finding(case, f"the repaired store is not whole ({what})", again, [kept])
    left = [f for f in os.listdir(out) if f.endswith((".part", "-journal"))]
    if left:
        part.finding(case, f"{left} is left ({what})", done, [kept])
    os.remove(kept)


def main():
    part = common.Part("flips", __doc__)
    studies = [Study(part, name) for name in STUDIES]
    for case, rng in part.cases():
        attack(part, case, rng, rng.choice(studies))
    part.finish()


main()
