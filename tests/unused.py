#!/usr/bin/env python3
"""What the library and the command hold and nothing uses.

    tests/unused.py ROOT OBJECTS    one line for each finding; exit status 1 when there is one

OBJECTS is a folder with the object files of the core, the command and its MPI module, such as build/debug/CMakeFiles.
Their symbols and relocations say which function or object refers to which. What main, the functions of bough.h and
bough-ext.h, and the entry of the MPI module lead to is in use; calls of tests and of bench/ do not count. Findings:

- functions and data that nothing in use refers to;
- functions and data that only their own file refers to, and no test by name: they should be static;
- members of structures, inline functions, macros, types and declarations of src/ and include/ that are named nowhere
  but where they are declared; the interface of the installed headers may be for others. A member that has the name of
  another one in the same files is not found."""
import bisect
import collections
import os
import re
import subprocess
import sys

DATA_SECTIONS = (".data", ".rodata", ".data.rel", ".data.rel.ro", ".data.rel.local", ".data.rel.ro.local", ".init_array")

# name, or file whose members stay: why
ALLOWED = {
    "_GNU_SOURCE": "the C library reads it",
    "bough_net_check": "tests of networks call it; the command tells its progress",
    "flow_work": "bench/bench_flow.c reports it",
    "src/papers/bay1991/sortroute.h": "events of a run, which tests watch",
    "PCRE2_CODE_UNIT_WIDTH": "pcre2.h reads it",
}

FILE = re.compile(r"^(\S.*):     file format ")
SYMBOL = re.compile(r"^([0-9a-f]+) (.{7}) (\S+)\t([0-9a-f]+) (?:(\.hidden|0x\S+) )?(\S+)$")
SECTION = re.compile(r"^(?:Disassembly of section|RELOCATION RECORDS FOR) \[?([^\]]*?)\]?:$")
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t")
CODE_RELOCATION = re.compile(r"\t([0-9a-f]+): (R_\S+)\s+(\S+)$")
DATA_RELOCATION = re.compile(r"^([0-9a-f]+) R_\S+\s+(\S+)$")
LOCAL_TARGET = re.compile(r"\b([0-9a-f]+) <[^<>]+>$")


def objdump(options, objects):
    """(object, section or None, line) of the output."""
    lines = subprocess.run(["objdump", *options, *objects], capture_output=True, text=True, check=False).stdout
    file = section = None
    for line in lines.splitlines():
        m = FILE.match(line)
        if m:
            file, section = m.group(1), None
            continue
        m = SECTION.match(line)
        if m:
            section = m.group(1)
            continue
        yield file, section, line


class Program:
    """Nodes are (object, symbol) of local symbols, names of global ones, and (object, section, offset) of places without
    a symbol, such as strings and tables of switches."""

    def __init__(self, objects):
        self.edges = collections.defaultdict(set)
        self.home = {}  # global name: its object
        self.kind = {}  # node: F or O
        self.ranges = collections.defaultdict(list)  # (object, section): (start, end, node)
        self.names = {}  # (object, name): node
        self.read_symbols(objects)
        for list_ in self.ranges.values():
            list_.sort(key=lambda r: r[:2])
        self.read_code(objects)
        self.read_data(objects)

    def read_symbols(self, objects):
        for file, _, line in objdump(["-tw"], objects):
            m = SYMBOL.match(line)
            if not m or m.group(3) in ("*ABS*", "*UND*"):
                continue
            start, flags, section, size, _, name = m.groups()
            node = name if flags[0] in "gu!" or flags[1] == "w" else (file, name)
            if flags[6] not in "FO" and flags[5] != "i":
                continue
            if node == name:
                self.home[name] = file
            self.kind[node] = flags[6]
            self.names[(file, name)] = node
            start, size = int(start, 16), int(size, 16)
            if size:
                self.ranges[(file, section)].append((start, start + size, node))

    def node_at(self, file, section, offset):
        ranges = self.ranges[(file, section)]
        at = bisect.bisect_right(ranges, offset, key=lambda r: r[0]) - 1
        if at >= 0 and offset < ranges[at][1]:
            return ranges[at][2]
        return (file, section, at)

    def target(self, file, value, shift):
        """The node that a relocation names: a symbol or a section, with an offset."""
        m = re.match(r"^(.*?)(?:([+-])0x([0-9a-f]+))?$", value)
        name, sign, offset = m.groups()
        offset = int(offset or "0", 16) * (-1 if sign == "-" else 1) + shift
        if (file, name) in self.names:
            return self.names[(file, name)]
        return self.node_at(file, name, offset) if name.startswith(".") else name

    def read_code(self, objects):
        waiting = None  # a relocation relative to the next instruction
        for file, section, line in objdump(["-drw", "--no-show-raw-insn"], objects):
            m = INSTRUCTION.match(line)
            if not m:
                continue
            address = int(m.group(1), 16)
            if waiting:
                self.refer(*waiting, address)
            waiting = None
            relocation = CODE_RELOCATION.search(line)
            local = LOCAL_TARGET.search(line)
            source = self.node_at(file, section, address)
            if relocation:
                place, kind, value = relocation.groups()
                waiting = (file, source, value, int(place, 16) if "PC32" in kind or "PLT32" in kind else None)
            elif local:
                self.edges[source].add(self.node_at(file, section, int(local.group(1), 16)))
        if waiting:
            self.refer(*waiting, 0)

    def refer(self, file, source, value, place, following):
        shift = following - place if place is not None and following > place else 0
        self.edges[source].add(self.target(file, value, shift))

    def read_data(self, objects):
        options = ["-rw"] + [word for section in DATA_SECTIONS for word in ("-j", section)]
        for file, section, line in objdump(options, objects):
            m = DATA_RELOCATION.match(line)
            if m:
                source = self.node_at(file, section, int(m.group(1), 16))
                self.edges[source].add(self.target(file, m.group(2), 0))

    def reached(self, roots):
        seen = set(roots)
        stack = list(seen)
        while stack:
            for node in self.edges.get(stack.pop(), ()):
                if node not in seen:
                    seen.add(node)
                    stack.append(node)
        return seen

    def object_of(self, node):
        return self.home.get(node) if isinstance(node, str) else node[0]


def find_objects(folder):
    """Object files of the core, the command and the MPI module, and which of these are in the library."""
    objects, core = [], set()
    for target in ("bough_core.dir", "bough.dir", "bough-mpi.dir"):
        for place, _, names in os.walk(os.path.join(folder, target)):
            for name in names:
                if name.endswith(".o"):
                    objects.append(os.path.join(place, name))
                    if target == "bough_core.dir":
                        core.add(objects[-1])
    return sorted(objects), core


def source_of(file):
    return re.sub(r"^.*\.dir/", "", file)[:-2]


def read_texts(root, tops, suffixes):
    texts = {}
    for top in tops:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(suffixes):
                    path = os.path.relpath(os.path.join(folder, name), root)
                    with open(os.path.join(root, path), encoding="utf-8") as file:
                        texts[path] = file.read()
    return texts


def words_of(texts):
    """{word: files}"""
    words = collections.defaultdict(set)
    for path, text in texts.items():
        for word in re.findall(r"[A-Za-z_]\w*", text):
            words[word].add(path)
    return words


def interface(root):
    """The functions of the installed headers."""
    names = set()
    for header in ("bough.h", "bough-ext.h", "bough/status.h"):
        with open(os.path.join(root, "include", header), encoding="utf-8") as file:
            names |= set(re.findall(r"^BOUGH_API [^\n(]*(bough_\w+)\(", file.read(), re.M))
    return names


def unused_symbols(root, folder):
    objects, core = find_objects(folder)
    if not core:
        sys.exit(f"{folder}: no object files of bough_core")
    program = Program(objects)
    roots = {"main"} | interface(root) | {name for name in program.home if name.endswith(".resolver")}  # of clones for processors
    roots |= {name for name in program.home if "bough-mpi.dir" in program.home[name]}
    roots |= {node for node in list(program.edges) if len(node) == 3 and node[1] == ".init_array"}
    live = program.reached(roots)
    outside = set()
    for source, targets in program.edges.items():
        for target in targets:
            if isinstance(target, str) and program.object_of(source) != program.home.get(target):
                outside.add(target)
    users = words_of(read_texts(root, ("tests", "bench", "examples"), (".c", ".h", ".cpp")))
    for name, home in sorted(program.home.items(), key=lambda item: (source_of(item[1]), item[0])):
        if name in roots or not source_of(home).startswith("src/"):
            continue
        if name not in live:
            named = ", ".join(sorted(users.get(name, ()))) or "no file"
            yield name, f"{source_of(home)}: nothing in use refers to {name} ({named} names it)"
        elif name not in outside and name not in users:
            yield name, f"{source_of(home)}: only this file refers to {name}, so it should be static"


COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')', re.S)
AGGREGATE = re.compile(r"\b(?:struct|union)\b(?:\s+\w+)?\s*\{")
WORD = re.compile(r"[A-Za-z_]\w*")
ACCESS = re.compile(r"(?:\.|->)\s*([A-Za-z_]\w*)")
MACRO = re.compile(r"^[ \t]*#[ \t]*define(?:\\\n|[^\n])*", re.M)
DECLARED = (
    ("macro", re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)),
    ("function", re.compile(r"^(?!typedef)[A-Za-z_][^;{}#()=]*?(\w+)\([^;{}]*\)\s*[;{]", re.M)),
    ("data", re.compile(r"^extern [^;(]*?(\w+)(?:\[[^\]]*\])*;", re.M)),
    ("type", re.compile(r"^(?:\}|typedef [^;{]*?[ *])[ \t]*(\w+);", re.M)),
)
INSTALLED = ("include/bough.h", "include/bough-ext.h", "include/bough/status.h")


def plain(text):
    """Without comments and what is in strings."""
    return COMMENT.sub(lambda m: '""' if m.group(1) else "\n" * m.group().count("\n"), text)


def split(text, separator):
    """Parts of a text between separators that are in no bracket."""
    depth, parts, part = 0, [], ""
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == separator and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return parts + [part]


def members(text):
    """Names of the members of all structures and unions."""
    for m in AGGREGATE.finditer(text):
        depth, at = 1, m.end()
        while depth and at < len(text):
            depth += (text[at] == "{") - (text[at] == "}")
            at += 1
        for declaration in split(text[m.end() : at - 1], ";"):
            for declarator in split(declaration[declaration.rfind("}") + 1 :], ","):
                pointer = re.search(r"\(\s*\*+\s*(?:const\s+)?(\w+)", declarator)
                name = pointer or re.search(r"(\w+)\s*(?:\[.*\]|:\s*\w+)?\s*$", declarator, re.S)
                if name and not name.group(1).startswith("apart"):  # room between what threads write
                    yield name.group(1)


def includers(texts):
    """{file: files that include it, also through others, and itself}"""
    direct = {path: set(re.findall(r'^#include "([^"]+)"', text, re.M)) for path, text in texts.items()}
    place = {path.split("/", 1)[1]: path for path in texts}
    result = {path: {path} for path in texts}
    for path in texts:
        seen, stack = set(), [path]
        while stack:
            for name in direct[stack.pop()]:
                if name in place and place[name] not in seen:
                    seen.add(place[name])
                    stack.append(place[name])
        for other in seen:
            result[other].add(path)
    return result


def unused_names(root):
    raw = read_texts(root, ("src", "include"), (".c", ".h"))
    texts = {path: plain(text) for path, text in raw.items()}
    counts, remarks = collections.Counter(), collections.Counter()
    for path, text in texts.items():
        counts.update(WORD.findall(text))
        remarks.update(set(WORD.findall(raw[path])))
    accessed = {path: set(ACCESS.findall(text)) for path, text in texts.items()}
    by_macros = {name for text in texts.values() for macro in MACRO.findall(text) for name in ACCESS.findall(macro)}
    pasted = {suffix for text in texts.values() for suffix in re.findall(r"##(_\w+)", text)}
    users = includers(raw)
    for path, text in texts.items():
        if path in INSTALLED:
            continue
        named = by_macros.union(*(accessed[user] for user in users[path]))
        for name in members(text):
            stems = [name[: -len(suffix)] for suffix in pasted if name.endswith(suffix)]
            if name not in named and not any(stem in named for stem in stems):
                yield name, f"{path}: no code names the member {name}"
        for what, pattern in DECLARED:
            if what == "function" and path.endswith(".c"):
                continue  # the compiler and unused_symbols see these
            for name in pattern.findall(text):
                if counts[name] == 1 and (what != "macro" or remarks[name] == 1):
                    yield name, f"{path}: nothing uses the {what} {name}"


def main():
    root, folder = sys.argv[1:3]
    findings, kept = [], set()
    for name, line in list(unused_symbols(root, folder)) + sorted(set(unused_names(root)), key=lambda f: f[1]):
        reasons = {name, line.split(":")[0]} & set(ALLOWED)
        kept |= reasons
        if not reasons:
            findings.append(line)
    findings += [f"tests/unused.py: {name} is in use, so it needs no reason" for name in ALLOWED if name not in kept]
    for line in findings:
        print(line)
    print(f"{len(findings)} unused names; {len(kept)} reasons for others")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
