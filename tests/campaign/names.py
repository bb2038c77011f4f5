"""Hostile names (control characters, quotes, markup, other directions of writing, no UTF-8) in everything that has a name.

A case puts names into a fabric, a study, jobs, prices or paths, and lets every output be read back by a reader that
knows nothing of bough: Python's json, csv, xml.etree and html.parser, xmllint and dot where they are there. Outputs must
be well formed; a name must come back where the format can hold it; nothing that people read (text, messages) may have a
control character, a character that changes the direction of a line or has no glyph, or a byte that is no UTF-8.
"""

import csv
import html
import html.parser
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as ElementTree
import zlib

from common import Part

SANITIZED = True

PIECES = [
    b"\x01", b"\x1b[31m", b"\x1b]0;t\x07", b"\x08\x08", b"\x7f", b"\r", b"\t", b"\xc2\x9b31m", b"\xc2\x85", b"\x9b",
    b'"', b"'", b"`", b"\\", b"\\n", b"\\N", b",", b";", b"=", b"=1+1", b"@x", b"-2", b"+3", b"#", b"%s%n", b"$(x)", b"{n}",
    b"<script>alert(1)</script>", b"</script>", b"</title>", b"]]>", b"-->", b"<!--", b"&amp;", b"&", b"&#0;", b"<", b">",
    b"\xe2\x80\xae", b"\xe2\x80\xad", b"\xe2\x81\xa6", b"\xe2\x80\x8b", b"\xe2\x80\x8f", b"\xe2\x80\xa8", b"\xd8\x9c",
    b"\xef\xbb\xbf", b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"\xef\xb7\x90", b"\xf3\xa0\x81\x81", b"\xf0\x9f\xbf\xbe",
    b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xe9",
    "é".encode(), "中文".encode(), "😀".encode(), "שלום".encode(), b" ", b"  ", b"a", b"b", b"node", b"HCA-1", b"x" * 90,
]
HIDDEN = [(0x61c, 0x61c), (0x180e, 0x180e), (0x200b, 0x200f), (0x2028, 0x202e), (0x2060, 0x206f), (0xfeff, 0xfeff),
          (0xfff9, 0xfffb), (0xe0000, 0xe007f)]
NAME_BYTES = 60  # shorter than what bough cuts names to


def control(c):
    return c < 0x20 or 0x7f <= c < 0xa0 or c & 0xfffe == 0xfffe or 0xfdd0 <= c <= 0xfdef


def hidden(c):
    return control(c) or any(low <= c <= high for low, high in HIDDEN)


def decode(data, instead):
    """UTF-8, each byte that is none as `instead`."""
    text = data.decode("utf-8", "surrogateescape")
    return "".join(instead if 0xdc80 <= ord(c) <= 0xdcff else c for c in text)


def clean(data):
    """What bough makes of a name in a file."""
    data = data.strip(bytes(range(0x21)))
    return "".join("?" if control(ord(c)) else c for c in decode(data, "?")).rstrip(" ")


part = Part("names", __doc__)


class Wrong(Exception):
    pass


def need(condition, reason):
    if not condition:
        raise Wrong(reason)


# ---- readers ----

def for_people(data, what):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Wrong(f"{what} is no UTF-8: {error}")
    for at, c in enumerate(text):
        need(c in "\n\t" or not hidden(ord(c)), f"{what} has U+{ord(c):04X}: {text[max(0, at - 40):at + 20]!r}")


def read_json(data, what):
    for_people(data, what)  # a terminal may show it
    try:
        return json.loads(data)
    except ValueError as error:
        raise Wrong(f"{what} is no JSON: {error}")


def read_csv(data, what):
    rows = list(csv.reader(io.StringIO(decode(data, "?"), newline=""), strict=True))
    need(len({len(row) for row in rows}) == 1, f"{what}: rows of different lengths")
    return rows


def read_xml(path):
    try:
        tree = ElementTree.parse(path)
    except ElementTree.ParseError as error:
        raise Wrong(f"{path} is no XML: {error}")
    if shutil.which("xmllint"):
        lint = subprocess.run(["xmllint", "--noout", "--nonet", path], capture_output=True)
        need(lint.returncode == 0, f"xmllint refuses {path}: {lint.stderr.decode(errors='replace')[:300]}")
    return tree


class Page(html.parser.HTMLParser):
    """The title, the scripts, and which elements there are."""

    def __init__(self):
        super().__init__()
        self.inside, self.title, self.scripts, self.tags = None, "", [], []

    def handle_starttag(self, tag, attrs):
        self.inside = tag
        self.tags.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "title" and self.tags.count("title") == 1:  # drawings have titles too
            self.title += data
        elif self.inside == "script":
            self.scripts[-1] += data


def read_page(path, scripts=2):
    data = open(path, "rb").read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Wrong(f"the page is no UTF-8: {error}")
    need(not any(control(ord(c)) and c not in "\n\t" for c in text), "the page has control characters")
    page = Page()
    page.feed(text)
    if not page.scripts:  # a static page
        read_xml(path)
        return page
    need(len(page.scripts) == scripts, f"the page has {len(page.scripts)} scripts")
    json.loads(page.scripts[0])
    return page


def labels_of_dot(path):
    text = open(path, encoding="utf-8").read()
    if shutil.which("dot"):
        canon = subprocess.run(["dot", "-Tcanon", path], capture_output=True)
        need(canon.returncode == 0, f"dot refuses {path}: {canon.stderr.decode(errors='replace')[:300]}")
    found = re.findall(r'^ *n\d+ \[label="((?:[^"\\\n]|\\.)*)"', text, re.M)
    return [html.unescape(re.sub(r"\\(.)", r"\1", label)) for label in found]


# ---- runs ----

def bough(words, may_fail=False, data=None):
    """Runs it; None when it was refused as it may be. data: what its standard output is ("json", "csv"), else text."""
    outcome = part.run(words)
    reason = part.fault(outcome)
    need(reason is None, reason)
    for_people(outcome.err, "standard error")
    if data is None:
        for_people(outcome.out, "standard output")
    if outcome.code:
        need(may_fail, f"refused: {outcome.err.decode()}")
        need(len(outcome.err.splitlines()) == 1, "not one line of error")
        return None
    if data == "json":
        return read_json(outcome.out, "--json")
    return read_csv(outcome.out, "--csv") if data == "csv" else outcome.out


def draw_name(r, pieces=4, without=b"\0\n"):
    name = b"".join(r.choice(PIECES) for _ in range(r.randint(1, pieces)))
    return bytes(b for b in name if b not in without)


def draw_names(r, count, without=b"\0\n"):
    """Names that stay different when they are cleaned, and are not cut."""
    names = []
    for i in range(count):
        name = draw_name(r, 4, without)[:NAME_BYTES]
        names.append(name + b"~%d" % i)
    return names


def path_of(name):
    return os.fsencode(part.dir) + b"/" + name


def write(name, data):
    path = path_of(name)
    with open(path, "wb") as file:
        file.write(data)
    return path


# ---- fabrics ----

def ibnet(switches, hosts):
    """Every host on every switch is too much: host i on switch i mod 2, and two switches with two cables."""
    out = b""
    for s, name in enumerate(switches):
        out += b'\nvendid=0x2c9\nswitchguid=0x1%015x(1%015x)\n' % (s, s)
        out += b'Switch\t36 "S-1%015x"\t\t# "%s" base port 0 lid %d lmc 0\n' % (s, name, s + 1)
        for h, host in enumerate(hosts):
            if h % 2 == s:
                out += b'[%d]\t"H-2%015x"[1](3%015x) \t\t# "%s" lid %d 4xEDR\n' % (h + 1, h, h, host, h + 10)
        for c in range(2):
            out += b'[%d]\t"S-1%015x"[%d]\t\t# "%s" lid %d 4xEDR\n' % (30 + c, 1 - s, 30 + c, switches[1 - s], 2 - s)
    for h, host in enumerate(hosts):
        s = h % 2
        out += b'\nvendid=0x2c9\ncaguid=0x2%015x\nCa\t1 "H-2%015x"\t\t# "%s"\n' % (h, h, host)
        out += b'[1](3%015x) \t"S-1%015x"[%d]\t\t# lid %d lmc 0 "%s" lid %d 4xEDR\n' % (h, s, h + 1, h + 10, switches[s], s + 1)
    return out


def cell(name):
    return b'"' + name.replace(b'"', b'""') + b'"'


def cables(switches, hosts):
    out = b"node,port,kind,node,port,kind,rate\n"
    for h, host in enumerate(hosts):
        out += b"%s,1,host,%s,%d,switch,100Gb/s\n" % (cell(host), cell(switches[h % 2]), h + 1)
    for c in range(2):
        out += b"%s,%d,switch,%s,%d,switch,100Gb/s\n" % (cell(switches[0]), 30 + c, cell(switches[1]), 30 + c)
    return out


def fabric(r):
    names = draw_names(r, 6, b"\0\n\r")
    if r.random() < 0.5:
        return names, write(b"fabric.ibnetdiscover", ibnet(names[:2], names[2:]))
    names = [n.replace(b"\r", b"") for n in names]
    return names, write(b"fabric.csv", cables(names[:2], names[2:]))


def same(found, want, what):
    need(sorted(found) == sorted(want), f"{what}: {sorted(found)} are not {sorted(want)}")


def ends(path):
    """Cables without their order: which end is written first goes by the order of switches in the file."""
    rows = read_csv(open(path, "rb").read(), "the list of cables")[1:]
    half = len(rows[0]) // 2
    return sorted((sorted([row[:half], row[half:2 * half]]), row[2 * half:]) for row in rows)


def fabric_case(r):
    names, path = fabric(r)
    want = [clean(name) for name in names]
    for words in (["net", path], ["check", path], ["check", path, "--worst"], ["sim", path, "shift", "linkload"],
                  ["check", path, "--faults", "each:cable"]):
        bough(words)
    for words in (["net", path], ["check", path], ["check", path, "--faults", "each:switch"],
                  ["sim", path, "shift", "linkload"]):
        bough(words + ["--json"], data="json")
    out = os.path.join(part.dir, "out")
    bough(["net", path, "-o", out + ".json"])
    o = read_json(open(out + ".json", "rb").read(), "the export")
    same([n["name"] for n in o["nodes"]], want, "names in the JSON export")
    bough(["net", path, "-o", out + ".csv"])
    rows = read_csv(open(out + ".csv", "rb").read(), "the list of cables")
    at = [i for i, head in enumerate(rows[0]) if head == "node"]
    same({row[i] for row in rows[1:] for i in at}, want, "names in the list of cables")
    bough(["net", out + ".csv", "-o", out + "2.csv"])  # what bough reads back is the same
    need(ends(out + ".csv") == ends(out + "2.csv"), "the list of cables read back is another")
    bough(["net", path, "-o", out + ".dot"])
    same(labels_of_dot(out + ".dot"), want, "names in the Graphviz file")
    bough(["net", path, "--routing", "updn", "-o", out + ".svg"])
    titles = [e.text or "" for e in read_xml(out + ".svg").iter() if e.tag.endswith("title")]
    for name in want:  # a box of several endpoints names the first
        merged = name in want[2:] and any(" endpoints, from level " in title for title in titles)
        need(merged or any(name in title for title in titles), f"{name!r} is not in the drawing")
    bough(["net", path, "--routing", "updn", "-o", out + ".xml"])
    ids = [e.get("id") for e in read_xml(out + ".xml").iter() if e.tag == "host"]
    same(ids, [" ".join(re.split("[\n\t]", n)) for n in want[2:]], "hosts of the platform")
    for ending in (".net", ".lfts"):
        words = ["net", path, *(["--routing", "updn"] if ending == ".lfts" else []), "-o", out + ending]
        bough(words)
        for_people_or_names(open(out + ending, "rb").read(), ending)
    bough(["net", out + ".net"])
    bough(["check", path, "--lft", out + ".lfts"])
    bough(["check", path, "--html", out + ".html"], may_fail=True)
    if os.path.exists(out + ".html"):
        read_page(out + ".html")
    name = r.choice(names)
    try:
        by_name = clean(name)
        bough(["net", path, "--faults", "name:" + quote(by_name)], may_fail=True)
        bough(["sim", path, "shift", "linkload", "--endpoints", re.escape(by_name)], may_fail=True)
    except ValueError:
        pass  # a NUL cannot be an argument
    order = write(b"order", b"\n".join(names[2:]) + b"\n")
    bough(["sim", path, "shift", "linkload", "--order", order], may_fail=True)


def for_people_or_names(data, what):
    """A file with names for other programs: UTF-8, no control characters."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Wrong(f"{what} is no UTF-8: {error}")
    need(not any(control(ord(c)) and c not in "\n\t" for c in text), f"{what} has control characters")


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# ---- studies ----

def yaml_text(text):
    return json.dumps(text)  # YAML's double quotes know JSON's escapes


def study_case(r):
    """YAML refuses control characters, and has to be UTF-8: what is left of a name goes in as it is."""
    def text():
        return "".join(c for c in decode(draw_name(r, 5), "?") if ord(c) >= 0x20 and ord(c) != 0x7f) or "x"
    title, axis = text(), "word"
    words = list(dict.fromkeys(text().strip() or "y" for _ in range(3)))
    study = (f"study: {yaml_text(title)}\nnetwork: fattree:n=16\ntraffic: uniform:m=16\nmethods: [bins:model=1]\n"
             f"grid:\n  - {axis}: {json.dumps(words)}\ntrials: 2\nplot: {{x: word, y: rounds}}\n")
    # JSON writes beyond U+FFFF as two halves, which YAML does not take
    study = re.sub(r"\\ud8([0-9a-f]{2})\\ud([c-f][0-9a-f]{2})|\\ud([9ab][0-9a-f]{2})\\ud([c-f][0-9a-f]{2})",
                   lambda m: m.group(0).encode().decode("unicode_escape").encode("utf-16", "surrogatepass")
                   .decode("utf-16"), study)
    path = write(b"study.yaml", study.encode())
    out = os.path.join(part.dir, "results")
    shutil.rmtree(out, ignore_errors=True)
    if bough(["run", path, "--out", out], may_fail=True) is None:
        return  # an axis with {, say
    bough(["run", path, "--out", out, "--dry-run"])
    need(bough(["run", path, "--out", out, "--dry-run", "--json"], data="json")["study"] == title, "title of --dry-run")
    bough(["report", out, "--plot"])
    bough(["report", out, "--plot", "--ascii"])
    o = bough(["report", out, "--json"], data="json")
    need(o["study"] == title, f"title {o['study']!r} is not {title!r}")
    found = [str(p["axes"][axis]) for p in o["points"]]
    need(len(found) == len(words), "points of the JSON")
    rows = bough(["report", out, "--csv"], data="csv")
    values = list(dict.fromkeys(row[0] for row in rows[1:]))
    need(values == [str(w) for w in words], f"axis values {values} are not {words}")
    safe = bough(["report", out, "--csv-safe"], data="csv")
    for plain_row, safe_row in zip(rows, safe):
        for a, b in zip(plain_row, safe_row):
            need(b in (a, "'" + a), f"--csv-safe makes {b!r} of {a!r}")
            formula = b[:1] in ("=", "+", "-", "@", "\t", "\r") and b[:1]
            need(not formula or re.fullmatch(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?", b, re.I), f"{b!r} is a formula")
    page = os.path.join(out, "report.html")
    if os.path.exists(page):
        read = read_page(page)
        need(read.title.strip() == "".join("\ufffd" if control(ord(c)) else c for c in title).strip(),
             f"title of the page: {read.title!r}")
    draw = shutil.which("gnuplot") and r.random() < 0.2
    if draw:
        read_figures(out)
    hostile_store(r, out)
    if draw:
        read_figures(out, may_fail=True)


def read_figures(out, may_fail=False):
    figures = os.path.join(part.dir, "figures")
    shutil.rmtree(figures, ignore_errors=True)
    if bough(["report", out, "--figures", figures], may_fail=may_fail) is None:
        return
    for name in os.listdir(figures):
        if name.endswith(".svg"):
            read_xml(os.path.join(figures, name))


def hostile_store(r, out):
    """A store that somebody else wrote: its title and the values of its axis may hold anything."""
    with sqlite3.connect(os.path.join(out, "results.sqlite")) as db:
        for key in ("view", "question"):
            for (value,) in db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchall():
                held = json.loads(value)
                if key == "view" and "title" in held:
                    held["title"] = decode(draw_name(r, 4), "?")
                for point in held.get("points", []) if key == "question" else []:
                    point["values"] = [decode(draw_name(r, 3), "?") for _ in point["values"]]
                text = json.dumps(held)
                total = zlib.crc32(key.encode() + b"\0" + text.encode())
                db.execute("UPDATE meta SET value = ?, sum = ? WHERE key = ?", (text, total, key))
    db.close()
    bough(["report", out], may_fail=True)
    bough(["report", out, "--plot"], may_fail=True)
    bough(["report", out, "--json"], may_fail=True, data="json")
    bough(["report", out, "--csv"], may_fail=True, data="csv")


# ---- jobs, prices, paths, words ----

def jobs_case(r):
    names = draw_names(r, 2)
    path = write(b"jobs.csv", b'name,traffic,hosts\n%s,"allreduce:ring,size=1MiB",4\n%s,shift,4\n' %
                 (cell(names[0]), cell(names[1])))
    traffic = b"jobs:" + path
    for words in ([], ["--json"], ["--csv"]):
        bough(["sim", "fattree:n=16", traffic, "flow:alone=1", *words], may_fail=True,
              data=words[0][2:] if words else None)


def prices_case(r):
    currency = draw_name(r, 3)
    path = write(b"prices.csv", b"item,price\ncurrency,%s\nswitch,1000\ncable,10\nhost,5\n" % cell(currency))
    bough(["plan", "--hosts", "40", "--radix", "8", "--prices", path], may_fail=True)
    o = bough(["plan", "--hosts", "40", "--radix", "8", "--prices", path, "--json"], may_fail=True, data="json")
    need(o is None or o["currency"], "the currency is lost")


def path_case(r):
    """Names of files and directories, for reading and writing."""
    name = draw_name(r, 4, b"\0/")[:200]
    if name in (b"", b".", b".."):
        name = b"x"
    hosts, names = [b"h%d" % i for i in range(4)], [b"s1", b"s2"]
    path = write(name + b".csv", cables(names, hosts))
    plain = write(b"plain.csv", cables(names, hosts))
    short = write(name[:8] + b".csv", cables(names, hosts))  # a longer one may need another line
    for verb in ("net", "check"):  # a line break in a name makes no line
        lines = [bough([verb, p]) for p in (short, plain)]
        need(lines[0].count(b"\n") == lines[1].count(b"\n"), f"{verb} prints other lines: {lines[0][:200]!r}")
    spec = b'ibnet:"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
    for network in (path, spec):
        bough(["net", network], may_fail=True)
        bough(["check", network], may_fail=True)
        bough(["sim", network, "shift", "linkload"], may_fail=True)
        for words in (["net", network], ["check", network], ["sim", network, "shift", "linkload"]):
            bough([*words, "--json"], may_fail=True, data="json")
        bough(["sim", network, "shift", "linkload", "--csv"], may_fail=True, data="csv")
        bough(["net", network, "--routing", "updn", "-o", os.path.join(part.dir, "p.svg")], may_fail=True)
        if os.path.exists(os.path.join(part.dir, "p.svg")):
            read_xml(os.path.join(part.dir, "p.svg"))
    out = path_of(name + b".dir")
    study = write(b"p.yaml", b"study: P\nnetwork: fattree:n=16\ntraffic: uniform:m=16\nmethods: [bins]\ntrials: 2\n")
    for words in (["run", study, "--out", out], ["run", study, "--out", out, "-n"], ["report", out],
                  ["report", out + b"x"], ["run", study + name], ["net", path + b"x"], ["net", "fattree:n=8", "-o", out]):
        bough(words, may_fail=True)
    bough(["run", study, "--set", b"network=" + spec, "--out", path_of(b"q")], may_fail=True)
    shutil.rmtree(out, ignore_errors=True)
    shutil.rmtree(path_of(b"q"), ignore_errors=True)


def words_case(r):
    """Every word of a command line that is wrong is said in one line."""
    word = draw_name(r, 5, b"\0") or b"x"
    for words in ([word], ["net", word], ["net", "fattree:" + "n=" + "8", b"--" + word], ["sim", "fattree:n=8", word],
                  ["net", b"fattree:n=" + word], ["net", b"fattree:" + word + b"=8"], ["list", word],
                  ["net", "fattree:n=8", "--faults", b"name:" + word], ["run", word], ["report", word],
                  ["plan", "--hosts", word, "--radix", "8"], ["sim", "fattree:n=8", "uniform", b"circuit:mode=" + word],
                  ["run", "strumpen2005/fig4", "-n", "--set", b"n=" + word], ["net", "fattree:n=8", "-o", word + b"/x"]):
        bough(words, may_fail=True)


CASES = [fabric_case, study_case, jobs_case, prices_case, path_case, words_case]

for number, random_numbers in part.cases():
    case = CASES[number % len(CASES)]
    try:
        case(random_numbers)
    except Wrong as wrong:
        part.finding(number, f"{case.__name__}: {wrong}\n  python3 tests/campaign/names.py {part.bough} {part.root} "
                             f"--seed {part.seed} --case {number}")
    for name in os.listdir(os.fsencode(part.dir)):
        full = path_of(name)
        shutil.rmtree(full) if os.path.isdir(full) else os.remove(full)
part.finish()
