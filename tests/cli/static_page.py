"""The markup of pages reads as XML, asks nothing of the network, and has every sentence and every row that the text, the
Markdown, the JSON and the CSV of the same command have, whether pages of this build have a script or not; its size is
bounded. static_page.py BOUGH SOURCE"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

BOUGH, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TAGS = set("""html head meta title style body header main section h1 h2 h3 h4 p dl div dt dd strong span svg rect line text
    path polyline figure figcaption br ul li details summary table caption thead tbody tr th td circle code noscript
    pre""".split())
CLUSTER = SOURCE + "/examples/fabric/cluster"


def bough(*words):
    done = subprocess.run([BOUGH, *words], capture_output=True, text=True, check=False,
                          env={**os.environ, "COLUMNS": "4000"})
    if done.returncode:
        sys.exit(f"bough {' '.join(words)}: status {done.returncode}: {done.stderr}")
    return done.stdout


def plain(text):
    return re.sub(r"\s+", " ", text.replace("\u00a0", " ")).strip()


def pack(text):
    return re.sub(r"\s", "", text)


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.whole = file.read()
        self.scripted = "<script" in self.whole
        self.source = re.sub(r"<script.*?</script>", "", self.whole, flags=re.S)
        self.size = len(self.source.encode())
        self.root = ET.fromstring(self.source)
        self.text = plain("".join(self.root.itertext()))
        self.packed = pack(self.text)
        self.rows = [[plain("".join(cell.itertext())) for cell in row] for row in self.root.iter("tr")]
        self.check_markup()

    def check_markup(self):
        for element in self.root.iter():
            tag = element.tag.replace("{http://www.w3.org/2000/svg}", "")
            assert tag in TAGS, f"<{tag}>"
            for name in element.attrib:
                assert not name.startswith("on") and name not in ("style", "href", "src"), f"<{tag} {name}=>"
        for word in ("<script", "@import", "url(", "http:", "https:"):
            outside = self.source.replace("http://www.w3.org/2000/svg", "")
            assert word not in outside, word
        ids = [e.get("id") for e in self.root.iter() if e.get("id")]
        assert len(ids) == len(set(ids)), ids

    def has(self, text):
        assert plain(text) in self.text, f"not on the page: {plain(text)}"

    def has_row(self, *cells):
        assert any(all(c in row for c in cells) for row in self.rows), f"no row with {cells}"


def four_digits(value):
    return f"{value:.0f}" if value == int(value) else f"{value:.4g}"


# Every line of a text, whatever its width: sentences, facts, rows of tables, findings, commands.
def check_lines(text, packed):
    for line in text.splitlines():
        found = re.match(r"  (?:error|warn|info) +(.*?): ", line)
        if line.startswith("--details"):
            continue
        word = pack(found[1] if found else re.sub(r"^next +", "", line)).strip("()")
        # a label that is wider than its column ends in a colon in the text, and is a cell of its own in the page
        assert word in packed or pack(line.replace(": ", "", 1)) in packed, f"missing: {line}"


def test_check():
    words = ["check", "--details", CLUSTER + ".ibnetdiscover", "--lft", CLUSTER + ".ftree.lfts.gz", "--lft", CLUSTER + ".updn.lfts.gz",
             "--faults", "each:cable", "--faults", "each:switch", "--faults", "links:share=0..10% step 5%", "--job",
             "alltoall", "--job", "randperm"]
    text = bough(*words, "--html", "check.html", "--findings", "0")
    data = json.loads(bough(*words, "--json", "--html", "again.html"))
    page = Page("check.html")
    assert open("again.html", "rb").read() == page.whole.encode(), "the page depends on --json"
    assert os.path.dirname(CLUSTER) not in page.whole, "the page names a directory"
    check_lines(text.replace(os.path.dirname(CLUSTER) + "/", ""), page.packed)
    screen = bough(*(w for w in words if w != "--details")).replace(os.path.dirname(CLUSTER) + "/", "")
    marked = re.sub(r"\\(?=[^\w\s])|<!-- -->", "", bough(*words, "--markdown").replace(os.path.dirname(CLUSTER) + "/", ""))
    marked = re.sub(r"^\|[-:|]*$", "", marked, flags=re.M)
    check_lines(screen, pack(re.sub(r"^(- next:|- |#+ )|^\| | \|$| \| |\*\*", " ", marked, flags=re.M)))
    bars = [b for b in page.root.iter("div") if b.get("class") == "bar"]
    assert len(bars) == 4 * 2 + 1, len(bars)
    for result in data["results"]:
        for share in ("alltoall_share", "shift_share_mean", "random_share"):
            assert any(plain("".join(b.itertext())).endswith(f"{100 * result[share]:.1f} %") for b in bars), share
    for finding in data["findings"] + [f for r in data["results"] for f in r["findings"]]:
        page.has(finding["text"].replace(os.path.dirname(CLUSTER) + "/", ""))
    # Failures: every row; the ten worst first. Curves; jobs.
    for result in data["results"]:
        for failures in result["failures"]:
            for item in (i for i in failures["items"] if i["alike"]):
                page.has_row(("e.g. " if item["alike"] > 1 else "") + item["name"], str(item["alike"]), str(item["lost"]), str(item["rerouted"]["alltoall_max"]),
                             "-" if item["cut"] else f"{item['rerouted']['slowdown']:.3f}")
        for step in result["degradation"][0]["steps"]:
            page.has_row(f"{100 * step['share']:g}%", f"{100 * step['connected_min']:.3f}")
    for job in data["jobs"]:
        page.has(job["job"])
        page.has("assumes: links " + job["assumptions"][0]["assumes"]["links"])
        for row in job["ranking"]:
            page.has_row(os.path.basename(row["routing"]))
    page.has("cables of hosts: 95 at 100 Gb/s (4xEDR); between switches: 62 at 100 Gb/s (4xEDR)")
    assert page.text.index("Summary") < page.text.index("Routings") < page.text.index("one dead at a time")


def test_against():
    with open(CLUSTER + ".ibnetdiscover", encoding="utf-8") as file:
        lines = file.read().split("\n")
    gone = next(i for i, line in enumerate(lines) if re.match(r'\[\d+\]\s+"S-', line))
    port = re.match(r'\[(\d+)\]\s+"(S-\w+)"\[(\d+)\]', lines[gone])
    start = max(i for i in range(gone) if lines[i].startswith("Switch"))
    twin = re.search(r'"(S-\w+)"', lines[start]).group(1)
    kept = [l for i, l in enumerate(lines) if i != gone and not re.match(rf'\[{port[3]}\]\s+"{twin}"\[{port[1]}\]', l)]
    assert len(kept) == len(lines) - 2
    with open("now.ibnetdiscover", "w", encoding="utf-8") as file:
        file.write("\n".join(kept))
    text = bough("check", "--details", "now.ibnetdiscover", "--against", CLUSTER + ".ibnetdiscover", "--html", "against.html")
    page = Page("against.html")
    before, now = re.search(r"cables between switches\s+(\d+)\s+(\d+)", text).groups()
    page.has_row("cables between switches", before, now)
    page.has("Compared with before")
    bough("check", CLUSTER + ".ibnetdiscover", "--faults", "cables:share=0.05,key=1", "--html", "without.html")
    Page("without.html").has("cables:share=0.05,key=1")


# Every line of a text of results: a row has its cells in the same order, a card its label above; headings have their
# units below.
def check_results(text, page):
    for line in text.splitlines():
        packed = pack(line)
        words = "+-95%" in line or "95 % interval" in line or re.fullmatch(r"[ a-z/]+", line)
        if words and all(word in page.text for word in line.split()):
            continue
        assert packed in page.packed or pack(line.replace(": ", "", 1)) in page.packed, f"missing: {line}"


STUDIES = {
    "wide": "study: T<b>&\"\nnetwork: fattree:n={n}\ntraffic: uniform\nmethods: [circuit:mode=rounds, bins:model=1]\n"
            "grid: [n: [16, 32, 64]]\ntrials: 4\ncompare: yes\nplot: {x: n, y: [rounds, attempts], series: method}\n",
    "saturated": "network: bft:n=64\ntraffic: poisson:load={load},flits=16\nmethods: [queueing, worm]\n"
                 "grid: [load: [0.02, 0.1, 0.2]]\ntrials: 2\nplot: {x: load, y: [latency, accepted]}\n",
    "across": "network: transit:n={n}\ntraffic: local:p=1\nmethods: [locality]\ngrid: [n: [64, 4096]]\ntrials: 1\n"
              "plot: {y: [p_any], series: method}\n",
    "pooled": "network: fattree:n={n}\ntraffic: shift:k={k}\nmethods: [circuit:mode=rounds]\n"
              "grid: [n: [16, 32], k: [1, 2, 3]]\ntrials: 2\npool: k\nplot: {x: n, y: [rounds]}\n",
    "long": "network: fattree:n={n}\ntraffic: \"allreduce:size=1MB\"\nmethods: [flow, loggops]\ngrid: [n: [8, 16]]\n"
            "trials: 2\ncompare: yes\nquantiles: \"completion_time:0.5\"\n",
}


def test_study():
    for name, study in STUDIES.items():
        with open("study.yaml", "w", encoding="utf-8") as file:
            file.write(study)
        text = bough("run", "study.yaml", "--out", name)
        page = Page(f"{name}/report.html")
        check_results(text, page)
        with open(f"{name}/results.csv", newline="", encoding="utf-8") as file:
            results = list(csv.DictReader(file))
        assert results
        for r in results:
            metric = r["metric"] + (f"[{r['index']}]" if r["index"] else "")
            labels = [r[k] for k in ("n", "load", "k") if k in r] + [r["method"]]
            rows = [row for row in page.rows if row[:len(labels)] == labels and row[len(labels)].startswith(r["metric"])]
            assert rows, (name, labels, metric)
        bough("report", name, "--html", "report.html")
        assert open("report.html", encoding="utf-8").read() == page.whole, "run and report write different pages"
    page = Page("wide/report.html")
    assert page.root.find("head/title").text == 'T<b>&"'
    assert len(list(page.root.iter("figure"))) == 3 # rounds, attempts, and the ratio of rounds
    points = [p for p in page.root.iter("path") if p.find("title") is not None]
    assert len(points) >= 3 * 2 + 3
    cards = [plain("".join(c.itertext())) for c in page.root.iter("div") if (c.get("class") or "").startswith("card ")]
    assert len(cards) == 3 and cards[0] == "circuit 3.5 to 4.75 rounds, 3 points" and "times the rounds of" in cards[2], cards


def test_sim():
    words = ["sim", "fattree:n=16", "allreduce:size=1MB", "flow"]
    text = bough(*words, "--html", "sim.html")
    page = Page("sim.html")
    check_results(text, page)
    for metric in json.loads(bough(*words, "--json"))["results"]:
        page.has_row(metric["metric"])
    title = page.root.find("head/title").text
    for word in ("fattree:n=16", "free", "allreduce", "1MB", "flow"):
        assert word in title, title
    page.has("bough sim fattree:n=16 allreduce:size=1MB flow")
    os.makedirs("in/some place", exist_ok=True)
    with open("in/some place/x.csv", "w", encoding="utf-8") as file:
        file.write("node,port,node,port\na,1,s,1\nb,1,s,2\nc,1,s,3\n")
    bough("sim", "in/some place/x.csv", "allreduce:size=1MB", "flow", "--html", "sim.html")
    page = Page("sim.html")
    page.has("x.csv")
    assert "some place" not in page.whole, "the page names a directory"


def test_hostile():
    evil = '<script>x</script><b onclick="y">&amp;]]>\u202e\x1b[31m\'" --> <!-- '
    name = evil.replace('"', '""')
    with open("evil.csv", "w", encoding="utf-8") as file:
        file.write("node,port,node,port\n")
        for i in range(4):
            file.write(f'"{name}{i}",1,"leaf{name}{i // 2}",{i % 2 + 1}\n')
        for i in range(2):
            file.write(f'"leaf{name}{i}",3,spine,{i + 1}\n')
    bough("check", "evil.csv", "--faults", "each:cable", "--faults", "each:switch", "--html", "evil.html")
    page = Page("evil.html")
    assert "\x1b" not in page.source
    page.has("<script>x</script><b")


def test_study_hostile():
    with open("evil.yaml", "w", encoding="utf-8") as file:
        file.write('study: "</title><script>alert(1)</script>"\nnetwork: fattree:n={n}\ntraffic: uniform\n'
                   'methods: [bins:model=1]\ngrid: [{n: [16]}, {"w": ["<i>", "&amp;", "]]>"]}]\ntrials: 2\n'
                   'plot: {x: w, y: rounds}\n')
    bough("run", "evil.yaml", "--out", "evil")
    page = Page("evil/report.html")
    page.has_row("<i>")
    page.has_row("]]>")


def test_bounds():
    bough("check", "xgft:down=16x64,up=1x8", "--routing", "dmodk", "--trials", "2", "--html",
          "large.html")
    page = Page("large.html")
    assert page.size < 1500000, page.size
    with open("many.csv", "w", encoding="utf-8") as file: # 60 of 130 leaves have one spine less
        file.write("node,port,node,port\n")
        for leaf in range(130):
            file.write(f"h{leaf},1,leaf{leaf},1\n")
            for spine in range(2 if leaf < 60 else 3):
                file.write(f"leaf{leaf},{2 + spine},spine{spine},{1 + leaf}\n")
    text = bough("check", "--details", "many.csv", "--trials", "1", "--html", "many.html", "--findings", "50")
    more = int(re.search(r"\.\.\. and (\d+) more", text).group(1))
    page = Page("many.html")
    page.has(f"{more} more of this kind; --findings 0 prints them")
    assert page.size < 1500000, page.size


def test_study_bounds():
    with open("bounds.yaml", "w", encoding="utf-8") as file:
        file.write("network: fattree:n=65536\nmethods: ['collision:matrix=1']\ngrid: [k: 1..4 step 1]\ntrials: 1\n"
                   "plot: {y: pr_c2}\n")
    bough("run", "bounds.yaml", "--out", "bounds")
    with open("bounds/results.csv", encoding="utf-8") as file:
        results = len(file.readlines()) - 1
    page = Page("bounds/report.html")
    assert results > 2000
    page.has(f"The first 2000 of {results} results; results.csv has all.")
    assert page.size < 1000000, page.size


def main():
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                print(name, flush=True)
                test()
        os.chdir("/")


main()
