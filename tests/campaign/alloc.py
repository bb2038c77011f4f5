"""Lets allocations of the command fail, one or all from one on, and looks at how it ends.

A command is run once as it is. Then, with tests/campaign/fail_alloc.c preloaded, its K-th allocation fails, for drawn K. It
must end with exit status 1, nothing on standard output (or all, where only a file could not be written), and a line
`bough: ...` about memory on standard error; or, where the allocation is one that it can do without (a buffer of the C library, large pages, scratch space of qsort), in exactly the
same way as before. Files are whole or absent, and nothing else stays; a study that stopped goes on to the same results.

One library ends the process by itself: libgomp, where it has no memory for threads or their shares of a loop, prints
`libgomp: ...` and exits with 1. That is accepted; the rules about output and files hold there too.
"""

import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from common import Part

EACH = 12  # cases in a row take the same command
SLOW = 1.5  # seconds; a drawn command that takes longer is not used
MEMORY = re.compile(r"out of memory|cannot allocate memory", re.I)
STORE = ("results.sqlite", "results.sqlite-wal", "results.sqlite-shm", "results.sqlite-journal", "results.lock")
NO_IMPORT = re.compile(r"^(README\.md|make)$|\.(tar(\.gz)?|zip|xz|zst|bz2)$")  # libarchive ends the process where memory fails
ESTIMATE = re.compile(rb"^time +about .*$", re.M)  # of run --dry-run: differs from run to run

STUDY = """study: Small
network: fattree:n={n}
traffic: uniform:m={m}
methods: ["circuit:mode=rounds", bins, collision]
grid:
  - n: [8, 16]
  - m: [n/8, n]
trials: 3
compare: yes
plot: {x: n, xscale: log2, y: rounds, series: m}
"""
WIDE = """study: Wide
network: xgft:down=4x{k},up=1x2
routing: [random, dmodk]
traffic: shift:k={s}
methods: [linkload, flow, "data:file=DATA"]
faults: "cables:count=1,mode=rerouted"
grid:
  - k: [2, 3]
  - s: [1, 2]
only: s <= k
precision: 20%
plot: {y: link_load_max, completion_time}
"""
FILES = {
    "study.yaml": STUDY,
    "messages.csv": "source,destination\n0,1\n1,2\n2,0\n",
    "two.goal": "num_ranks 2\nrank 0 {\nl1: send 50b to 1 tag 3\n}\nrank 1 {\nl1: recv 50b from 0 tag 3\n"
                "l2: calc 7\nl2 requires l1\n}\n",
    "two.jobs": 'name,traffic,hosts,place\na,"alltoall:shift",4,linear\nb,"allreduce:ring",3,random\n',
    "two.cm": "Nodes 2\nConnections 1\n0->1 start 0 size 5000\n",
    "two.flows": "1\n0 1 3 100 5000 2\n",
    "two.matrix": "0 5\n7 0\n",
    "data.csv": "metric,value,index\nlink_load_max,3,\nrounds,4,\n",
    "broken.yaml": "study: [x\n",
    "bad.goal": "num_ranks 2\nrank 0 {\nl1: send 50b to\n}\n",
    "ports.txt": "# Port counters: Lid 1 port 1\nPortXmitData:...5\nSymbolErrorCounter:...2\n"
                 "# Port counters: Lid 999 port 1\nPortXmitData:...5\n",
    "ports.prom": 'node_infiniband_port_data_transmitted_bytes_total{device="x",instance="node001",port="1"} 5\n'
                  'node_infiniband_port_data_transmitted_bytes_total{device="x",instance="node999",port="1"} 5\n',
    "odd.csv": "node,port,node,port\nlea\xe9f,1,h\xe91,1\nlea\xe9f,2,h2,1\n",
}
NETWORKS = ["fattree:n=8", "xgft:down=4x2,up=1x2,links=1x2", "kary:k=2,levels=3", "clos:radix=8,hosts=16,taper=2", "bft:n=16",
            "pruned:n=16", "sorting:n=128", "cube:n=8", "transit:n=64", "meshoftrees:n=4", "ROOT/examples/ethernet/leaf-spine.csv",
            "ROOT/examples/fabric/cluster.ibnetdiscover", "IN/odd.csv"]
ROUTINGS = ["random", "first", "least", "hash", "dmodk", "smodk", "valiant", "bitfix", "minhop", "updn",
            "lft:ROOT/examples/fabric/cluster.ftree.lfts.gz"]
TRAFFIC = ["", "uniform", "shift", "transpose", "bitrev", "bitcomp", "shuffle", "tornado", "neighbor", "randperm", "hotspot",
           "incast", "alltoall", "messages:IN/messages.csv", "poisson:load=0.1", "poisson:relload=0.5,of=queueing",
           "bernoulli:load=0.1", "local:p=0.5", "hrelation", "motexp", "goal:IN/two.goal", "allreduce:tree,size=1kB",
           "allgather:size=100", "reducescatter:size=400kB,o=0ns,g=0ns", "broadcast:chain,size=1kB", "reduce:size=100",
           "barrier", "halo:2x2,size=1kB", "aicb:CORPUS/aicb", "simai:CORPUS/simai,ranks=8",
           "mpitrace:ROOT/examples/mpitrace", "chakra:ROOT/examples/chakra",
           "train:CORPUS/../fuzz_model/pipeline", "jobs:IN/two.jobs",
           "cm:IN/two.cm", "flows:IN/two.flows", "allreduce:algo=msccl:CORPUS/msccl", "matrix:IN/two.matrix", "alltoall:shift,size=1kB"]
METHODS = ["circuit", "circuit:mode=cycles", "circuit:mode=cycles,retry=round", "circuit:mode=cycles,same_path=1,jitter=3",
           "circuit:mode=cycles,blocked=wait", "circuit:mode=cycles,messages=100,warmup=100", "circuit:mode=attempt", "circuit:levels=1", "worm:messages=100,warmup=100",
           "worm:vcs=2,credit=1,messages=100,warmup=100", "worm:router=fast,vcs=2,messages=100,warmup=100",
           "worm:engine=generic,messages=100,warmup=100,levels=1,hot=2",
           "worm:deadlock=detect", "worm:messages=100,warmup=100,hot=2,levels=1", "packet:messages=100,warmup=100",
           "packet:queue=farthest,sets=1,orders=1", "packet:queue=random,verify=1", "flow", "flow:hot=2,levels=1",
           "flow:alone=1", "loggops", "sidetrack", "sidetrack:verify=1", "sortroute", "sortroute:verify=1,steps=1,area=1",
           "offline", "offline:verify=1,levels=1,area=1", "online", "online:area=1", "simulate:guest='fattree:n=8'",
           "bins", "bins:model=2", "collision", "bound", "queueing", "queueing:variant=finite,levels=1", "queueing:variant=distribution",
           "queueing:engine=generic,find=saturation", "blocking:levels=1,stages=1", "linkload",
           "linkload:levels=1,histogram=1,engine=generic", "connectivity", "adversary", "parts", "locality", "channels",
           "flight", "layout", "layout:kind=sorter", "atbound", "data:file=IN/data.csv"]
FAULTS = ["cables:share=10%", "links:count=1", "chips:count=1,mode=rerouted", "cables:count=2,mode=rerouted+links:count=1"]
# Where a name of the catalogue alone is no question: the parameters that it must have. Names that are nowhere above are
# used as they are.
GIVEN = {"hardest": "hardest:method=circuit,sets=3", "slowest": "slowest:budget=20,starts=2", "data": "data:file=IN/data.csv"}
FABRIC = "ROOT/examples/fabric/cluster"
CHECK = [
    [], ["--json"], ["--html", "page.html"], ["--worst", "--json"], ["--permutation", "worst.csv"],
    ["--faults", "each:cable"], ["--faults", "each:cable", "--json"], ["--faults", "each:switch", "--html", "page.html"],
    ["--faults", "links:share=0..10%", "--trials", "2", "--json"], ["--faults", "links:share=0..10% step 5%", "--trials", "2"],
    ["--faults", "cables:count=2,mode=rerouted", "--json"], ["--faults", "cables:count=1"],
    ["--job", "alltoall", "--json"], ["--job", "shift:1", "--job", "allreduce:ring,size=1kB", "--trials", "2"],
    ["--job", "randperm", "--trials", "2", "--html", "page.html"], ["--fail-on", "warn"], ["--endpoints", "s.*[0-4]", "--order", "name"],
]
RUN = [
    ["--out", "r"], ["--out", "r", "--json"], ["--out", "r", "--csv", "--figures", "figures"], ["--out", "r", "--plot"],
    ["--dry-run"], ["--dry-run", "--set", "n=[8,16,32]"], ["--out", "r", "--precision", "10%", "--trials", "6", "--set", "seed=7"],
]
STUDIES = [["strumpen2005/lemma1", "--out", "r"], ["dehon1991/table1", "--out", "r", "--csv"], ["bay1991/sorter", "--out", "r"],
           ["greenberg1997/levels", "--out", "r", "--plot"], ["valiant1982/steps", "--dry-run"], ["faults/degradation", "--dry-run"],
           ["strumpen2005/fig4", "--set", "n=[8,16]", "--out", "r", "--figures", "figures"]]
REPORT = [[], ["--json"], ["--csv"], ["--plot"], ["--plot", "--ascii"], ["--html", "page.html"], ["--figures", "figures"]]
VERBS = ("sim", "check", "net", "run", "import", "report", "other", "sim", "tune")
TUNE = [["--engine", "updn"], ["--engine", "ftree"], []]
OTHERS = [["list"], ["list", "--json"], ["--complete", "sim", "xgft:down=4,"], ["--complete", "sim", "bft", "al"],
          ["--complete", "sim", "--"], ["list", "methods"], ["list", "methods", "circuit"], ["list", "routings", "--for", "fattree:n=8", "--source"],
          ["list", "fattree"], ["list", "fatree"], ["plan", "--hosts", "64", "--radix", "8"],
          ["plan", "--hosts", "200", "--radix", "16", "--taper", "2", "--json"],
          ["plan", "--hosts", "100", "--radix", "12", "--prices", "ROOT/examples/prices.csv", "--levels", "3"],
          ["--help"], ["--version"], ["sim", "--help"], ["nosuch"], ["plan", "--hosts", "x"],
          ["sim", "--plugin", "PLUGINS/groups.so", "--plugin", "PLUGINS/opposite.so", "--plugin", "PLUGINS/spread.so",
           "groups:a=2,h=1", "opposite", "packet", "--routing", "spread", "--trials", "2"],
          ["sim", "--plugin", "PLUGINS/paths.so", "fattree:n=8", "shift", "paths", "--routing", "dmodk", "--json"],
          ["list", "--plugin", "PLUGINS/opposite.so", "opposite"], ["list", "--plugin", "PLUGINS/other_version.so"],
          ["run", "IN/broken.yaml"], ["sim", "fattree:n=8", "goal:IN/bad.goal", "loggops"], ["sim", "fattree:n=12", "bins"],
          ["sim", "fattree:n=8", "uniform", "circuit:mode=cycles,scenarios=1,history=1", "bound", "--trials", "40", "--quantiles", "rounds",
           "--quantiles", "attempts:50", "--above", "rounds:bound"],
          ["sim", "fattree:n=8"], ["sim", "fattree:n=8", "uniform:q=3", "circuit"], ["net", "fattree:n=8", "-o", "x.y"],
          ["run", "IN/study.yaml", "--set", "x=3"], ["report", "nosuch"]]


class Alloc(Part):
    def __init__(self):
        def options(parser):
            parser.add_argument("--words", type=shlex.split, help="of the one command to run, as in 'plan --hosts 8 --radix 4';"
                                " then every allocation fails once, case K is allocation K / 2 + 1")

        super().__init__("alloc", __doc__.splitlines()[0], options)
        self.library = os.path.join(os.path.dirname(self.bough), "libfault_alloc.so")
        if not os.path.exists(self.library):
            print(f"alloc: {self.library} is missing (build the target fault_alloc)")
            sys.exit(77)
        self.catalogue()
        self.input = os.path.join(self.dir, "in")
        os.mkdir(self.input)
        for name, text in FILES.items():
            self.put(name, text)
        self.put("wide.yaml", WIDE.replace("DATA", self.place("IN/data.csv")))
        fabric = open(self.place("ROOT/examples/fabric/cluster.ibnetdiscover"), encoding="latin-1").read()
        self.put("renamed.ibnetdiscover", fabric.replace("node084", "login1"))
        for study in ("study", "wide"):
            self.run(["run", f"{self.input}/{study}.yaml", "--out", f"{self.input}/{study}"])

    def catalogue(self):
        """The specs and formats to draw from: every name of `bough list` is in one, whoever added it; and all files to read."""
        listed = json.loads(self.run(["list", "--json"]).out)

        def whole(specs, names):
            used = {spec.split(":")[0] for spec in specs}
            return specs + [GIVEN.get(entry["name"], entry["name"]) for entry in names if entry["name"] not in used]

        self.networks, self.routings = whole(NETWORKS, listed["families"]), whole(ROUTINGS, listed["routings"])
        self.traffic, self.methods = whole(TRAFFIC, listed["traffic"]), whole(METHODS, listed["methods"])
        self.faults = FAULTS + [f"{entry['name']}:count=1" for entry in listed["faults"]]
        self.endings = [entry["name"] for entry in listed["formats"] if re.search("export|drawing", entry["use"])]
        folders = ("tests/fuzz/corpus/fuzz_import", "tests/fuzz/corpus/fuzz_fabric", "examples/fabric", "examples/ethernet")
        self.imports = [os.path.join(folder, name) for folder in folders
                        for name in sorted(os.listdir(os.path.join(self.root, folder))) if not NO_IMPORT.search(name)]
        self.recorded = ["otf2:ROOT/examples/otf2/traces.otf2", "chakra:ROOT/examples/chakra", "mpitrace:ROOT/examples/mpitrace"]

    def put(self, name, text):
        with open(os.path.join(self.input, name), "w", encoding="latin-1") as file:
            file.write(text)

    def place(self, word):
        corpus = os.path.join(self.root, "tests/fuzz/corpus/fuzz_training")
        plugins = os.path.join(os.path.dirname(self.bough), "plugins")
        return word.replace("PLUGINS", plugins).replace("ROOT", self.root).replace("IN/", self.input + "/").replace("CORPUS", corpus)

    # ---- commands ----

    def draw(self, turn, random):
        verb = VERBS[turn % len(VERBS)]
        words = getattr(self, "draw_" + verb)(random)
        return [self.place(w) for w in words if w]

    def draw_sim(self, random):
        words = ["sim", random.choice(self.networks), random.choice(self.traffic), random.choice(self.methods)]
        words += [random.choice(self.methods)] if random.random() < 0.2 else []
        words += ["--routing", random.choice(self.routings)] if random.random() < 0.5 else []
        words += ["--faults", random.choice(self.faults)] if random.random() < 0.15 else []
        words += random.choice((["--trials", "3"], ["--trials", "3", "--threads", "2"], ["--precision", "20%", "--trials", "9"]))
        return words + random.choice(([], ["--json"], ["--csv"]))

    def draw_net(self, random):
        words = ["net", random.choice(self.networks)]
        words += ["--faults", random.choice(self.faults)] if random.random() < 0.2 else []
        how = random.choice(("text", "json", "file", "file", "file", "check"))
        if how == "file":
            ending = random.choice(self.endings)
            words += ["-o", "x." + ending]
            if ending in ("svg", "lfts", "xml") and random.random() < 0.7:
                words += ["--routing", random.choice(self.routings)]
        return words + {"json": ["--json"], "check": ["--check"]}.get(how, [])

    def draw_import(self, random):
        if random.random() < 0.2:
            return ["sim", "fattree:n=8", random.choice(self.recorded), "loggops", "--trials", "1"]
        return [random.choice(("net", "check")), "ROOT/" + random.choice(self.imports), "--json"]

    def draw_tune(self, random):
        return ["tune", FABRIC + ".ibnetdiscover", "--effort", "0.01", "-o", "x.lfts", *random.choice(TUNE)]

    def draw_check(self, random):
        words = ["check", random.choice((FABRIC + ".ibnetdiscover", FABRIC + ".ibnetdiscover",
                                         "ROOT/examples/ethernet/leaf-spine.csv", "xgft:down=4x4,up=1x2", "IN/odd.csv"))]
        own = words[1].endswith("ibnetdiscover")
        for routing in random.choice(([], [None], ["updn"], ["hash"], ["minhop", "dmodk"], [None, "updn"])):
            words += ["--routing", routing] if routing or not own else ["--lft", FABRIC + ".ftree.lfts.gz"]
        if None in words:
            words = words[:2]
        extra = list(random.choice(CHECK))
        if own and random.random() < 0.15:
            words += ["--against", "IN/renamed.ibnetdiscover"]
            extra += ["--against-lft", FABRIC + ".updn.lfts.gz"] if "--lft" in words else []
        if own and random.random() < 0.15:
            extra += ["--counters", random.choice(("IN/ports.txt", "IN/ports.prom"))]
        return words + extra + ([] if "--trials" in extra else ["--trials", "2"])

    def draw_run(self, random):
        if random.random() < 0.2:
            return ["run", *random.choice(STUDIES), "--trials", "1"]
        return ["run", random.choice(("IN/study.yaml", "IN/wide.yaml")), *random.choice(RUN)]

    def draw_report(self, random):
        return ["report", random.choice(("IN/study", "IN/wide")), *random.choice(REPORT)]

    def draw_other(self, random):
        return random.choice(OTHERS)

    # ---- runs ----

    def start(self, words, env):
        """Outcome and files of a run in an empty directory."""
        with tempfile.TemporaryDirectory(dir=self.dir) as place:
            return self.run_in(place, words, env)

    def run_in(self, place, words, env):
        gnuplot = {"PATH": "/nonexistent"}  # figures without gnuplot, whose PDF files hold the time
        outcome = self.run(words, env={"OMP_NUM_THREADS": "1", **gnuplot, **env}, cwd=place, timeout=20)
        outcome.out = ESTIMATE.sub(b"time", outcome.out)
        files = {}
        for folder, _, names in os.walk(place):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    files[os.path.relpath(path, place)] = file.read()
        return outcome, files

    def baseline(self, turn, random, threads):
        """Words, outcome, files, and how many allocations there are."""
        count = os.path.join(self.dir, "count")
        while True:
            words = [self.place(w) for w in self.args.words] if self.args.words else self.draw(turn, random)
            env = {"LD_PRELOAD": self.library, "BOUGH_FAIL_COUNT": count, "OMP_NUM_THREADS": threads}
            outcome, files = self.start(words, env)
            refused = outcome.code == 2 and b"bough: no " not in outcome.err and random.random() < 0.9
            if outcome.code is None or outcome.code not in (0, 2, 3) or (refused and not self.args.words):
                continue
            begin = os.times().elapsed
            again = self.start(words, env)
            if os.times().elapsed - begin > SLOW and not self.args.words:
                continue
            same = {name for name in files if again[1].get(name) == files[name]}
            return words, outcome, files, same, int(open(count).read())

    # ---- rules ----

    def broken(self, base, outcome, files):
        """The first rule that a run with a failed allocation breaks; None where it obeys."""
        _, plain, whole, same, _ = base
        fault = self.fault(outcome) if outcome.code != 3 else None
        err = [line for line in outcome.err.decode("utf-8", "replace").splitlines() if line]
        gomp = outcome.code == 1 and any(line.startswith("libgomp: ") for line in err)
        if fault and not gomp:
            return fault
        for name in files:
            if name not in whole and os.path.basename(name) not in STORE:
                return f"leaves {name}"
            if name in same and files[name] != whole[name] and os.path.basename(name) not in STORE:
                return f"{name} is not whole"
        if outcome.code == plain.code and (outcome.code != 1):
            if outcome.out != plain.out:
                return "exits as before with other output"
            if sorted(files) != sorted(whole):
                return "exits as before with other files"
            if outcome.err != plain.err:
                return "exits as before with other words on standard error"
            return None
        if outcome.code != 1:
            return f"exit status {outcome.code} instead of 1"
        if outcome.out not in (b"", plain.out):
            return "fails after it printed a part"
        if not gomp and not (err and MEMORY.search(err[-1])):
            return "the last line does not say that memory ran out"
        known = plain.err.decode("utf-8", "replace").splitlines()
        if [line for line in err[:-1] if line not in known and not line.startswith("libgomp:")]:
            return "more than one line"
        return None

    def resumes(self, base, place):
        """What is wrong with a second run in the same place, with all its memory; None where it is as if nothing happened."""
        words, plain, whole, same, _ = base
        for folder, _, names in os.walk(place):
            if "results.sqlite" in names:
                store = sqlite3.connect(os.path.join(folder, "results.sqlite"))
                if store.execute("pragma integrity_check").fetchall() != [("ok",)]:
                    return "the store is damaged"
                store.close()
        outcome, files = self.run_in(place, words, {})
        if outcome.code != plain.code or outcome.out != plain.out:
            return "the next run does not go on: " + outcome.err.decode("utf-8", "replace")
        if any(files.get(name) != whole[name] for name in same if os.path.basename(name) not in STORE):
            return "the next run has other files"
        return None

    def stack(self, outcome, place):
        """Where the allocation was asked for: the functions of the command, the innermost first."""
        shown, _ = self.run_in(place, outcome.argv[1:], {**outcome.env, "BOUGH_FAIL_SHOW": "1"})
        at = re.findall(re.escape(self.bough) + r"\(\+(0x[0-9a-f]+)\)", shown.err.decode("utf-8", "replace"))
        if not at or not shutil.which("addr2line"):
            return ""
        said = subprocess.run(["addr2line", "-fs", "-e", self.bough, *at], capture_output=True, text=True).stdout.split("\n")
        return " < ".join(f"{f} ({line})" for f, line in zip(said[0::2], said[1::2]) if f != "??")

    def one(self, number, base, at, mode, threads):
        env = {"LD_PRELOAD": self.library, "BOUGH_FAIL_AT": str(at), "BOUGH_FAIL_MODE": mode, "OMP_NUM_THREADS": threads,
               "MALLOC_PERTURB_": "173"}  # what is freed, and what was never set, is seen to be wrong
        with tempfile.TemporaryDirectory(dir=self.dir) as place:
            outcome, files = self.run_in(place, base[0], env)
            reason = self.broken(base, outcome, files)
            if not reason and base[0][0] == "run" and outcome.code == 1:
                reason = self.resumes(base, place)
            if reason:
                with tempfile.TemporaryDirectory(dir=self.dir) as other:
                    reason += f" (allocation {at} of {base[4]}, {mode})\n  asked for by: {self.stack(outcome, other)}"
                self.finding(number, reason, outcome)


def main():
    part = Alloc()
    each = sys.maxsize if part.args.words else EACH
    group, base = None, None
    for number, random in part.cases():
        if number // each != group:
            group = number // each
            own = type(random)(f"{part.seed}/alloc/group {group}")
            threads = own.choice(("1", "1", "1", "2"))
            base = part.baseline(group, own, threads)
            if part.args.words:
                part.most = min(2 * base[4], part.most or sys.maxsize)
        total, step = max(1, base[4]), number % each
        if 2 * total <= each:
            at, mode = step // 2 % total + 1, ("one", "rest")[step % 2]
        else:
            at, mode = random.randint(1, total), random.choice(("one", "rest"))
        part.one(number, base, at, mode, threads)
    part.finish()


if __name__ == "__main__":
    main()
