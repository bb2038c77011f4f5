"""Fails one call that writes a file, or all from one on, of every command that writes files; fails reads; and gives
standard output to a full disk. A failure has to say which file it is about; a file is the old one or the whole new one;
nothing else is left behind."""

import os
import shutil

import common

STUDY = """study: io
network: fattree:n={n}
traffic: uniform:m={n}
methods: ["circuit:mode=rounds", bins]
grid:
  - n: [8, 16]
trials: 20
plot: {y: rounds}
"""
OLD = b"series,x,mean,low,high,ci95,min,max,trials,hollow,label,name\n"  # as of an earlier --figures, which replaces no other file

# Words, and the files that they write. ROOT is the checkout.
COMMANDS = [
    *((["net", network, *more, "-o", name], [name]) for network, name, *more in [
        ("fattree:n=8", "n.json"), ("fattree:n=8", "n.dot"), ("kary:k=2,levels=3", "n.net"), ("fattree:n=8", "n.gds"),
        ("fattree:n=8", "n.layout.svg"), ("fattree:n=8", "n.csv"), ("fattree:n=8", "n.anynet"),
        ("fattree:n=8", "n.svg"), ("fattree:n=8", "n.svg", "--routing", "random"), ("transit:n=64", "n.gltf"),
        ("fattree:n=8", "n.lfts", "--routing", "dmodk"), ("fattree:n=8", "n.xml", "--routing", "dmodk"),
        ("ibnet:ROOT/examples/fabric/cluster.ibnetdiscover", "n.net"),
    ]),
    (["sim", "fattree:n=16", "adversary:out=w.csv"], ["w.csv"]),
    (["sim", "fattree:n=16", "--routing", "dmodk", "adversary:out=w.csv"], ["w.csv"]),
    (["run", "s.yaml", "--out", "r", "--figures", "f"], ["r/results.csv", "r/results.json", "r/report.html"]),
    (["run", "s.yaml", "--out", "r", "--figures", "f"], ["r/results.csv", "r/results.json", "r/report.html"]),
    (["run", "s.yaml", "--out", "hurt"], ["hurt/results.csv", "hurt/results.json"]),  # the store is repaired
    (["report", "done", "--html", "p.html"], ["p.html"]),
    (["report", "done", "--figures", "f"], ["f/s-rounds.csv", "f/s-rounds.gp", "f/s-rounds.tex"]),
    (["check", "ROOT/examples/fabric/cluster.ibnetdiscover", "--lft", "ROOT/examples/fabric/cluster.ftree.lfts.gz",
      "--html", "c.html"], ["c.html"]),
    (["check", "ROOT/examples/fabric/cluster.ibnetdiscover", "--lft", "ROOT/examples/fabric/cluster.ftree.lfts.gz",
      "--permutation", "w.csv"], ["w.csv"]),
]
PRINTED = [["list"], ["list", "metrics"], ["net", "fattree:n=8", "--json"], ["sim", "fattree:n=8", "uniform", "bins"],
           ["report", "done"], ["report", "done", "--csv"], ["report", "done", "--json"], ["--help"], ["run", "--help"],
           ["run", "s.yaml", "--out", "r", "--csv"], ["plan", "--hosts", "64", "--radix", "8"]]


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


class Attack:
    def __init__(self, part):
        self.part, self.fail = part, common.FailIO(part)
        self.known = {}  # of a command: calls, and what it writes
        self.work = os.path.join(part.dir, "work")
        self.clean()
        part.run(["run", "s.yaml", "--out", "done"], cwd=self.work)
        self.done = os.path.join(part.dir, "done")
        self.hurt = os.path.join(part.dir, "hurt")
        shutil.move(os.path.join(self.work, "done"), self.done)
        self.commands = COMMANDS
        if not os.path.exists(os.path.join(self.done, "report.html")):  # a build without the page
            self.commands = [(words, [f for f in files if f != "r/report.html"])
                             for words, files in COMMANDS if "--html" not in words]
        os.mkdir(self.hurt)
        whole = read(os.path.join(self.done, "results.sqlite"))
        trial = whole.rindex(b"\x14\x40")  # the end of a number, 5.x
        with open(os.path.join(self.hurt, "results.sqlite"), "wb") as file:
            file.write(whole[:trial] + b"\x15" + whole[trial + 1:])

    def clean(self, files=()):
        """An empty directory to work in, with old versions of files."""
        shutil.rmtree(self.work, ignore_errors=True)
        os.mkdir(self.work)
        with open(os.path.join(self.work, "s.yaml"), "w", encoding="utf-8") as file:
            file.write(STUDY)
        if hasattr(self, "hurt"):
            shutil.copytree(self.done, os.path.join(self.work, "done"))
            shutil.copytree(self.hurt, os.path.join(self.work, "hurt"))
        for name in files:
            path = os.path.join(self.work, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(OLD)

    def facts(self, index):
        """Of a command: the words, the files, the numbers of its calls, and the contents of the files."""
        if index not in self.known:
            words, files = self.commands[index]
            words = [w.replace("ROOT", self.part.root) for w in words]
            self.clean(files)
            calls = self.fail.count(words, self.work)
            self.known[index] = words, files, calls, [read(os.path.join(self.work, f)) for f in files]
        return self.known[index]

    def left_over(self):
        """Files of no use to anybody."""
        return [f for _, _, files in os.walk(self.work) for f in files if f.endswith((".part", "-journal"))]

    def files(self, case, rng):
        words, files, calls, new = self.facts(rng.randrange(len(self.commands)))
        how = rng.choice(("ENOSPC", "EIO", "EDQUOT", "EMFILE", "short", "read"))
        total = calls[1] if how == "read" else calls[0]
        at, stay = rng.randint(1, max(total, 1)), rng.random() < 0.5
        self.clean(files)
        outcome = self.part.run(words, cwd=self.work, env=self.fail.settings(at, how, stay))
        if not self.part.check(case, outcome):
            return
        what = f"call {at} of {total}: {how}{' from there on' if stay else ''}"
        contents = [read(os.path.join(self.work, f)) for f in files]
        for name, have, whole in zip(files, contents, new):
            if have not in (OLD, whole):
                self.part.finding(case, f"{name} is neither old nor new ({what})", outcome)
        if outcome.code == 0 and contents != new:
            self.part.finding(case, f"exit status 0, but the files are not all new ({what})", outcome)
        if how != "read" and outcome.code == 2:
            self.part.finding(case, f"a disk that fails is no mistake of the caller ({what})", outcome)
        line = outcome.err.decode("utf-8", "replace").strip().splitlines()[-1:]
        if outcome.code and (not line or "/" not in line[0] and not any(f in line[0] for f in files)):
            self.part.finding(case, f"the line names no file ({what})", outcome)
        self.repeat(case, words, files, new, outcome, what)

    def repeat(self, case, words, files, new, before, what):
        """Once the disk works again, the same command does all that was to be done."""
        left = [f for f in self.left_over() if not f.startswith("results.sqlite")]
        if left:
            self.part.finding(case, f"{left} is left ({what})", before)
        again = self.part.run(words, cwd=self.work)
        contents = [read(os.path.join(self.work, f)) for f in files]
        if again.code or contents != new:
            self.part.finding(case, f"the same command again does not end well ({what})", again)
        if self.left_over() != left:
            self.part.finding(case, f"{self.left_over()} is left after the same command again ({what})", again)

    def printed(self, case, rng):
        words = rng.choice(PRINTED)
        self.clean()
        with open("/dev/full", "wb") as full:
            outcome = self.part.run(words, cwd=self.work, stdout=full)
        if self.part.check(case, outcome) and outcome.code != 1:
            self.part.finding(case, "standard output is full", outcome)


def main():
    part = common.Part("io", __doc__)
    attack = Attack(part)
    for case, rng in part.cases():
        if rng.random() < 0.05 and os.path.exists("/dev/full"):
            attack.printed(case, rng)
        else:
            attack.files(case, rng)
    part.finish()


main()
