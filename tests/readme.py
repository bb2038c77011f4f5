#!/usr/bin/env python3
"""Runs the commands of a page and compares what they print with what the page shows.

    tests/readme.py ROOT BOUGH PAGE...

An indented block that begins with `$ ` is a command (continued by a backslash at the end of a line), followed by
lines of its output, standard error included. A line `...` stands for any number of lines."""
import os
import re
import subprocess
import sys
import tempfile


def blocks(page):
    """(line number, command, output lines) of a page."""
    found = []
    lines = open(page, encoding="utf-8").read().splitlines()
    at = 0
    while at < len(lines):
        if not lines[at].startswith("    $ "):
            at += 1
            continue
        start, command = at + 1, lines[at][6:]
        while command.endswith("\\"):
            at += 1
            command = command[:-1] + lines[at].strip()
        at += 1
        output = []
        while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
            if lines[at].startswith("    $ "):
                break
            output.append(lines[at][4:].rstrip())
            at += 1
        while output and not output[-1]:
            output.pop()
        found.append((start, command, output))
    return found


def differs(shown, printed):
    """The first line of `shown` that is not in `printed` where it is to be, or None."""
    at, anywhere = 0, False
    for line in shown:
        if line == "...":
            anywhere = True
            continue
        if anywhere:
            while at < len(printed) and printed[at] != line:
                at += 1
        if at >= len(printed) or printed[at] != line:
            return line
        at, anywhere = at + 1, False
    return None if anywhere or at == len(printed) else printed[at]


def main():
    root, bough, pages = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
    checked = wrong = 0
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with tempfile.TemporaryDirectory() as place:
        # the pages call build/release/bough from the root of the project
        os.makedirs(os.path.join(place, "build/release"))
        os.symlink(bough, os.path.join(place, "build/release/bough"))
        for name in ("examples", "studies", "scripts"):
            os.symlink(os.path.join(os.path.abspath(root), name), os.path.join(place, name))
        for page in pages:
            for line, command, shown in blocks(os.path.join(root, page)):
                if not re.match(r"(build/release/)?bough ", command):
                    continue
                run = subprocess.run(["sh", "-c", command], cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True, check=False,
                                     env={**environment, "PATH": place + "/build/release:" + os.environ["PATH"]})
                checked += 1
                bad = differs(shown, [text.rstrip() for text in run.stdout.splitlines()]) if shown else None
                if run.returncode or bad is not None:
                    wrong += 1
                    print(f"{page}:{line}: {command}: exit status {run.returncode}, differs at: {bad}\n{run.stdout}")
    print(f"{checked} commands, {wrong} differ")
    sys.exit(1 if wrong or not checked else 0)


main()
