"""Random specs and options: every network, routing, traffic, method and fault that `bough list` names, every parameter,
with values at the ends of its range, beyond them, and of no sense. Nothing may crash; what is refused is refused in
one line. Sizes are small, so that a run takes milliseconds; a run that does not end is a finding unless it said that
it takes long or much memory."""

import os
import re

from common import Part

SANITIZED = True

ODD = ["", "0", "1", "2", "-1", "-0", "+3", "nan", "inf", "-inf", "1e308", "1e-308", "1e999", "0x10", "2^63", "2^64",
       "2^-1", "9223372036854775807", "9223372036854775808", "18446744073709551616", "4294967295", "4294967296",
       "2147483648", "65536", "3.5", "1/0", "50%", "-5%", "1,2", "1x2", "0x0", "x", "16x", "1x1x1x1x1x1x1x1x1x1x1",
       "\"", "'", "\"a\"", "\"a,b=c\"", "=", ":", ",", "a=b", " ", "\t", "\n", "é", "\xff", "%s%n", "-", "--", ".", "/",
       "/dev/null", "/nonexistent", "a" * 300, "1" * 400, "[1,2]", "{n}", "..", "1..9", "1GB", "1Gb/s", "1e30s", "5ms"]
TAME = {"whole number": ["0", "1", "2", "3", "4", "8"], "0 or 1": ["0", "1"], "number": ["0.1", "0.5", "1", "2"],
        "share": ["0", "0.1", "50%", "1"], "bytes": ["64B", "1kB"], "time": ["1us", "5ns", "0ps"],
        "rate": ["1Gb/s", "100Gb/s"], "list": ["4x4", "2x2", "1x2"]}
SMALL = ["1", "2", "3", "4", "5", "8", "16", "7", "0.1", "0.5", "4x4", "2x2x2", "1x2", "64B", "1kB", "1us", "1Gb/s"]
# for a small question; those of networks always, for a network of its usual size takes seconds
NEED = {"halo": "dims=2x2", "poisson": "load=0.05,flits=4", "bernoulli": "load=0.05,flits=4"}
NEED_NETWORK = {"fattree": "n=16", "bft": "n=16", "pruned": "n=16", "butterfly": "n=16", "sorting": "n=1024", "meshoftrees": "n=4",
                "cube": "n=16", "mesh": "dims=4x3", "torus": "dims=4x3", "transit": "n=64", "xgft": "down=4x4,up=1x2", "kary": "k=2,levels=3", "clos": "radix=8,hosts=32"}
NETWORKS = ["fattree:n=16", "xgft:down=4x4,up=1x2", "xgft:down=2x2x2,up=1x2x2,links=1x1x2", "bft:n=16", "cube:n=16",
            "mesh:dims=4x4", "torus:dims=4x4,classes=2", "pruned:n=16", "butterfly:n=16", "kary:k=2,levels=3", "clos:radix=8,hosts=32"]
SAME = {"poisson": ["rate", "relload"], "bernoulli": ["rate", "relload"]}  # say the same as what is given
ROUTINGS = ["random", "first", "least", "hash", "dmodk", "smodk", "updn", "minhop", "valiant"]
# traffics and the methods that take them
TOGETHER = [
    ("uniform shift transpose bitrev bitcomp shuffle tornado neighbor randperm hotspot incast alltoall hrelation local",
     "circuit packet flow linkload offline online bins collision bound atbound locality blocking worm"),
    ("poisson bernoulli", "worm packet queueing"),
    ("allreduce allgather reducescatter broadcast reduce barrier halo alltoall", "loggops flow linkload packet worm"),
    ("uniform", "connectivity adversary channels parts flight layout collision"),
]
# parameters whose large values ask for long runs, which are no errors
SLOW = {"trials", "limit", "messages", "rounds", "n", "dims", "down", "k", "levels", "radix", "hosts", "h", "warmup", "ranks"}


def listed(part, kind):
    """{name: [(parameter, choices, ends of its range, type)]} of `bough list KIND`."""
    names = {}
    for line in part.run(["list", kind]).out.decode("utf-8", "replace").splitlines():
        match = re.match(r"  (\S+)  ", line)
        if match:
            names[match.group(1)] = []
    for name in names:
        for line in part.run(["list", name]).out.decode("utf-8", "replace").splitlines():
            match = re.match(r"    (\w+)  +.*\[(.*)\]", line)
            if match:
                choices = re.findall(r"[a-z][\w-]*(?=\|)|(?<=\|)[\w-]+", match.group(2))
                ends = re.findall(r"-?\d[\w.^]*", match.group(2))
                kind = match.group(2).split(",")[0]
                names[name].append((match.group(1), choices, ends, kind))
    return names


def value(rng, name, choices, ends, kind, wild):
    roll = rng.random()
    if choices and (roll < 0.5 or not wild):
        return rng.choice(choices)
    if not wild and ends and roll < 0.2 and name not in SLOW:
        return rng.choice(ends)
    if not wild or roll < 0.5:
        return rng.choice(TAME.get(kind, SMALL))
    if roll < 0.7:
        return rng.choice(SMALL)
    if ends and roll < 0.8 and name not in SLOW:
        return rng.choice(ends)
    return rng.choice(ODD)


def spec(rng, names, wild, name=None, depth=0):
    """Of a random name, or of this one; wild: any value, else mostly those that its parameters take."""
    name = name or rng.choice(sorted(names))
    need = NEED_NETWORK.get(name) or (NEED.get(name) if not wild or rng.random() < 0.7 else None)
    args = need.split(",") if need else []
    given = {arg.split("=")[0] for arg in args}
    free = [p for p in names[name] if wild or (p[0] not in given and p[3] != "text" and p[0] not in SAME.get(name, ""))]
    for key, choices, ends, kind in rng.sample(free, min(len(free), rng.choice([0, 0, 1, 1, 2, 3]))):
        text = value(rng, key, choices, ends, kind, wild)
        if wild and depth < 2 and rng.random() < 0.1:
            text = '"%s"' % spec(rng, names, wild, None, depth + 1).replace('"', '""')
        args.append(f"{key}={text}" if not wild or rng.random() < 0.8 else text)
    text = name + (":" + ",".join(args) if args else "")
    if wild and rng.random() < 0.1:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(ODD) + text[at + rng.randrange(3):]
    return text.replace("\0", "")


def question(rng, known, wild):
    """Network, traffic, methods: of things that go together, unless wild."""
    if wild:
        return (spec(rng, known["families"], wild), spec(rng, known["traffic"], wild),
                [spec(rng, known["methods"], wild) for _ in range(rng.choice([1, 1, 2]))])
    traffics, methods = rng.choice(TOGETHER)
    of = lambda kind, name: spec(rng, known[kind], rng.random() < 0.15, name)
    return (rng.choice(NETWORKS), of("traffic", rng.choice(traffics.split())),
            [of("methods", m) for m in rng.sample(methods.split(), rng.choice([1, 1, 2]))])


def words(rng, known):
    wild = rng.random() < 0.35
    network, traffic, methods = question(rng, known, wild)
    pick = known["routings"] if wild else {n: known["routings"][n] for n in ROUTINGS if n in known["routings"]}
    routing = ["--routing", spec(rng, pick, wild)] if rng.random() < 0.4 else []
    faults = ["--faults", spec(rng, known["faults"], wild)] if rng.random() < (0.3 if wild else 0.08) else []
    verb = rng.choice(["sim"] * 8 + ["net", "plan", "run", "run", "check"])
    odd = ODD if wild else ["2", "3"]
    if verb == "sim":
        effort = rng.choice([["--trials", "2"]] * 6 + [["--trials", rng.choice(odd)],
                                                       ["--precision", rng.choice(odd + ["5%"]), "--trials", "3"]])
        extra = rng.choice([[]] * 6 + [["--seed", rng.choice(odd)], ["--threads", rng.choice(["1", "2", *odd[:3]])],
                                       ["--json"], ["--csv"]])
        return ["sim", network, traffic, *methods, *routing, *faults, *effort, *extra], b""
    if verb == "net":
        extra = rng.choice([[], ["--json"], ["--check"], ["-o", rng.choice(["o.net", "o.dot", "o.svg", "o.csv", "o.lfts",
                                                                         "o.json", "o.xml", "o.gltf", "o.zip", "o."])]])
        return ["net", network, *routing, *faults, *extra], b""
    if verb == "plan":
        given = {"hosts": rng.choice(["20", "100", "17"]), "radix": rng.choice(["4", "8", "6"])}
        for key in rng.sample(["hosts", "radix", "taper", "levels", "limit", "prices"], rng.choice([0, 1, 2])):
            given[key] = rng.choice(SMALL + odd)
        return ["plan", *[w for key in given for w in ("--" + key, given[key])]], b""
    if verb == "check":
        return ["check", network, *routing, *faults], b""
    axis = rng.choice(["n", "m", "load"])
    grid = rng.choice(SMALL + odd + ["1..3", "1..9 step 2", "2^1..2^3 times 2", "[1, 2]"])
    quoted = [text.replace("'", "''") for text in (network, traffic, *methods)]
    study = (f"network: '{quoted[0]}'\ntraffic: '{quoted[1]}'\nmethods: ['{quoted[2]}']\n"
             f"grid:\n  - {axis}: {grid}\ntrials: {rng.choice(['2'] * 5 + odd)}\n")
    return ["run", "-", "--dry-run"], study.encode("utf-8", "surrogatepass")


def searches(argv):
    """It is asked for a saturation: many simulations, which take as long as they take."""
    return any("find=saturation" in word for word in argv)


def asked_for_long(outcome):
    """It said that it takes much, or was to search for a saturation."""
    return b"of memory" in outcome.err or searches(outcome.argv)


def main():
    part = Part("specs", __doc__)
    known = {kind: listed(part, kind) for kind in ("families", "routings", "traffic", "methods", "faults")}
    for kind, names in known.items():
        if not names:
            part.finding(0, f"`bough list {kind}` names nothing")
            part.finish()
    for number, rng in part.cases():
        argv, stdin = words(rng, known)
        outcome = part.run([a.encode("utf-8", "surrogateescape").decode("utf-8", "ignore") for a in argv], stdin=stdin,
                           timeout=4 if searches(argv) else 40 if part.sanitized else 15)
        if outcome.code is None and asked_for_long(outcome):
            continue
        path = os.path.join(part.dir, "study.yaml")
        if stdin:
            with open(path, "wb") as file:
                file.write(stdin)
        part.check(number, outcome, [path] if stdin else [])
    part.finish()


main()
