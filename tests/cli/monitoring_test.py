#!/usr/bin/env python3
"""What other tools read of a check: metrics of Prometheus (promtool, where it is installed), the line of a monitoring plugin,
Markdown (cmark-gfm, where it is installed).

    tests/cli/monitoring_test.py BOUGH ROOT"""
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BOUGH, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
FABRIC = os.path.join(ROOT, "examples/fabric/cluster.ibnetdiscover")
TABLES = os.path.join(ROOT, "examples/fabric/cluster.ftree.lfts.gz")
os.chdir(tempfile.mkdtemp())

# a name of a switch that every format has to escape, among two hosts
HOSTILE = 'a|b`c"d\\\\e*@me|#1='
with open("hostile.json", "w", encoding="utf-8") as file:
    json.dump({"nodes": [{"id": "h1", "kind": "host"}, {"id": "h2", "kind": "host"}, {"id": "x", "name": HOSTILE, "kind": "switch"},
                         {"id": "y", "name": "</td>\u202e", "kind": "switch"}, {"id": "z", "name": "lone", "kind": "switch"}],
               "links": [{"source": "h1", "target": "x"}, {"source": "x", "target": "y"}, {"source": "y", "target": "h2"}]}, file)
shutil.copy("hostile.json", 'we|ird "na`me\\.json')


def bough(*arguments, status=0):
    done = subprocess.run([BOUGH, "check", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout


# ---- Prometheus ----

NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"([a-zA-Z_:][a-zA-Z0-9_:]*)\{{((?:{LABEL})(?:,{LABEL})*)\}} ({NUMBER})\Z")


def parse(text):
    """{metric: {labels: value}}; each metric has HELP, TYPE and its samples in one block."""
    assert text.endswith("\n") and "\r" not in text and not re.search(r"[\x00-\x09\x0b-\x1f]", text)
    metrics, name, lines = {}, None, text[:-1].split("\n")
    for i, line in enumerate(lines):
        if line.startswith("# HELP "):
            name = line.split()[2]
            assert name not in metrics and len(line.split()) > 3 and lines[i + 1] == f"# TYPE {name} gauge", line
            metrics[name] = {}
        elif not line.startswith("# TYPE "):
            match = SAMPLE.match(line)
            assert match and match.group(1) == name, line
            labels = tuple(re.findall(r'([a-zA-Z_]+)="((?:[^"\\]|\\.)*)"', match.group(2)))
            assert labels not in metrics[name] and len(set(key for key, _ in labels)) == len(labels), line
            metrics[name][labels] = float(match.group(3))
    assert all(metrics.values())
    return metrics


PROMTOOL = shutil.which("promtool")
if not PROMTOOL:
    print("there is no promtool (Debian: prometheus): metrics are checked by the parser of this test only")


def metrics_of(*arguments):
    text = bough(*arguments, "--prometheus")
    if PROMTOOL:
        done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and not done.stdout + done.stderr, (text, done.stdout, done.stderr)
    return parse(text)


def value(metrics, name, **labels):
    found = [v for key, v in metrics[name].items() if labels.items() <= dict(key).items()]
    assert len(found) == 1, (name, labels, metrics[name])
    return found[0]


def check_metrics():
    m = metrics_of(FABRIC, "--lft", TABLES, "--routing", "updn", "--job", "allreduce:algo=ring,size=1MB")
    report = json.loads(bough(FABRIC, "--lft", TABLES, "--routing", "updn", "--json"))
    assert value(m, "bough_fabric_hosts") == report["network"]["endpoints"] == 95
    assert value(m, "bough_fabric_switches") == 12 and value(m, "bough_fabric_switch_cables") == 62
    assert value(m, "bough_fabric_host_rate_bytes_per_second") == 100e9 / 8
    for routing, result in zip(("cluster.ftree.lfts.gz", "updn"), report["results"]):
        assert value(m, "bough_check_link_load_max", routing=routing, traffic="all-to-all") == result["alltoall_max"]
        assert value(m, "bough_check_link_load_max", routing=routing, traffic="random") == result["random_mean"]
        assert value(m, "bough_check_throughput_ratio", routing=routing, traffic="shift") == result["shift_score"]
        assert value(m, "bough_check_rating", routing=routing, rating=result["rating"]["word"]) == 1
        assert value(m, "bough_check_job_seconds", routing=routing) > 0
    findings = report["findings"] + [f for result in report["results"] for f in result["findings"]]
    for severity in ("info", "warn", "error"):
        assert value(m, "bough_check_findings", severity=severity) == sum(f["severity"] == severity for f in findings)
    # the page lists these metrics with these labels, and no others
    with open(os.path.join(ROOT, "docs/monitoring.md"), encoding="utf-8") as page:
        rows = dict(re.findall(r"^\| `(bough_\w+)` \|([^|]*)\|", page.read(), re.M))
    assert set(rows) == set(m), set(rows) ^ set(m)
    for name, labels in rows.items():
        for sample in m[name]:
            assert [key for key, _ in sample] == ["fabric"] + re.findall(r"`(\w+)`", labels), (name, sample)
    # one endpoint, no pair with a route, networks without files, names that need escapes
    assert "bough_check_of_tables_ratio" not in metrics_of("xgft:down=1,up=1")
    assert value(metrics_of("xgft:down=4x4,up=1x2"), "bough_check_unrouted_pairs") == 0
    fabric = dict(next(iter(metrics_of('we|ird "na`me\\.json')["bough_info"])))["fabric"]
    assert fabric == 'we|ird \\"na`me\\\\.json', fabric


def check_files():
    with open("old.prom", "w", encoding="utf-8") as old:
        old.write("old\n")
    bough("nowhere", "--prometheus", "-o", "old.prom", status=2)
    with open("old.prom", encoding="utf-8") as old:
        assert old.read() == "old\n"
    assert bough(FABRIC, "--prometheus", "-o", "old.prom") == ""
    with open("old.prom", encoding="utf-8") as new:
        assert new.read() == bough(FABRIC, "--prometheus")
    assert [name for name in os.listdir(".") if "part" in name] == []
    bough(FABRIC, "--markdown", "--output=x.md")
    bough(FABRIC, "-o", "x.txt")
    assert open("x.txt", encoding="utf-8").read() == bough(FABRIC)
    bough(FABRIC, "--prometheus", "-o", "no/such/x.prom", status=2)
    bough(FABRIC, "--prometheus", "--json", status=2)
    bough(FABRIC, "--warning", "80:", status=2)


# ---- plugins of monitoring systems ----

DATA = re.compile(r"'((?:[^'=]|'')+)'=(-?[\d.]+)(%?);([-@~\d.:]*);([-@~\d.:]*);(-?[\d.]*);(-?[\d.]*)")


def plugin(state, *arguments, says=""):
    """{label: (value, unit, warn, crit, min, max)} of the performance data."""
    status = ["OK", "WARNING", "CRITICAL", "UNKNOWN"].index(state)
    done = subprocess.run([BOUGH, "check", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    line = done.stdout
    assert done.returncode == status and line.count("\n") == 1 and not done.stderr, (arguments, done)
    assert line.startswith(f"FABRIC {state} - "), line
    if state == "UNKNOWN":
        assert "|" not in line
        return {}
    text, data = line[:-1].split(" | ")
    assert "|" not in text + data and says in text, text
    assert " ".join(match.group() for match in DATA.finditer(data)) == data, data
    return {match.group(1): match.groups()[1:] for match in DATA.finditer(data)}


def check_plugin():
    data = plugin("WARNING", FABRIC, "--lft", TABLES, "--nagios",
                  says="; 0 errors, 2 warnings, the first missing-cable at rack#6-leaf/19 - core#4-spine/11; 95 endpoints")
    assert data["of_tables"] == ("57.14", "%", "80:", "50:", "0", "100") and data["unrouted_pairs"][0] == "0"
    assert data["warnings"] == ("2", "", "0", "", "0", "") and data["endpoints"][0] == "95"
    plugin("OK", FABRIC, "--lft", TABLES, "--nagios", "--fail-on", "error", "--warning", "50:")
    plugin("WARNING", FABRIC, "--lft", TABLES, "--nagios", "--fail-on", "error")
    plugin("CRITICAL", FABRIC, "--lft", TABLES, "--nagios", "--critical", "58:")
    plugin("OK", "xgft:down=4x4,up=1x4", "--nagios", "--routing", "dmodk")
    plugin("OK", "xgft:down=1,up=1", "--nagios")
    with open("two.csv", "w", encoding="utf-8") as cables:
        cables.write("node,port,node,port,rate\nh1,1,s1,1,\nh2,1,s1,2,\nh3,1,s2,1,\nh4,1,s2,2,\n")
    data = plugin("CRITICAL", "two.csv", "--nagios", says="; 5 errors, 0 warnings, the first no-route; 4 endpoints")  # two halves
    assert data["unrouted_pairs"] == ("8", "", "", "0", "0", "12")
    with open("it's=a|b.lfts", "wb") as copy, open(TABLES, "rb") as tables:
        copy.write(tables.read())
    data = plugin("WARNING", FABRIC, "--lft", TABLES, "--lft", "it's=a|b.lfts", "--nagios")
    assert data["of_tables it''s:a/b.lfts"] == data["of_tables cluster.ftree.lfts.gz"]
    for wrong in (["nowhere|"], [FABRIC, "--bogus|"], [], [FABRIC, "--critical", "x"], [FABRIC, "--json"], [FABRIC, "-o", "x"],
                  [FABRIC, "--lft", "nowhere"], [FABRIC, "--fail-on", "no"], ["nosuch:n=4"], [FABRIC, "--trials", "many"]):
        plugin("UNKNOWN", "--nagios", *wrong)


# ---- Markdown ----

class Tables(html.parser.HTMLParser):
    """The cells of the tables, row by row, and the text beside them."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.tags, self.text, self.cell = [], [], "", None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        if self.cell is None:
            self.text += data
        else:
            self.cell += data


def render(*arguments):
    text = bough(*arguments, "--markdown")
    done = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink", "-e", "tasklist"],
                          input=text, capture_output=True, text=True, check=True)
    page = Tables(done.stdout)
    assert set(page.tags) <= {"h2", "h3", "p", "ul", "li", "strong", "table", "thead", "tbody", "tr", "th", "td"}, page.tags
    assert all(len(row) == len(table[0]) for table in page.tables for row in table)
    return page


def check_markdown():
    if not shutil.which("cmark-gfm"):
        print("there is no cmark-gfm (Debian: cmark-gfm): Markdown is not rendered")
        assert HOSTILE not in bough("hostile.json", "--markdown")
        return
    page = render(FABRIC, "--lft", TABLES, "--routing", "updn")
    findings, figures = page.tables
    assert figures[0][:3] == ["routing", "rating", "all-to-all"], figures
    assert figures[1][:3] == ["cluster.ftree.lfts.gz", "usable", "37.3 %"], figures
    assert "0 errors, 2 warnings, 0 remarks" in page.text and len(findings) == 3, page.text
    assert findings[1][:2] == ["warning", "rack#6-leaf/19 - core#4-spine/11"], findings[1]
    assert page.tags.count("h2") == 1 and "comparison cluster.ftree.lfts.gz is" in page.text
    # names come out as they are, but for what is hidden, and stay in their cells
    page = render('we|ird "na`me\\.json', "--findings", "0")
    assert 'Check of we|ird "na`me\\.json\n' in page.text, page.text
    cells = " ".join(cell for row in page.tables[0] for cell in row)
    assert HOSTILE in cells + page.text and "</td>?" in cells + page.text, (cells, page.text)
    page = render(FABRIC, "--lft", TABLES, "--expect", "regular")
    assert "0 errors, 4 warnings, 1 remark" in page.text and len(page.tables[0]) == 6, page.text
    few = render(FABRIC, "--lft", TABLES, "--findings", "1")
    assert len(few.tables[0]) == 2 and "Left out here: 1 warning." in few.text, few.text


check_metrics()
check_files()
check_plugin()
check_markdown()
