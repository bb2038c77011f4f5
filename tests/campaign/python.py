"""Calls the functions and methods of the Python package with arguments that nobody should give it: wrong types, None, NaN,
numbers beyond every integer, long texts, texts with NUL or surrogates, arrays that are empty, read-only, not contiguous or
of another type, closed objects, callbacks that raise, a keyword twice. Each call has a result, or raises an exception
that says what is wrong; it does not crash, hang, or show the insides of ctypes.

The calls are made by a child process, of 200 cases at most."""

import inspect
import json
import os
import random
import subprocess
import sys
import tempfile

import common

BATCH, HANG = 200, 60  # cases of a child; seconds of one call


class Raised(Exception):
    """What callbacks raise."""


# ---- the child ----


def make_child():
    import faulthandler
    import resource
    import threading

    import numpy as np

    import bough

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (6 * common.GIB, 6 * common.GIB))

    # The rest is what documentation names: a wrong value, a wrong type, what cannot be had, and what a callback raises.
    # LookupError is that of Python's sequences, ImportError of packages that are missing.
    right = (bough.Error, ValueError, TypeError, LookupError, MemoryError, OSError, ImportError, Raised)
    wrong = ("ArgumentError",)

    def raises(*_arguments, **_keywords):
        raise Raised()

    def closed(item):
        item.close()
        return item

    frozen = np.arange(8)
    frozen.flags.writeable = False
    text = "kary:k=2,levels=2"
    net = bough.Network(text)
    links = net.links
    result = bough.sim(text, "uniform", "circuit", trials=3)
    diagnosis = bough.check(text, routing="dmodk")
    objects = {
        "net": lambda: net, "closed": lambda: closed(bough.Network(text)), "result": lambda: result,
        "diagnosis": lambda: diagnosis, "stop": bough.Stop, "messages": lambda: bough.Messages([0, 1], [1, 0]),
        "pattern": lambda: bough.Pattern(raises), "routing": lambda: bough.Routing.from_function(raises),
        "row": lambda: result[0], "links": lambda: links,
    }
    hostile = {
        "None": lambda: None, "True": lambda: True, "nan": lambda: float("nan"), "inf": lambda: float("inf"),
        "-1": lambda: -1, "0": lambda: 0, "0.5": lambda: 0.5, "2^31": lambda: 2**31, "2^63": lambda: 2**63,
        "2^64": lambda: 2**64, "10^400": lambda: 10**400, "1j": lambda: 1j, "''": lambda: "", "NUL": lambda: "a\0b",
        "surrogate": lambda: "\ud800", "long": lambda: "x" * 1000000, "brackets": lambda: "[" * 100000,
        "newline": lambda: "a\nb", "bytes": lambda: b"\xff\0", "bytearray": lambda: bytearray(b"abc"), "[]": lambda: [],
        "{}": lambda: {}, "()": lambda: (), "[None]": lambda: [None], "nested": lambda: [[[]]], "object": object,
        "class": lambda: int, "raises": lambda: raises, "lambda": lambda: lambda *a: "x", "range": lambda: range(3),
        "generator": lambda: (i for i in range(3)), "set": lambda: {1, 2}, "path": lambda: os.path.join(os.sep, "nonexistent"),
        "int64": lambda: np.int64(-2**63), "float32": lambda: np.float32(1), "empty": lambda: np.empty(0),
        "empty2": lambda: np.empty((0, 3), np.int64), "strided": lambda: np.arange(16)[::2], "backwards": lambda: np.arange(8)[::-1],
        "frozen": lambda: frozen, "swapped": lambda: np.arange(8, dtype=">i4"), "objects": lambda: np.array([None, 1], object),
        "complex": lambda: np.ones(4, complex), "bools": lambda: np.ones(4, bool), "huge": lambda: np.full(4, 2**64 - 1, np.uint64),
        "negative": lambda: np.full(4, -5), "nans": lambda: np.full(4, np.nan), "strings": lambda: np.array(["a", "b"]),
        "square": lambda: np.zeros((3, 3), np.int64), "scalar": lambda: np.array(3), "cube": lambda: np.zeros((2, 2, 2)),
        "floats": lambda: np.zeros(len(links.src)), "endless": lambda: np.broadcast_to(np.int64(0), (4,)), **objects,
    }
    good = {
        "network": (text, "bft:n=16", net), "spec": (text, "xgft:down=2x2,up=1x2"), "traffic": ("uniform", "shift:k=1"),
        "methods": ("circuit", "linkload", "bins"), "routing": ("dmodk", "random", None), "trials": (1, 2), "threads": (1, 2),
        "seed": (1, 7), "node": (0, 3), "source": (0, 1, [0, 1]), "destination": (1, 2, [1, 0]), "src": ([0, 2, 1, 2],),
        "dst": ([2, 0, 2, 1],), "rate": (None, 1e9, [1e9, 2e9]), "endpoints": (2, None), "name": ("x",), "names": (None,),
        "format": ("json", "dot", "csv"), "metric": ("rounds",), "kind": ("families", "metrics"), "data": ("",),
        "study": ({"network": text, "traffic": "uniform", "methods": ["bins"], "trials": 2},), "set": (None, {"trials": 1}),
        "faults": (None, "links:share=10%"), "physical": (None, "ndr"), "precision": (None, 0.5), "function": (raises, lambda *a: 0),
        "path": (None,), "y": ("rounds",), "x": (None,), "link": ([[0, 1]],), "size": (None, 8), "bytes": (None, 8),
    }
    targets = {}
    for name in bough.__all__:
        item = getattr(bough, name)
        if callable(item) and not (isinstance(item, type) and issubclass(item, (Exception, tuple, int))):
            targets[name] = lambda item=item: item
        if isinstance(item, type) and issubclass(item, bough.Network):
            for method, value in inspect.getmembers(item, inspect.ismethod):
                if not method.startswith("_"):
                    targets[f"{name}.{method}"] = lambda value=value: value
    for name in ("Messages.from_pandas", "Routing.from_tables", "Routing.from_function"):
        owner, method = name.split(".")
        targets[name] = lambda owner=owner, method=method: getattr(getattr(bough, owner), method)
    for owner, make in objects.items():
        item = make()
        for method in dir(item):
            special = method in ("__getitem__", "__contains__", "__iter__", "__enter__", "__exit__", "__repr__", "__eq__", "__len__")
            if method.startswith("_") and not special and method not in ("_repr_html_",):
                continue
            targets[f"<{owner}>.{method}"] = lambda make=make, method=method: getattr(make(), method)
    # What pytest's names and collections have themselves is not the package's.
    targets = {name: make for name, make in targets.items() if not name.startswith("<links>.")}

    def words_of(rng, target):
        """(positional, keywords), as names of values."""
        try:
            parameters = list(inspect.signature(target).parameters.values())
        except (TypeError, ValueError):
            parameters = []
        positional, keywords = [], {}
        spoilt = rng.randint(0, max(0, len(parameters) - 1)) if parameters else 0
        for i, p in enumerate(parameters):
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                continue
            needed = p.default is p.empty
            if i != spoilt and not needed and rng.random() < 0.7:
                continue
            value = ("hostile", rng.choice(list(hostile)))
            if p.name in good and i != spoilt and rng.random() < 0.85:
                value = ("good", p.name, rng.randrange(len(good[p.name])))
            if p.kind == p.KEYWORD_ONLY or (not needed and rng.random() < 0.5) or len(positional) < i:
                keywords[p.name] = value
            else:
                positional.append(value)
        if rng.random() < 0.03:
            positional.append(("hostile", rng.choice(list(hostile))))
        if rng.random() < 0.03 and parameters:  # a keyword twice, or one that there is not
            keywords[rng.choice([parameters[0].name, "nothing"])] = ("hostile", rng.choice(list(hostile)))
        if "stop" in {p.name for p in parameters} and "stop" not in keywords and not keywords.get("threads"):
            keywords["stop"] = ("soon",)
        return positional, keywords

    def value_of(word):
        if word[0] == "soon":
            stop = bough.Stop()
            timer = threading.Timer(2, stop.request)
            timer.daemon = True
            timer.start()
            return stop
        return hostile[word[1]]() if word[0] == "hostile" else good[word[1]][word[2]]

    def take(answer):
        """Uses what was returned, as much as anybody would."""
        repr(answer)
        if hasattr(answer, "__next__"):
            next(answer, None)
        if isinstance(answer, bough.Network):
            answer.node_names  # pylint: disable=pointless-statement
            answer.close()

    def one(seed, case):
        rng = random.Random(f"{seed}/python/{case}")
        name = rng.choice(sorted(targets))
        print(f"case {case} {name}", flush=True)
        try:
            target = targets[name]()
            if not callable(target):
                take(target)
                return
            positional, keywords = words_of(rng, target)
            # ensure_ascii: names of values only
            print("call " + json.dumps([name, positional, keywords]), flush=True)
            take(target(*map(value_of, positional), **{k: value_of(v) for k, v in keywords.items()}))
        except right as error:
            if type(error).__name__ not in wrong:
                str(error)
                return
            print(f"finding {type(error).__name__}: {str(error)[:200]!r}", flush=True)
        except Exception as error:  # pylint: disable=broad-except
            import traceback
            where = traceback.extract_tb(error.__traceback__)[-1]
            print(f"finding {type(error).__name__}: {str(error)[:200]!r} in {os.path.basename(where.filename)}:{where.lineno}",
                  flush=True)

    def run(seed, first, count):
        faulthandler.enable()
        for case in range(first, first + count):
            faulthandler.dump_traceback_later(HANG, exit=True)
            one(seed, case)
        faulthandler.cancel_dump_traceback_later()

    return run


# ---- the part ----


class Calls:
    def __init__(self, part):
        self.part = part
        library = next((path for path in (os.path.join(os.path.dirname(part.bough), f"libbough.so{end}") for end in (".0.1", ""))
                        if os.path.exists(path)), None)
        if not library or part.sanitized:
            print("python: libbough is missing, or sanitized: Python cannot load it")
            sys.exit(77)
        self.env = {**os.environ, "BOUGH_LIBRARY": library, "PYTHONPATH": os.path.join(part.root, "python"),
                    "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "2"}
        self.python = next((p for p in (sys.executable, "/usr/bin/python3") if subprocess.run(
            [p, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0), None)
        if not self.python:
            print("python: python3-numpy is missing")
            sys.exit(77)

    def batch(self, first, count):
        """Runs some cases; the number of the one after the last that ran."""
        argv = [self.python, os.path.abspath(__file__), "--child", self.part.seed, str(first), str(count)]
        with tempfile.TemporaryFile(dir=self.part.dir) as out, tempfile.TemporaryFile(dir=self.part.dir) as err:
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=self.part.dir, env=self.env,
                                  check=False)
            out.seek(0)
            err.seek(0)
            lines, said = out.read().decode("utf-8", "replace").splitlines(), err.read()
        case, call = first, ""
        for line in lines:
            word, _, rest = line.partition(" ")
            if word == "case":
                case, call = int(rest.split()[0]), rest
            elif word == "call":
                call = rest
            elif word == "finding":
                self.part.finding(case, f"{call}: {rest}")
        if done.returncode:
            kind = "does not end" if b"Timeout (" in said else f"ends Python, status {done.returncode}"
            self.part.finding(case, f"{call}: {kind}", common.Outcome(argv, done.returncode, b"", said, None))
        return case + 1 if lines else first + count


def main():
    if sys.argv[1:2] == ["--child"]:
        make_child()(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        return
    part = common.Part("python", __doc__)
    calls = Calls(part)
    if part.only is not None:
        calls.batch(part.only, 1)
        part.count = 1
        part.finish()
    done = 0
    while not done or not (done >= part.most if part.most else part.out_of_time()):
        done = calls.batch(done, min(BATCH, part.most - done) if part.most else BATCH)
        part.count = 0 if part.most else done
    part.count = done
    part.finish()


main()
