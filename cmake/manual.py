#!/usr/bin/env python3
"""The manual pages of bough, from its catalogue and the texts of docs/man.

    cmake/manual.py BOUGH docs/man VERSION DATE OUT    writes OUT/bough.1, OUT/bough-sim.1, ..., OUT/bough-spec.7
    cmake/manual.py --names                            prints their names

What the program knows (commands, options, networks, parameters) comes from `bough list --json`; docs/man has what it
does not know: examples, files, environment. An example there that names a command or an option that does not exist is an error."""
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap

COMMANDS = ["check", "tune", "plan", "sim", "run", "report", "merge", "net", "list"]  # a check: the catalogue has the same ones
PAGES = ["bough.1", *(f"bough-{name}.1" for name in COMMANDS), "bough-spec.7"]

UNITS = {
    "ps": [("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 10**3), ("ps", 1)],
    "b/s": [("Tb/s", 10**12), ("Gb/s", 10**9), ("Mb/s", 10**6), ("kb/s", 10**3), ("b/s", 1)],
    "nm": [("m", 10**9), ("cm", 10**7), ("mm", 10**6), ("um", 10**3), ("nm", 1)],
    "B": [(" B", 1)],
}
VALUES = {"integer": "n", "number": "x", "share": "share", "bytes": "size", "time": "time", "rate": "rate", "text": "text",
          "list": "list", "length": "length"}


# ---- roff ----

def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti").replace('"', "\\(dq")
    return "\\&" + text if text[:1] in ".'" else text


def bold(text):
    return "\\fB" + escape(text) + "\\fR"


def italic(text):
    return "\\fI" + escape(text) + "\\fR"


def prose(text, names=()):
    """A sentence: `code` is bold, names of arguments are italic."""
    result = []
    for i, part in enumerate(text.split("`")):
        if i % 2:
            result.append(bold(part))
            continue
        pattern = r"(?<![\w.-])(" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")(?!\w)" if names else r"(?!)()"
        result += [italic(piece) if at % 2 else escape_inner(piece) for at, piece in enumerate(re.split(pattern, part))]
    line = "".join(result)
    return "\\&" + line if line[:1] in ".'" else line


def escape_inner(text):
    """A dash inside a word is a hyphen; before an option, a number or alone it is a minus."""
    text = re.sub(r"(?<=[A-Za-z])-(?=[A-Za-z])", "\0", text)
    escaped = escape(text) if text[:1] not in ".'" else escape("x" + text)[1:]
    return escaped.replace("\0", "-")


def sentence(text):
    """Texts of the catalogue begin in lower case and have no full stop. Names and values keep their case: what a colon or
    a comma follows, single letters, and words with other characters."""
    text = text.strip()
    first = text.split(" ")[0].rstrip(";")
    if re.fullmatch(r"[a-z]{2,}(-[a-z]+)*", first) and first not in ("ibnetdiscover", "ibsim"):
        text = text[0].upper() + text[1:]
    return text if text.endswith(".") else text + "."


def paragraphs(lines):
    return "".join(".PP\n" + re.sub(r"\. (?=[A-Z])", ".\n", line) + "\n" for line in lines)


# ---- commands ----

def synopsis(command):
    words = []
    for word in re.split(r"(\s+|[\[\]|]|\.\.\.)", command["synopsis"]):
        words.append(italic(word) if re.fullmatch(r"[A-Z]+", word) else bold(word) if word.startswith("-") else word)
    return "".join(words)


def option(o):
    tag = (bold("-" + o["letter"]) + ", " if "letter" in o else "") + bold("--" + o["name"])
    text = o["summary"]
    if o["repeat"] and not re.search(r"repeat|several", text):
        text += "; repeatable"
    if "argument" in o:
        tag += " " + italic(o["argument"])
    names = [word for word in re.findall(r"[A-Z]+", o.get("argument", "")) if len(word) > 1 or word in "PRNST"]
    return f".TP\n{tag}\n{prose(sentence(text), names)}\n"


def command_page(command, texts):
    name = f"bough-{command['name']}"
    names = [o["name"] for o in command["operands"]] + [o["argument"] for o in command["options"] if len(o.get("argument", "")) > 1]
    text = heading(name, 1)
    text += f".SH NAME\n{escape(name)} \\- {prose(command['summary'])}\n"
    text += f".SH SYNOPSIS\n{bold('bough ' + command['name'])}\n[{italic('OPTION')}]...\\&\n{synopsis(command)}\n"
    text += f".SH DESCRIPTION\n{prose(sentence(command['description']), names)}\n"
    text += paragraphs(prose(note, names) for note in command["notes"])
    text += ".SH OPTIONS\n" + "".join(option(o) for o in command["options"])
    text += ".TP\n" + bold("-h") + ", " + bold("--help") + "\nPrint a short help text and exit.\n"
    own = read_text(texts, name + ".1")
    status = ".SH \"EXIT STATUS\"\n0 on success, 1 when something failed, 2 for wrong input; see\n.BR bough (1).\n"
    if status[:10] not in own:
        own = own.replace(".SH EXAMPLES\n", status + ".SH EXAMPLES\n")
    return text + own + ".SH \"SEE ALSO\"\n.BR bough (1),\n.BR bough\\-spec (7)\n"


def command_list(catalogue):
    return "".join(f".TP\n.BR bough\\-{c['name']} (1)\n{prose(sentence(c['summary']))}\n" for c in catalogue["commands"])


# ---- specs ----

def measure(value, unit):
    if value == int(value) and value >= 2**20 and int(value) & (int(value) - 1) == 0 and unit in ("", "B"):
        return f"2^{int(value).bit_length() - 1}" + (" B" if unit else "")
    for name, size in UNITS.get(unit, ()):
        if value and value % size == 0:
            return f"{int(value) // size}{name}"
    return f"{value:g}" if abs(value) < 1e6 else str(int(value))


def bounds(p):
    said = []
    if "min" in p:
        each = "each " if p["type"] == "list" else ""
        said.append(f"{each}{measure(p['min'], p.get('unit', ''))} to {measure(p['max'], p.get('unit', ''))}")
    if p["required"]:
        said.append("required")
    elif p["default"] is not None:
        said.append(f"default {p['default']}")
    return f"({'; '.join(said)})" if said else ""


def parameter(p):
    value = "|".join(p["choices"]) if "choices" in p else "0|1" if p["type"] == "flag" else None
    tag = bold(p["key"] + "=") + (escape(value) if value else italic(VALUES[p["type"]]))
    if value and len(value) > 60:  # longer than a line: choices may be broken, and are not spread
        tag = ".na\n" + tag.replace("|", "|\\:") + "\n.ad"
    text = sentence(p["summary"].removeprefix(p["key"] + ": "))
    return f".TP 10\n{tag}\n{prose(text)}\n" + (escape(bounds(p)) + "\n" if bounds(p) else "")


def identity(p):
    return json.dumps(p, sort_keys=True)


def shared_parameters(entries, most=4):
    """Those that at least so many entries have alike: described once."""
    count = {}
    for p in (p for e in entries for p in e.get("parameters", ())):
        count[identity(p)] = count.get(identity(p), 0) + 1
    return {each for each, times in count.items() if times >= most}


def entry(e, shared):
    text = f".SS {escape(e['name'])}\n{prose(sentence(e['summary']))}\n"
    if e.get("aliases"):
        text += "Also called " + ", ".join(map(bold, e["aliases"])) + ".\n"
    if e.get("pattern"):
        text += "May be the pattern of a stream.\n"
    if "headline_metric" in e:
        text += "Headline metric: " + bold(e["headline_metric"]) + ".\n"
    own = [p for p in e.get("parameters", ()) if identity(p) not in shared]
    common = [p["key"] for p in e.get("parameters", ()) if identity(p) in shared]
    text += "".join(map(parameter, own))
    if common:
        text += ".PP\nCommon parameters: " + ", ".join(map(bold, common)) + ".\n"
    for premise in e.get("assumes", ()):
        text += f".PP\nAssumes {prose(premise.removeprefix('assumes ').rstrip('.'))}.\n"
    return text


def section(catalogue, kind):
    entries = catalogue[kind]
    shared = shared_parameters(entries)
    text = ""
    if shared:
        seen, common = set(), []
        for p in (p for e in entries for p in e.get("parameters", ())):
            if identity(p) in shared and identity(p) not in seen:
                seen.add(identity(p))
                common.append(p)
        text += ".SS Common parameters\nThese have the same meaning wherever they occur below.\n" + "".join(map(parameter, common))
    return text + "".join(entry(e, shared) for e in entries)


def settings(catalogue):
    text = "".join(f".TP\n{bold(e['name'])}\n{prose(sentence(e['summary']))}\n.br\n"
                   + ",\n".join(map(escape, e["values"].split(","))) + "\n" for e in catalogue["physical"])
    return text + ".SS Keys\n" + "".join(map(parameter, catalogue["physical"][0]["parameters"]))


def formats(catalogue):
    return "".join(f".TP\n{bold(e['name'])}\n{prose(sentence(e['summary']))}\n({escape(e['use'])})\n" for e in catalogue["formats"])


# ---- pages ----

def heading(name, number):
    return f'.\\" Written by cmake/manual.py.\n.TH {escape(name.upper())} {number} {DATE} "bough {VERSION}" "bough manual"\n'


def read_text(texts, name):
    with open(os.path.join(texts, name), encoding="utf-8") as file:
        return file.read()


def fold(page):
    """Lines of text of at most 80 bytes; requests and examples as they are."""
    lines, example = [], False
    for line in page.split("\n"):
        example = line != ".EE" and (example or line == ".EX")
        if example or line.startswith(".") or len(line) <= 80:
            lines.append(line)
        else:
            wrapped = textwrap.wrap(line, 78, break_long_words=False, break_on_hyphens=False)
            lines += ["\\&" + each if each[0] in ".'" else each for each in wrapped]
    return "\n".join(lines)


def check_examples(name, text, catalogue):
    options = {c["name"]: {"--help"} | {"--" + o["name"] for o in c["options"]} | {"-" + o["letter"] for o in c["options"] if "letter" in o}
               for c in catalogue["commands"]}
    for example in re.findall(r"^\.EX\n(.*?)^\.EE$", text, re.S | re.M):
        for line in example.replace("\\e\n", " ").split("\n"):
            words = shlex.split(line.replace("\\(aq", "'").replace("\\-", "-").replace("\\(ha", "^"), comments=True)
            if not words or words[0] != "bough":
                continue
            if words[1] not in options:
                sys.exit(f"docs/man/{name}: no command {words[1]}: {line}")
            for word in words[2:]:
                if word.startswith("-") and len(word) > 1 and word.split("=")[0] not in options[words[1]]:
                    sys.exit(f"docs/man/{name}: bough {words[1]} has no option {word}")


def main():
    global VERSION, DATE
    if sys.argv[1:] == ["--names"]:
        print(";".join(PAGES), end="")
        return
    program, texts, VERSION, DATE, out = sys.argv[1:]
    catalogue = json.loads(subprocess.run([program, "list", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    if [c["name"] for c in catalogue["commands"]] != COMMANDS:
        sys.exit("cmake/manual.py: the commands have changed; COMMANDS names them")
    made = {"commands": command_list(catalogue), "physical": settings(catalogue), "formats": formats(catalogue)}
    made.update({kind: section(catalogue, kind) for kind in ("families", "routings", "traffic", "methods", "faults")})
    pages = {f"bough-{c['name']}.1": command_page(c, texts) for c in catalogue["commands"]}
    for name in ("bough.1", "bough-spec.7"):
        title, number = name.rsplit(".", 1)
        body = re.sub(r"^@(\w+)@\n", lambda m: made[m.group(1)], read_text(texts, name), flags=re.M)
        pages[name] = heading(title, number) + body
    os.makedirs(out, exist_ok=True)
    for name in PAGES:
        check_examples(name, pages[name], catalogue)
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            file.write(fold(pages[name]))


if __name__ == "__main__":
    main()
