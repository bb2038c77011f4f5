"""What the parts of the campaign share: cases from a seed, running bough under limits, and what every run must obey.

A part is a script NAME.py that is called as

    python3 tests/campaign/NAME.py BOUGH ROOT [--seconds N] [--seed S] [--case K] [--cases N]

BOUGH is the command to test and ROOT the checkout. A part draws case 0, 1, 2, ... until its seconds are over; case K
depends on the seed and on K alone, so that --case K repeats it; with --cases it draws N, however long they take. A finding is printed with the command that shows it.
The last line is `NAME: N cases, F findings`; the exit status is 1 when there was a finding.
"""

import argparse
import os
import random
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

GIB = 1 << 30
STATUSES = (0, 1, 2)  # of a run that nobody interrupted (include/bough/status.h)
REPORTS = ("AddressSanitizer", "runtime error:", "ThreadSanitizer", "MemorySanitizer", "LeakSanitizer")


class Outcome:
    """One run: the words, the exit status (negative: the signal; None: out of time), and what was printed."""

    def __init__(self, argv, code, out, err, env):
        self.argv, self.code, self.out, self.err, self.env = argv, code, out, err, env

    def command(self):
        extra = " ".join(f"{k}={shlex.quote(v)}" for k, v in sorted((self.env or {}).items()))
        return (extra + " " if extra else "") + " ".join(shlex.quote(a) for a in self.argv)


class Part:
    def __init__(self, name, description, options=lambda parser: None):
        """options: adds options of the part's own, found in self.args."""
        self.name = name
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("bough", help="the command to test")
        parser.add_argument("root", help="the checkout")
        parser.add_argument("--seconds", type=float, default=10)
        parser.add_argument("--seed", default="1")
        parser.add_argument("--case", type=int, help="only this case")
        parser.add_argument("--cases", type=int, help="so many, whatever --seconds says")
        options(parser)
        self.args = args = parser.parse_args()
        self.bough = os.path.abspath(args.bough)
        self.root = os.path.abspath(args.root)
        self.seed, self.only, self.most = args.seed, args.case, args.cases
        self.end = time.monotonic() + args.seconds
        self.count = 0
        self.findings = []
        self.dir = tempfile.mkdtemp(prefix=f"bough-{name}-")
        self.data = os.path.join(self.root, "..", "shared", "data")
        self.sanitized = b"__asan_init" in open(self.bough, "rb").read()

    def out_of_time(self):
        return self.count >= self.most if self.most else time.monotonic() >= self.end

    def cases(self):
        """(number, random numbers of this case) until there were enough; at least one."""
        while True:
            number = self.only if self.only is not None else self.count
            self.count += 1
            yield number, random.Random(f"{self.seed}/{self.name}/{number}")
            if self.only is not None or self.out_of_time():
                return

    def run(self, words, stdin=b"", env=None, cwd=None, timeout=60, memory=4 * GIB, stdout=None):
        """Runs `bough WORDS`. timeout: seconds of processor time, so that a busy machine makes no finding; ten times as long
        by the clock ends a run that waits for nothing. memory: bytes of address space (none under a sanitizer, which
        reserves terabytes). stdout: an open file that standard output goes to; else it is kept."""
        argv = [self.bough, *words]

        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (timeout, timeout + 5))
            if memory and not self.sanitized:
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

        full = {**os.environ, **(env or {})}
        try:
            done = subprocess.run(argv, input=stdin, stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, env=full,
                                  cwd=cwd or self.dir, timeout=10 * timeout, preexec_fn=limit)
            code = None if done.returncode == -signal.SIGXCPU else done.returncode
            return Outcome(argv, code, done.stdout or b"", done.stderr, env)
        except subprocess.TimeoutExpired as late:
            return Outcome(argv, None, late.stdout or b"", late.stderr or b"", env)

    def finding(self, case, reason, outcome=None, kept=()):
        """Notes a finding. kept: files that the command needs, which stay after the run."""
        for path in kept:
            target = os.path.join(tempfile.gettempdir(), f"bough-finding-{self.name}-{case}-{os.path.basename(path)}")
            shutil.copy(path, target)
            reason += f"\n  kept: {target}"
        text = f"{self.name}: case {case} (seed {self.seed}): {reason}"
        if outcome:
            text += f"\n  {outcome.command()}\n  exit status {outcome.code}"
            tail = outcome.err.decode("utf-8", "replace").strip().splitlines()[-12:]
            text += "".join(f"\n  | {line}" for line in tail)
        self.findings.append(text)
        print(text, flush=True)

    def fault(self, outcome):
        """What every run must obey, whatever it was given; None when it does."""
        err = outcome.err.decode("utf-8", "replace")
        if outcome.code is None:
            return "does not end"
        if any(report in err for report in REPORTS):
            return "a sanitizer reports"
        if outcome.code < 0:
            return f"ended by signal {-outcome.code}"
        if outcome.code not in STATUSES:
            return f"exit status {outcome.code}"
        if outcome.code:
            said = [line for line in err.splitlines() if line.startswith("bough: ")]
            if not said:
                return "fails without a line `bough: ...`"
        return None

    def check(self, case, outcome, kept=()):
        """Notes a finding where a rule is broken; whether the run obeys."""
        reason = self.fault(outcome)
        if reason:
            self.finding(case, reason, outcome, kept)
        return reason is None

    def finish(self):
        shutil.rmtree(self.dir, ignore_errors=True)
        print(f"{self.name}: {self.count} cases, {len(self.findings)} findings", flush=True)
        sys.exit(1 if self.findings else 0)


class FailIO:
    """Runs under the library of fail_io.c. Ends the part with 77 where it was not built (under a sanitizer, say)."""

    def __init__(self, part):
        self.part = part
        self.library = os.path.join(os.path.dirname(part.bough), "libfault_io.so")
        if not os.path.exists(self.library):
            print(f"{part.name}: there is no {self.library}")
            sys.exit(77)

    def settings(self, at=0, how="EIO", stay=False):
        """The environment in which call `at` fails."""
        env = {"LD_PRELOAD": self.library, "FAIL_IO_AT": str(at), "FAIL_IO_HOW": how}
        return {**env, "FAIL_IO_STAY": "1"} if stay else env

    def count(self, words, cwd):
        """(writing calls, reading calls) of a run where nothing fails."""
        file = os.path.join(self.part.dir, "calls")
        done = self.part.run(words, cwd=cwd, env={**self.settings(), "FAIL_IO_COUNT": file})
        if done.code:
            raise SystemExit(f"{self.part.name}: {done.command()}\n{done.err.decode()}")
        with open(file, encoding="ascii") as counts:
            return tuple(int(n) for n in counts.read().split())
