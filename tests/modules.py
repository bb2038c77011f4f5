#!/usr/bin/env python3
"""The modules of src/: which includes which.

    tests/modules.py ROOT [LIBRARY]   check the rules below; exit status 1 and one line for each breach
    tests/modules.py ROOT --picture   the dependencies between modules, as docs/modules.svg shows them
    tests/modules.py ROOT --module FILE   the module of a file of src/ or include/

Rules: a module includes itself and modules below it, also through public headers; functions and data of LIBRARY
(libbough_core.a) refer to such ones only; no two files share a name; files include each other in no cycle."""
import collections
import os
import re
import subprocess
import sys

# lower modules first
ORDER = ["base", "document", "formats", "network", "routing", "loads", "traffic", "method", "models", "engines", "papers", "searches", "extension", "study", "fabric", "report", "api", "cli"]

# what others compile against, beside bough.h and bough-ext.h
PUBLIC = {"bough/status.h": "base"}


def read(root):
    """{file: text} of src/ and include/, by paths as includes name them."""
    files = {}
    for top in ("src", "include"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith((".c", ".h")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        files[os.path.relpath(path, os.path.join(root, top))] = file.read()
    return files


def module(path, public):
    return public.get(path) or path.split("/")[0]


def references(library):
    """(object file that refers, object file that defines, symbol) of a static library, by nm."""
    defined, wanted = {}, []
    lines = subprocess.run(["nm", "-A", "-P", library], check=True, capture_output=True, text=True).stdout
    for line in lines.splitlines():
        place, symbol, kind = line.split()[:3]
        file = re.search(r"\[(.*)\.o\]", place).group(1)
        if kind == "U":
            wanted.append((file, symbol))
        elif kind.isupper():
            defined[symbol] = file
    return [(file, defined[symbol], symbol) for file, symbol in wanted if symbol in defined]


def find_cycle(includes):
    """A cycle among the files, as a list that begins and ends with the same one, or None."""
    state = {}

    def visit(file, stack):
        state[file] = "open"
        for other in includes.get(file, ()):
            if state.get(other) == "open":
                return stack[stack.index(other):] + [other] if other in stack else [file, other]
            if other not in state:
                found = visit(other, stack + [other])
                if found:
                    return found
        state[file] = "done"
        return None

    for file in includes:
        if file not in state:
            found = visit(file, [file])
            if found:
                return found
    return None


def picture(includes, public):
    """Modules from high to low; a dot where a row's module uses a column's, none where it does not."""
    uses = {(module(file, public), module(other, public)) for file, others in includes.items() for other in others}
    cell, left, top = 40, 110, 76
    width, height = left + cell * len(ORDER) + 10, top + cell * len(ORDER) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="14">',
           "<title>Modules of bough: a dot means that the module of the row uses the module of the column</title>",
           f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for column, name in enumerate(reversed(ORDER)):
        x = left + cell * column + cell / 2
        out.append(f'<text transform="translate({x + 5:g} {top - 8}) rotate(-60)" fill="#222">{name}</text>')
    for row, name in enumerate(reversed(ORDER)):
        y = top + cell * row
        out.append(f'<rect x="4" y="{y + 4}" width="{left - 14}" height="{cell - 8}" rx="4" fill="#e8eef7" stroke="#46689b"/>')
        out.append(f'<text x="16" y="{y + 25}" fill="#111">{name}</text>')
        for column, other in enumerate(reversed(ORDER)):
            x = left + cell * column
            if column < row:
                continue
            out.append(f'<rect x="{x}" y="{y}" width="{cell}" height="{cell}" fill="none" stroke="#ccc"/>')
            if column == row:
                out.append(f'<rect x="{x}" y="{y}" width="{cell}" height="{cell}" fill="#d5d9e0"/>')
            elif (name, other) in uses:
                out.append(f'<circle cx="{x + cell / 2:g}" cy="{y + cell / 2:g}" r="6" fill="#274b7d"/>')
    return "\n".join(out) + "\n</svg>\n"


def main():
    root = sys.argv[1]
    files = read(root)
    public = {**PUBLIC, "bough.h": "extension", "bough-ext.h": "extension"}  # declared for all, defined in api
    if "--module" in sys.argv:
        print(module(re.sub(r"^(src|include)/", "", sys.argv[-1]), public))
        return
    includes = {file: [i for i in re.findall(r'^#include "([^"]+)"', text, re.M)] for file, text in files.items()}
    breaches = []

    for file in sorted(files):
        if file.startswith("bough/") and file not in public:
            breaches.append(f"include/{file}: headers that are not installed stand beside their code in src/")
        elif module(file, public) not in ORDER:
            breaches.append(f"src/{file}: not in a module")
    for file, others in sorted(includes.items()):
        for other in others:
            if other not in files:
                breaches.append(f"{file}: includes {other}, which does not exist")
            elif module(file, public) in ORDER and module(other, public) in ORDER:
                if ORDER.index(module(other, public)) > ORDER.index(module(file, public)):
                    breaches.append(f"{file}: includes {other} of a higher module")
    if len(sys.argv) > 2 and not sys.argv[2].startswith("-"):
        place = {os.path.basename(file): file for file in files if file.endswith(".c")}
        for file, other, symbol in references(sys.argv[2]):
            low, high = (place.get(name) for name in (file, other))  # generated files are in no module
            if low and high and ORDER.index(module(high, public)) > ORDER.index(module(low, public)):
                breaches.append(f"{low}: uses {symbol} of {high}, a higher module")
    cycle = find_cycle(includes)
    if cycle:
        breaches.append("files include each other: " + " -> ".join(cycle))
    names = collections.defaultdict(list)
    for file in files:
        names[os.path.basename(file)].append(file)
    for name, same in sorted(names.items()):
        if len(same) > 1:
            breaches.append(f"{name}: {len(same)} files have this name: {', '.join(sorted(same))}")

    drawn = picture(includes, public)
    if "--picture" in sys.argv:
        print(drawn, end="")
        return
    with open(os.path.join(root, "docs/modules.svg"), encoding="utf-8") as file:
        if file.read() != drawn:
            breaches.append("docs/modules.svg is not the picture of these files; run tests/modules.py . --picture >docs/modules.svg")
    for breach in breaches:
        print(breach)
    print(f"{len(files)} files, {len(breaches)} breaches")
    sys.exit(1 if breaches else 0)


main()
