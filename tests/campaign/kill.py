"""Ends `bough run`: by SIGKILL at a random moment, or at the K-th call that writes a file (before it, or in the middle of
a write), or by SIGINT or SIGTERM; in between it may damage the store. The same command again, which may be ended too,
must come to the results of a run that nobody ended."""

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


def main():
    part = common.Part("kill", __doc__)
    attack = Attack(part)
    for case, rng in part.cases():
        attack.attack(case, rng)
    part.finish()


main()
