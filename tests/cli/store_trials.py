#!/usr/bin/env python3
"""Prints every stored trial of every answer, bit for bit and in order.

    tests/cli/store_trials.py DIR...

Two stores with the same output hold the same results: when trials were committed, how they are divided into chunks and
how layouts are numbered may differ. Reads the file without any code of bough (src/study/store/ describes the format).
Exit status 1 if an answer lacks a trial or has one twice."""
import os
import sqlite3
import struct
import sys


def trials(path):
    """{(point, answer, trial): text}"""
    db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    layouts = dict(db.execute("SELECT id, rows FROM layout"))
    result = {}
    for point, answer, first, directory, data in db.execute("SELECT point, answer, first, directory, data FROM chunk"):
        at = 0
        for i in range(len(directory) // 8):
            length = struct.unpack_from("<I", directory, 8 * i)[0]
            place = (point, answer, first + i)
            if place in result:
                sys.exit("%s: trial %d of answer %d of point %d is there twice" % (path, first + i, answer, point))
            result[place] = trial(layouts, data[at:at + length])
            at += length
        if at != len(data):
            sys.exit("%s: a chunk has bytes of no trial" % path)
    return result


def trial(layouts, data):
    layout, outcome = struct.unpack_from("<II", data)
    at, note = 8, b""
    if outcome:  # 256: ok, with a note
        note = data[9:9 + data[8]]
        at = 9 + data[8]
    words = [str(outcome), repr(note)]
    for name in layouts[layout].split():
        words.append("%s=%016x" % (name, struct.unpack_from("<Q", data, at)[0]))
        at += 8
        if name.endswith("+-"):
            words.append("%016x" % struct.unpack_from("<Q", data, at)[0])
            at += 8
    if at != len(data):
        sys.exit("a trial has bytes of no value")
    return " ".join(words)


def main():
    for directory in sys.argv[1:]:
        path = os.path.join(directory, "results.sqlite")
        found = trials(path)
        before = (-1, -1, 0)
        for place in sorted(found):
            if place[2] != (before[2] + 1 if place[:2] == before[:2] else 0):
                sys.exit("%s: trial %d of answer %d of point %d comes after a gap" % (path, place[2], place[1], place[0]))
            before = place
            print(*place, found[place])


main()
