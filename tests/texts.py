#!/usr/bin/env python3
"""A bough_text is looked at for a failed allocation before its bytes are used: an incomplete text must not pass for a whole one.

    tests/texts.py ROOT [FILE...]   one line for each use that breaks a rule (of these files); exit status 1 when there is one

A function of src/ that uses `data` of a text of its own (a variable or parameter) also names its `failed`, or takes,
finishes or joins it; for a text in a structure, some function of the file does. Files are written of texts by
bough_output_write_text."""
import glob
import os
import re
import sys

FUNCTION = re.compile(r"^[A-Za-z][^\n;]*\([^;{}]*\)\s*\{\n.*?^\}", re.S | re.M)
DECLARED = re.compile(r"\bbough_text\s+(?:\*\s*)?(?:const\s+)?(\w+(?:\s*=\s*\{[^}]*\})?(?:,\s*\*?\w+(?:\s*=\s*\{[^}]*\})?)*)")
WORD = re.compile(r"(?:^|,)\s*\*?(\w+)")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
HOME = "src/base/text/text.c"
WRITER = "src/base/files/output.c"


def names_of(text):
    """The texts that are declared in it."""
    return {name for found in DECLARED.findall(text) for name in WORD.findall(re.sub(r"=\s*\{[^}]*\}", "", found))}


def is_checked(text, name):
    """Whether `failed` of the text is named, or passes on with it."""
    said = rf"(?:\b|\.|->){name}(?:\.|->)failed\b"
    given = rf"\bbough_(?:text_take|text_keep|text_finish|text_join|fail_text|output_write_text)\([^;]*\b{name}\b"
    return re.search(said, text) or re.search(given, text)


def short_write(before):
    """Whether what comes next is the second argument of bough_output_write."""
    return re.search(r"\bbough_output_write\([^;,]*,\s*(?:\w+(?:\.|->))*\w*$", before)


def breaches(path, text, members):
    """(line, name) of uses without a check."""
    text = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    members = members | names_of("".join(re.findall(r"\bstruct \w+ \{.*?^\}", text, re.S | re.M)))
    for function in FUNCTION.finditer(text):
        body = function.group()
        for use in re.finditer(r"(?P<owner>(?:\.|->)?)\b(?P<name>\w+)(?:\.|->)data\b", body):
            name, owner = use["name"], use["owner"]
            if owner and name in members:
                fine = is_checked(text, name)
            elif not owner and name in names_of(body):
                fine = is_checked(body, name)
            else:
                continue
            line = text.count("\n", 0, function.start() + use.start()) + 1
            if not fine:
                yield line, f"uses {name} and never looks at its `failed`"
            elif short_write(body[:use.start()]) and path != WRITER:
                yield line, f"writes {name} by bough_output_write; bough_output_write_text checks it"


def main():
    root = sys.argv[1]
    headers = [open(path, encoding="latin-1").read() for path in glob.glob(os.path.join(root, "src/**/*.h"), recursive=True)]
    members = set().union(*(names_of("".join(re.findall(r"\bstruct \w+ \{.*?^\}", COMMENT.sub("", text), re.S | re.M))) for text in headers))
    found = 0
    for path in sys.argv[2:] or sorted(glob.glob(os.path.join(root, "src/**/*.c"), recursive=True)):
        short = os.path.relpath(path, root)
        if short == HOME:
            continue
        with open(path, encoding="latin-1") as file:
            for line, what in breaches(short, file.read(), members):
                print(f"{short}:{line}: {what}")
                found += 1
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
