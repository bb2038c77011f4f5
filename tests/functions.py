#!/usr/bin/env python3
"""The functions of src/: at most five parameters, and control statements nested at most three deep.

    tests/functions.py ROOT [PLACE...]   one line for each function that breaks a rule (of files whose path begins
                                         with PLACE, such as src/engines); exit status 1 when there is one

`if`, `for`, `while`, `do` and `switch` count, with and without braces; `else if` counts as its `if`. Parameters are
counted in definitions, so a type of functions is found through the functions that have it."""
import os
import re
import sys

PARAMETERS_MOST = 5
NESTING_MOST = 3
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\S")
NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
CLOSE = {"(": ")", "[": "]", "{": "}"}


def tokens_of(text):
    """(token, line) without comments and directives; a string is the token 0."""
    text = NOISE.sub(lambda m: ("0" if m.group()[0] in "\"'" else "") + "\n" * m.group().count("\n"), text)
    result, line, at = [], 1, 0
    for m in TOKEN.finditer(text):
        line += text.count("\n", at, m.start())
        at = m.start()
        result.append((m.group(), line))
    return result


class Reader:
    def __init__(self, text):
        self.tokens = tokens_of(text)
        self.at = 0

    def peek(self):
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def skip_bracket(self):
        """Moves behind the bracket that closes the one at hand."""
        depth = 0
        while self.at < len(self.tokens):
            token = self.peek()
            self.at += 1
            if token in CLOSE:
                depth += 1
            elif token in CLOSE.values():
                depth -= 1
                if depth == 0:
                    return

    def simple(self):
        """Moves behind the ; of a statement without statements in it; a macro may have none."""
        while self.peek() not in (";", "}", ""):
            if self.peek() in CLOSE:
                self.skip_bracket()
            else:
                self.at += 1
        self.at += self.peek() == ";"

    def statement(self):
        """Reads one statement; returns how deeply control statements are nested in it."""
        token = self.peek()
        if token == "{":
            self.at += 1
            deepest = 0
            while self.peek() not in ("}", ""):
                deepest = max(deepest, self.statement())
            self.at += 1
            return deepest
        if token in ("case", "default"):
            while self.peek() != ":":
                self.at += 1
            self.at += 1
            return 0
        if token in ("if", "for", "while", "switch"):
            self.at += 1
            self.skip_bracket()
            deepest = 1 + self.statement()
            if token == "if" and self.peek() == "else":
                self.at += 1
                again = self.peek() == "if"
                deepest = max(deepest, self.statement() + (not again))
            return deepest
        if token == "do":
            self.at += 1
            deepest = 1 + self.statement()
            self.simple()
            return deepest
        self.simple()
        return 0


def parameters(tokens):
    """The number of parameters in a list of tokens between the brackets."""
    words = [t for t, _ in tokens]
    if not words or words == ["void"]:
        return 0
    depth, count = 0, 1
    for word in words:
        depth += (word in CLOSE) - (word in CLOSE.values())
        count += word == "," and depth == 0
    return count


def functions(text):
    """(name, line, parameters, nesting) of each function defined in a file."""
    reader = Reader(text)
    while reader.at < len(reader.tokens):
        token = reader.peek()
        if token == "(" and reader.at:
            name, line = reader.tokens[reader.at - 1]
            start = reader.at
            reader.skip_bracket()
            if reader.peek() == "{" and re.match(r"[A-Za-z_]", name):
                count = parameters(reader.tokens[start + 1 : reader.at - 1])
                yield name, line, count, reader.statement()
        elif token in CLOSE:
            reader.skip_bracket()
        else:
            reader.at += 1


def main():
    root, places = sys.argv[1], sys.argv[2:] or [""]
    breaches = []
    for folder, _, names in os.walk(os.path.join(root, "src")):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if not name.endswith((".c", ".h")) or not path.startswith(tuple(places)):
                continue
            with open(os.path.join(root, path), encoding="utf-8") as file:
                for function, line, count, nesting in functions(file.read()):
                    if count > PARAMETERS_MOST:
                        breaches.append(f"{path}:{line}: {function} has {count} parameters, at most {PARAMETERS_MOST}")
                    if nesting > NESTING_MOST:
                        breaches.append(f"{path}:{line}: {function} nests {nesting} deep, at most {NESTING_MOST}")
    print("\n".join(sorted(breaches)), end="\n" if breaches else "")
    return 1 if breaches else 0


sys.exit(main())
