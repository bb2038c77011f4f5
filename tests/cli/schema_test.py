#!/usr/bin/env python3
"""All JSON of bough against docs/schema/bough-2.schema.json.

    tests/cli/schema_test.py BOUGH ROOT

Every kind of output is validated against its own definition and against the whole schema. Three more rules keep the
schema honest: no key stands twice in an object; every key of the schema occurs in some output here; and an output with
one more key, or with one key less that is required, is not valid. Skipped (77) without python3-jsonschema."""
import copy
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
    VALIDATOR = jsonschema.Draft202012Validator
except (ImportError, AttributeError):
    print("python3-jsonschema is missing")
    sys.exit(77)

BOUGH, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
FABRIC = os.path.join(ROOT, "examples/fabric/cluster.ibnetdiscover")
FTREE, UPDN = (os.path.join(ROOT, f"examples/fabric/cluster.{name}.lfts.gz") for name in ("ftree", "updn"))
PRICES = os.path.join(ROOT, "examples/prices.csv")
SPINE = "name:core#1-spine"

STUDY = """study: Schema
network: "fattree:n={n}"
routing: [random, dmodk]
traffic: randperm
methods: ["circuit:mode={mode}", linkload]
grid:
  - n: [8, 16]
  - mode: [attempt, rounds]
trials: 3
seed: 1
"""
LOADS = """study: Loads
network: "bft:n=16"
traffic: "poisson:relload={load},of=queueing,flits=3"
methods: [queueing, worm]
grid:
  - load: [0.1, 0.2]
precision: 5%
trials: 64
seed: 1
"""
LINES = """study: Lines
network: "fattree:n={n}"
traffic: uniform
methods: [circuit, "circuit:mode=cycles"]
grid:
  - n: [8, 16]
trials: 3
plot: {x: n, xscale: log2, yscale: linear, y: [rounds, norm_cycles], overlay: true, series: method, facet: traffic,
       bars: minmax, ratio: [mean, max], curves: {lg n: lg(n)}, verticals: {here: 3*n/n}, title: Circuits,
       xlabel: Endpoints, ylabel: Time, labels: {"circuit:mode=rounds": one by one}, order: [norm_cycles, one by one], size: 9x6, font: 8}
"""
METRIC_X = """study: A metric as x
network: "pruned:n={n}"
traffic: bitrev
methods: ["offline:area=1"]
grid:
  - n: [16, 64]
plot: {x: area_grid, y: bit_steps, join: lower}
"""

SIM = [
    ["fattree:n=16", "uniform", "circuit:mode=rounds", "--trials", "5"],
    ["fattree:n=16", "uniform", "circuit:mode=rounds", "bins:model=1", "--trials", "5"],  # comparisons
    ["xgft:down=2,up=1", "allreduce:ring,size=2KiB", "flow", "data:measured.csv"],  # measured_gaps
    ["fattree:n=16", "uniform", "circuit", "bound", "--trials", "40", "--quantiles", "rounds:50,99", "--above", "rounds:bound",
     "--above", "rounds:2"],
    ["bft:n=16", "poisson:relload=0.5,flits=16", "queueing"],
    ["fattree:n=16", "randperm", "linkload", "circuit:mode=rounds", "--trials", "5", "--routing", "random", "--routing", "dmodk"],
    ["fattree:n=16", "shift", "linkload", "--routing", "dmodk", "--routing", "smodk"],  # exact ones
    ["xgft:down=8x8,up=1x4", f"jobs:{ROOT}/examples/jobs.csv", "flow:alone=1", "--routing", "dmodk"],  # names of indices
    ["xgft:down=4x4,up=1x2", "allreduce:algo=nccl,size=1MB", "flow:critical=1", "--physical", "ndr:node=dgx-h100"],
    ["fattree:n=16", "randperm", "linkload", "--trials", "1"],  # ci95 is null
    ["bft:n=16", "poisson:load=0.1,flits=4", "queueing", "worm", "--trials", "2"],
    ["bft:n=16", "poisson:load=5,flits=4", "queueing", "--trials", "1"],  # saturated
    ["xgft:down=4x4,up=1x2", "allreduce:ring,size=1MB", "flow", "--routing", "dmodk"],  # a schedule
    ["xgft:down=4x4,up=1x2", "barrier", "flow", "loggops", "--physical", "ndr", "--routing", "dmodk"],
    ["xgft:down=4x4,up=1x2", "allreduce:ring,size=1MB,ranks=12", "flow", "--faults", "name:s1.1,mode=rerouted"],  # it hangs
    ["pruned:n=256", "layout:pitch=200nm"],  # no traffic
    ["transit:n=64", "randperm", "linkload", "--faults", "chips:share=5%", "--trials", "2"],
    ["xgft:down=4x4,up=1x2", "halo:dims=4x4,size=1MB,compute=1ms,jitter=lognormal:5%", "flow", "loggops", "--trials", "2", "--faults", "slow:hosts,count=1,rate=25%,compute=1.3"],
    ["fattree:n=16", "incast", "circuit", "bins", "--trials", "2"],  # a premise is broken
    [FABRIC, "shift:1", "linkload", "flow", "--routing", f"lft:file={FTREE}", "--routing", "random"],
]

CHECK = [
    [],
    ["--lft", FTREE, "--lft", UPDN, "--worst"],
    ["--lft", FTREE, "--trials", "1"],
    ["--lft", FTREE, "--trials", "0"],
    ["--lft", FTREE, "--lft", UPDN, "--faults", "each:cable", "--faults", "each:switch,of=spine"],
    ["--faults", "links:share=0..10% step 5%", "--trials", "3"],
    ["--lft", FTREE, "--faults", "cables:share=0..5% step 5%", "--trials", "1"],
    ["--lft", FTREE, "--faults", SPINE],
    ["--lft", FTREE, "--adaptive", "minimal", "--adaptive", "same-switch", "--faults", "each:switch,of=spine", "--trials", "1"],
    ["--lft", FTREE, "--job", "shift:1", "--job", "alltoall:shift,size=1MB"],
    ["--lft", FTREE, "--lft", UPDN, "--routing", "hash", "--job", "randperm", "--trials", "6"],
    ["--lft", "half.lfts", "--lft", UPDN, "--job", "broadcast:binomial"],
    ["--lft", "half.lfts", "--worst"],
    ["--lft", "half.lfts", "--place", "node[001-004,013]", "--job", "shift:1", "--slurm", "half.conf"],
    ["--place", "3", "--busy", "node[001-050]"],
    ["--lft", FTREE, "--against", "older", "--against-lft", UPDN],
    ["--routing", "updn", "--against", "older"],
    ["--against", "older"],
    ["--lft", FTREE, "--against", "older"],  # not compared
    ["--expect", "older", "--trials", "0"],
    ["--expect", "xgft:down=12x8,up=1x4,links=1x2", "--trials", "0"],
    ["--expect", "regular", "--trials", "0"],
]
CHECK_SPECS = [["fattree:n=8"], ["kary:k=1,levels=1"], ["xgft:down=4x4,up=1x2", "--routing", "dmodk", "--routing", "random", "--worst"],
               ["fattree:n=8", "--faults", "links:share=20%"], ["spine.csv", "--routing", "updn"],
               ["ring.csv", "--routing", "minhop"], ["planes.csv", "--trials", "1"],
               ["tiny", "--counters", "tiny.before", "--counters", "tiny.after", "--interval", "5", "--trials", "0"],
               ["tiny", "--counters", "tiny.after", "--job", "shift:1", "--trials", "1"],
               ["clos:radix=32,hosts=12800", "--routing", "dmodk", "--trials", "0"]]

# two switches with two hosts each; between the counters one link was busy, one idle, one waited and one had errors
TINY = ""
for switch, other, hosts in (("a0", "b0", "12"), ("b0", "a0", "34")):
    TINY += f'Switch\t4 "S-00000000000000{switch}"\t# "{switch}" base port 0 lid {16 + int(switch[0], 16)} lmc 0\n'
    TINY += "".join(f'[{i}]\t"H-000000000000010{h}"[1](20{h})\t# "n{h} HCA-1" lid {h} 4xQDR\n' for i, h in enumerate(hosts, 1))
    TINY += f'[3]\t"S-00000000000000{other}"[3]\t# "{other}" lid {16 + int(other[0], 16)} 4xQDR\n\n'
for host, switch, port in (("1", "a0", 1), ("2", "a0", 2), ("3", "b0", 1), ("4", "b0", 2)):
    TINY += f'Ca\t1 "H-000000000000010{host}"\t# "n{host} HCA-1"\n'
    TINY += f'[1](20{host})\t"S-00000000000000{switch}"[{port}]\t# lid {host} lmc 0 "{switch}" lid 26 4xQDR\n\n'


def counters(words):
    """Output of perfquery: counters of the ports of switches (LIDs 26, 27) and hosts; words: of PortXmitData."""
    text = ""
    for i, (lid, port) in enumerate([(26, 1), (26, 2), (26, 3), (27, 1), (27, 2), (27, 3), (1, 1), (2, 1), (3, 1), (4, 1)]):
        text += f"# Port extended counters: Lid {lid} port {port} (CapMask: 0x5300 CapMask2: 0x0000002)\n"
        text += f"PortXmitData:....{words[i]}\nSymbolErrorCounter:....{words[i] % 3 // 2}\nPortXmitWait:....{words[i] % 5}\n"
    return text + "# Port counters: Lid 999 port 1 (CapMask: 0x1200)\nPortXmitData:....1\n"


# two leaves, a spine, and a second one with a host whose cable is slow; a third leaf with one cable
SPINE_WITH_HOST = ["node,port,node,port,rate", "host0,1,low,9,16Gb/s", "leaf3,1,high,9,32Gb/s"]
for leaf in (1, 2, 3):
    SPINE_WITH_HOST += [f"host{leaf}{host},1,leaf{leaf},{host + 4},32Gb/s" for host in (1, 2)]
for leaf in (1, 2):
    SPINE_WITH_HOST += [f"leaf{leaf},{port},{spine},{port + 2 * leaf},32Gb/s" for spine, port in (("low", 1), ("low", 2), ("high", 3))]

# two planes of a leaf and a spine; of three hosts one has a port in the first only
PLANES = ["node,port,node,port,rate"]
for plane in (0, 1):
    PLANES += [f"leaf{plane},9,spine{plane},1,32Gb/s", f"leaf{plane},8,spine{plane},2,32Gb/s"]
    PLANES += [f"host{i} mlx5_{plane},1,leaf{plane},{i + 1},32Gb/s" for i in range(3 - plane)]

PLAN = [["--hosts", "100", "--radix", "8"], ["--hosts", "1000", "--radix", "36", "--taper", "2", "--prices", PRICES, "--limit", "3"],
        ["--hosts", "32", "--radix", "8", "--taper", "4", "--job", "alltoall:shift,size=1MB"]]
TUNE = [[FABRIC], [FABRIC, "--lft", FTREE, "--for", "shifts"], ["xgft:down=4x4,up=1x2", "--faults", "cables:share=5%"],
        ["xgft:down=4x4,up=1x2", "--job", "allreduce:ring,size=1MB"]]
NET = [["fattree:n=8"], ["bft:n=16"], [FABRIC], ["transit:n=64", "--faults", "chips:share=5%"], ["cube:n=16"]]

# five switches in a ring, with a host each: all paths are short, and depend on each other in a cycle
RING = ["node,port,node,port,rate"] + [f"host{i},1,switch{i},3,32Gb/s" for i in range(5)]
RING += [f"switch{i},1,switch{(i + 1) % 5},2,32Gb/s" for i in range(5)]


def fail(*what):
    print("FAILED:", *what)
    sys.exit(1)


def run(*words):
    ran = subprocess.run([BOUGH, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode:
        fail(" ".join(words), "->", ran.returncode, ran.stderr)
    return ran.stdout


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        fail("a key stands twice:", keys)
    return dict(pairs)


def no_constant(name):
    fail(name, "is no JSON")


def parse(text):
    return json.loads(text, object_pairs_hook=unique, parse_constant=no_constant)


def few(entries):
    """The first entries of each shape, so that trying every key of them does not take long."""
    seen, kept = set(), []
    for entry in entries:
        shape = tuple(sorted(entry))
        if shape not in seen:
            seen.add(shape)
            kept.append({**entry, "parameters": few(entry["parameters"])} if "parameters" in entry else entry)
    return kept


def outputs():
    """(kind, command line, document)"""
    everything = parse(run("list", "--json"))
    if next(VALIDATOR(json.load(open(os.path.join(ROOT, "docs/schema/bough-2.schema.json")))).iter_errors(everything), None):
        fail("list", [], "is not valid")
    commands = [{**command, "options": few(command["options"])} for command in everything["commands"]]
    short = {key: few(value) if isinstance(value, list) else value for key, value in everything.items()}
    questions = {kind: few(keys) for kind, keys in everything["questions"].items()}
    yield "list", [], {**short, "commands": commands, "questions": questions}
    for words in SIM:
        yield "point", words, parse(run("sim", *words, "--json"))
    for words in CHECK:
        yield "check", words, parse(run("check", FABRIC, *words, "--json"))
    for words in CHECK_SPECS:
        yield "check", words, parse(run("check", *words, "--json"))
    for words in PLAN:
        yield "plan", words, parse(run("plan", *words, "--json"))
    for words in (["--packaging", "transit", "--limit", "6"], ["--packaging", "transit", "--hosts", "64", "--fill", "9"]):
        yield "plan_stacks", words, parse(run("plan", *words, "--json"))
    for words in (*TUNE, [FABRIC, "--engine", "updn", "--effort", "0.05"]):
        yield "tune", words, parse(run("tune", *words, "--json"))
    with tempfile.NamedTemporaryFile("w", suffix=".ibnetdiscover") as two:  # a host has two LIDs
        two.write(open(FABRIC).read().replace("lid 107 ", "lid 108 ").replace("lid 108 lmc 0", "lid 108 lmc 1"))
        two.flush()
        yield "tune", ["--lmc", "1"], parse(run("tune", two.name, "--lmc", "1", "--effort", "0.05", "--json"))
    for words in NET:
        yield "net", words, parse(run("net", *words, "--json"))
        if "--faults" not in words:
            run("net", *words, "-o", "net.json")
            yield "export", words, parse(open("net.json", encoding="utf-8").read())
    for name in ("study", "loads", "lines", "metric_x"):
        yield "forecast", [name], parse(run("run", f"{name}.yaml", "--dry-run", "--json"))
        yield "study", [name], parse(run("run", f"{name}.yaml", "--out", name, "--json"))
        yield "study", [name, "report"], parse(run("report", name, "--json"))
        yield "study", [name, "file"], parse(open(f"{name}/results.json", encoding="utf-8").read())


def objects(value, path=()):
    """The path of every object in a document; of an array's elements only the first and the last."""
    if isinstance(value, dict):
        yield path
        for key, inner in value.items():
            yield from objects(inner, path + (key,))
    elif isinstance(value, list):
        for at in sorted({0, len(value) - 1}) if value else ():
            yield from objects(value[at], path + (at,))


def at(document, path):
    for step in path:
        document = document[step]
    return document


def definition(schema, node):
    return schema["$defs"][node["$ref"].split("/")[-1]] if "$ref" in node else None


def mark(schema, node, value, used):
    """Notes the properties of the schema that a valid value has, as (id of the properties, key)."""
    inner = [definition(schema, node), *node.get("allOf", ())]
    for choice in ("oneOf", "anyOf"):
        inner += [one for one in node.get(choice, ()) if VALIDATOR({**one, "$defs": schema["$defs"]}).is_valid(value)]
    for one in filter(None, inner):
        mark(schema, one, value, used)
    if isinstance(value, dict):
        properties = node.get("properties", {})
        for key in value.keys() & properties.keys():
            used.add((id(properties), key))
            mark(schema, properties[key], value[key], used)
    elif isinstance(value, list) and "items" in node:
        for one in value:
            mark(schema, node["items"], one, used)


def properties_of(node, path=()):
    """(path, properties) of everything in the schema that has some."""
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict):
            yield path, node["properties"]
        for key, inner in node.items():
            yield from properties_of(inner, path + (key,))
    elif isinstance(node, list):
        for i, inner in enumerate(node):
            yield from properties_of(inner, path + (i,))


def check_strict(kind, words, document, validator, done):
    """With a key more, or without one, a document is not valid; but for keys that are optional, whose list is short.
    done: the shapes of objects that were looked at."""
    listed = {"source", "aliases", "parameters", "pattern", "assumes", "headline_metric", "unit", "index", "use", "values", "min",
              "max", "choices", "commands", "takes", "letter", "argument", "list"}
    optional = {"file_hash", "endpoints_used", "faults", "index", "index_name", "ci95", "difference_ci95", "ratio_ci95", "notes", "assumptions", "physical", "comparisons", "measured_gaps", "link", "link_name", "link_use", "watch",
                "remarks", "without", "wiring_repaired", "failures", "degradation", "random_share", "jobs", "against", "slurm", "placements", "adaptive", "planes", "plane_scores", "given", "best", "note", "guid", "rate",
                "comparison", "premises", "quantiles", "above", "limit_method", "plot", "lines", "change", "counters", "expected", "engine", "job", "job_routing", "job_spray", "job_time", "job_time_ci95", "pareto", "lmc", "worst_permutation_least"}
    for path in objects(document):
        if path and path[-1] in ("axes", "hops", "assumes", "lines", "labels", "first_end", "second_end"):  # the names of their keys are data
            continue
        shape = kind, tuple(step for step in path if isinstance(step, str)), tuple(sorted(at(document, path)))
        if shape in done:
            continue
        done.add(shape)
        more = copy.deepcopy(document)
        at(more, path)["unheard_of"] = 1
        if validator.is_valid(more):
            fail(kind, words, "takes an unknown key in", path)
        for key in at(document, path):
            less = copy.deepcopy(document)
            del at(less, path)[key]
            if path != ("plot",) and key not in optional and not (kind == "list" and key in listed) and validator.is_valid(less):
                fail(kind, words, f"takes {path} without", key)


def main():
    with open(os.path.join(ROOT, "docs/schema/bough-2.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    VALIDATOR.check_schema(schema)
    whole = VALIDATOR(schema)
    of_kind = {ref["$ref"].split("/")[-1]: VALIDATOR({**ref, "$defs": schema["$defs"]}) for ref in schema["oneOf"]}

    with tempfile.TemporaryDirectory(prefix="bough-schema.") as folder:
        os.chdir(folder)
        with open("study.yaml", "w", encoding="utf-8") as file:
            file.write(STUDY)
        with open("loads.yaml", "w", encoding="utf-8") as file:
            file.write(LOADS)
        with open("lines.yaml", "w", encoding="utf-8") as file:
            file.write(LINES)
        with open("metric_x.yaml", "w", encoding="utf-8") as file:
            file.write(METRIC_X)
        # Tables without every seventh line; an older fabric in which two spines had other names and a cable was slower.
        lines = subprocess.run(["gzip", "-dc", FTREE], check=True, capture_output=True, text=True).stdout.splitlines(True)
        with open("half.lfts", "w", encoding="utf-8") as file:
            file.writelines(line for i, line in enumerate(lines) if i % 7 or not line.startswith("0x"))
        with open("half.conf", "w", encoding="utf-8") as file:
            file.write("SwitchName=a Nodes=node[001-012]\nSwitchName=b Nodes=node[013-020,999]\nSwitchName=c Switches=a,b\n")
        with open("spine.csv", "w", encoding="utf-8") as file:
            file.write("\n".join(SPINE_WITH_HOST) + "\n")
        with open("measured.csv", "w", encoding="utf-8") as file:
            file.write("metric,value\ncompletion_time,1\n")
        with open("planes.csv", "w", encoding="utf-8") as file:
            file.write("\n".join(PLANES) + "\n")
        with open("ring.csv", "w", encoding="utf-8") as file:
            file.write("\n".join(RING) + "\n")
        for name, text in (("tiny", TINY), ("tiny.before", counters([0] * 10)),
                           ("tiny.after", counters([300, 303, 900, 300, 0, 404, 300, 302, 300, 300]))):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        with open(FABRIC, encoding="utf-8") as old, open("older", "w", encoding="utf-8") as new:
            new.write(old.read().replace("core#1-spine", "core#7-spine"))

        used, strict, count = set(), {}, 0
        for kind, words, document in outputs():
            errors = sorted(of_kind[kind].iter_errors(document), key=lambda e: list(e.absolute_path))
            if errors:
                deep = jsonschema.exceptions.best_match(errors)
                fail(kind, words, "at", list(deep.absolute_path), deep.message[:300])
            mark(schema, {"$ref": kind}, document, used)
            size = len(json.dumps(document))
            if size < 30000:  # each kind's small ones, also against the whole schema
                if not whole.is_valid(document):
                    fail(kind, words, "is not exactly one of the kinds")
                strict.setdefault(kind, []).append((words, document))
            count += 1
        done = set()
        for kind, documents in strict.items():
            for words, document in documents:
                check_strict(kind, words, document, of_kind[kind], done)
        for path, properties in properties_of(schema["$defs"]):
            for key in properties:
                if (id(properties), key) not in used:
                    fail("no output here has", key, "of", "/".join(map(str, path)))
        if set(strict) != set(of_kind):
            fail("no small output of", set(of_kind) - set(strict))
        os.chdir(ROOT)
    print(f"{count} outputs are valid")


main()
