#!/usr/bin/env python3
"""Links between the documents: each names a file of the tree, and a heading of it.

    tests/links.py ROOT     a line for each link that leads nowhere; exit status 1 when there is one"""
import os
import re
import subprocess
import sys


def headings(lines):
    """What each heading is called in links, as hosts of repositories make it, by the number of its line."""
    found, taken = {}, set()
    fenced = False
    for at, line in enumerate(lines):
        fenced ^= line.startswith("```")
        heading = re.match(r"#+ +(.*?)\s*$", line)
        if heading and not fenced:
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
            anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            number = 1
            while anchor in taken:
                anchor, number = f"{anchor.rstrip('0123456789-')}-{number}", number + 1
            taken.add(anchor)
            found[at] = anchor
    return found


def anchors(path):
    with open(path, encoding="utf-8") as file:
        return set(headings(file).values())


def main():
    root = sys.argv[1]
    listed = subprocess.run(["git", "-C", root, "ls-files", "*.md"], capture_output=True, text=True, check=False).stdout.split()
    breaches = links = 0
    for page in listed:
        with open(os.path.join(root, page), encoding="utf-8") as file:
            text = file.read()
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            links += 1
            name, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(root, os.path.dirname(page), name)) if name else os.path.join(root, page)
            if not os.path.exists(path):
                print(f"{page}: {target}: no such file")
                breaches += 1
            elif anchor and path.endswith(".md") and anchor not in anchors(path):
                print(f"{page}: {target}: no such heading")
                breaches += 1
    print(f"{len(listed)} documents, {links} links, {breaches} breaches")
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
