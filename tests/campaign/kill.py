"""Ends `bough run`: by SIGKILL at a random moment, or at the K-th call that writes a file (before it, or in the middle of
a write), or by SIGINT or SIGTERM; in between it may damage the store. The same command again, which may be ended too,
must come to the results of a run that nobody ended.

Every fourth case sends SIGINT or SIGTERM within the first 5 ms of `run`, `check`, `sim`, `net` or `plan`, counted from exec or from the
moment when the command catches the signal. --sweep does nothing else, and leaves none of these moments out."""

import os
import shutil
import signal
import subprocess
import time

import common

STUDIES = {
    "many": "network: fattree:n={n}\ntraffic: uniform:m={n}\nmethods: [\"circuit:mode=rounds,history=1\", bins, collision]\n"
            "grid:\n  - n: 2^3..2^6 times 2\ntrials: 60\n",
    "long": "network: fattree:n=256\ntraffic: uniform:m=256\nmethods: [\"circuit:mode=rounds\", bins]\ntrials: 8000\n",
}
FILES = ("results.csv", "results.json")
INTERRUPTED = 130  # of SIGINT and SIGTERM (include/bough/status.h)


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


class Attack:
    def __init__(self, part):
        self.part, self.fail = part, common.FailIO(part)
        self.out = os.path.join(part.dir, "out")
        self.words, self.results, self.calls, self.seconds = {}, {}, {}, {}
        for name, text in STUDIES.items():
            file = os.path.join(part.dir, f"{name}.yaml")
            with open(file, "w", encoding="utf-8") as study:
                study.write(text)
            self.words[name] = ["run", file, "--out", self.out, "--threads", "2"]
            began = time.monotonic()
            self.calls[name] = self.fail.count(self.words[name], part.dir)[0]
            self.seconds[name] = time.monotonic() - began
            self.results[name] = self.contents()
            shutil.rmtree(self.out)

    def contents(self):
        return [read(os.path.join(self.out, f)) for f in FILES]

    def kill_at_call(self, rng, name):
        how = rng.choice(("kill", "tear"))
        at = rng.randint(1, self.calls[name])
        outcome = self.part.run(self.words[name], env=self.fail.settings(at, how))
        return outcome, f"{how} at call {at}", (0, -signal.SIGKILL)

    def signal_at(self, rng, name, number):
        """The signal comes after a random time; the run may be over by then."""
        argv = [self.part.bough, *self.words[name]]
        after = rng.uniform(0, 1.1 * self.seconds[name])
        with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.part.dir) as run:
            try:
                run.wait(after)
            except subprocess.TimeoutExpired:
                run.send_signal(number)
            err = run.communicate()[1]
        outcome = common.Outcome(argv, run.returncode, b"", err, None)
        # Before a handler is there and after it has done its work, the signal ends the process itself.
        right = (0, -number) if number == signal.SIGKILL else (0, -number, INTERRUPTED)
        return outcome, f"{signal.Signals(number).name} after {after:.3f} s", right

    def end_one(self, case, rng, name, damaged=False):
        """One run that is ended. In words what happened."""
        if rng.random() < 0.5:
            outcome, what, right = self.kill_at_call(rng, name)
        else:
            number = rng.choice((signal.SIGKILL, signal.SIGINT, signal.SIGTERM))
            outcome, what, right = self.signal_at(rng, name, number)
        refused = damaged and outcome.code in (1, 2) and b"results.sqlite" in outcome.err
        if outcome.code not in right and not refused:
            self.part.finding(case, f"{what}: exit status {outcome.code}", outcome)
        if outcome.code == INTERRUPTED and b"again to resume" not in outcome.err:
            self.part.finding(case, f"{what}: it does not say how to go on", outcome)
        return what

    def damage(self, rng):
        """Another byte somewhere in the store."""
        file = os.path.join(self.out, "results.sqlite")
        data = bytearray(read(file) or b"")
        if data:
            at = rng.randrange(len(data))
            data[at] ^= rng.randint(1, 255)
            with open(file, "wb") as store:
                store.write(data)
        return f"damage at {at}" if data else "nothing to damage"

    def attack(self, case, rng):
        name = rng.choice(list(STUDIES))
        shutil.rmtree(self.out, ignore_errors=True)
        story = [self.end_one(case, rng, name)]
        damaged = rng.random() < 0.3
        if damaged:
            story.append(self.damage(rng))
        story += [self.end_one(case, rng, name, damaged) for _ in range(rng.randint(0, 2))]
        report = self.part.run(["report", self.out, "--json"])
        if not damaged and report.code not in (0, 2):  # 2: there is nothing yet
            self.part.finding(case, f"{story}: the store cannot be read", report)
        done = self.part.run(self.words[name])
        if not self.part.check(case, done) or (damaged and done.code and b"results.sqlite" in done.err):
            return
        if done.code or self.contents() != self.results[name]:
            self.part.finding(case, f"{story}: other results", done)
        if not damaged and b"damaged" in done.err:
            self.part.finding(case, f"{story}: the store was damaged", done)


class Early:
    """SIGINT or SIGTERM while a command starts. It exits with 130, without output, or had finished already; only where it
    did not catch the signal yet, the signal may end it. No file is incomplete, and the same command again has the results
    of one that nobody ended."""

    STUDY = ("network: fattree:n={n}\ntraffic: uniform:m={n}\nmethods: [\"circuit:mode=rounds\", bins]\n"
             "grid:\n  - n: 2^3..2^4 times 2\ntrials: 40\n")
    FABRIC = "examples/fabric/cluster.ibnetdiscover"
    TABLES = "examples/fabric/cluster.ftree.lfts.gz"
    STORE = ("results.lock", "results.sqlite", "results.sqlite-journal")

    def __init__(self, part):
        self.part = part
        self.out = os.path.join(part.dir, "early")
        study = os.path.join(part.dir, "early.yaml")
        with open(study, "w", encoding="utf-8") as file:
            file.write(self.STUDY)
        page = os.path.join(self.out, "page.html")
        self.words = {
            "run": ["run", study, "--out", self.out, "--threads", "2"],
            "check": ["check", os.path.join(part.root, self.FABRIC), "--lft", os.path.join(part.root, self.TABLES),
                      "--html", page],
            "sim": ["sim", "fattree:n=64", "uniform:m=64", "circuit:mode=rounds", "bins", "--trials", "40", "--json"],
            "net": ["net", "sorting:n=128", "--check", "-o", os.path.join(self.out, "network.svg")],
            "plan": ["plan", "--hosts", "3000", "--radix", "64", "--taper", "4", "--json"],
        }
        self.whole = {}
        for name in self.words:
            self.clear()
            self.whole[name] = (self.again(name).out, self.files())

    def clear(self):
        shutil.rmtree(self.out, ignore_errors=True)
        os.mkdir(self.out)

    def again(self, name):
        return self.part.run(self.words[name])

    def files(self):
        return {f: read(os.path.join(self.out, f)) for f in sorted(os.listdir(self.out)) if f not in self.STORE}

    @staticmethod
    def catches(pid, number):
        """Whether the process has a handler of the signal."""
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            caught = next((line for line in status if line.startswith("SigCgt:")), "SigCgt: 0")
        return bool(int(caught.split()[1], 16) >> (number - 1) & 1)

    def end(self, name, number, after_ms, caught):
        """One command that is ended; whether it caught the signal when that was sent. caught: the time begins when it
        does. It begins at exec otherwise: Popen returns when there was one."""
        argv = [self.part.bough, *self.words[name]]
        with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.part.dir) as run:
            while caught and run.poll() is None and not self.catches(run.pid, number):
                time.sleep(0.0001)
            began = time.perf_counter()
            while time.perf_counter() - began < after_ms / 1000:
                pass
            catching = run.poll() is not None or self.catches(run.pid, number)
            run.send_signal(number)
            out, err = run.communicate()
        return common.Outcome(argv, run.returncode, out, err, None), catching

    def left_over(self, name, outcome):
        """What lies in the directory that should not, or None."""
        out, whole = self.whole[name]
        for file, data in self.files().items():
            if file.startswith(".") and file.endswith(".part"):
                if outcome.code >= 0:
                    return f"{file} is left"
            elif data != whole.get(file):
                return f"{file} is not that of a whole run"
        if outcome.code == 0 and (outcome.out != out or self.files() != whole):
            return "exit status 0 with other results"
        if outcome.code != 0 and outcome.out:
            return "output of a command that was interrupted"
        return None

    def attack(self, case, name, number, after_ms, caught):
        self.clear()
        outcome, catching = self.end(name, number, after_ms, caught)
        what = f"{name}, {signal.Signals(number).name} {after_ms} ms after {'it is caught' if caught else 'exec'}"
        if outcome.code not in ((0, INTERRUPTED) if catching else (0, INTERRUPTED, -number)):
            self.part.finding(case, f"{what}: exit status {outcome.code}", outcome)
            return
        wrong = self.left_over(name, outcome)
        if wrong:
            self.part.finding(case, f"{what}: {wrong}", outcome)
        # Nothing of the others is left but the page, of which left_over() has seen that it is whole or not there.
        if name == "run" or wrong:
            self.compare_again(case, name, what)

    def compare_again(self, case, name, what):
        done = self.again(name)
        files = {f: data for f, data in self.files().items() if not f.endswith(".part")}
        if done.code or (done.out, files) != self.whole[name]:
            self.part.finding(case, f"{what}: other results", done)

    def draw(self, case, rng):
        self.attack(case, rng.choice(list(self.words)), rng.choice((signal.SIGINT, signal.SIGTERM)),
                    rng.randint(0, 20) / 4, rng.random() < 0.5)

    def sweep(self):
        """From exec both signals; from the handler one of them in turn and half as many moments, as each of these takes
        the time of a start."""
        both = (signal.SIGINT, signal.SIGTERM)
        moments = [(number, k / 4, False) for k in range(21) for number in both]
        moments += [(both[k % 2], k / 2, True) for k in range(11)]
        for name in self.words:
            for number, after_ms, caught in moments:
                self.part.count += 1
                self.attack(self.part.count, name, number, after_ms, caught)
            self.compare_again(self.part.count, name, "after all signals")


def main():
    part = common.Part("kill", __doc__, lambda parser: parser.add_argument(
        "--sweep", action="store_true", help="signals at every quarter of a millisecond of the first 5, and nothing else"))
    early = Early(part)
    if part.args.sweep:
        early.sweep()
        part.finish()
    attack = Attack(part)
    for case, rng in part.cases():
        if case % 4 == 3:
            early.draw(case, rng)
        else:
            attack.attack(case, rng)
    part.finish()


main()
