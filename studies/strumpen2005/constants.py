#!/usr/bin/env python3
"""Least squares of rounds on lg m, m lg n / 2n and 1, with 95 % intervals, for each method:

    bough run strumpen2005/constants --csv | python3 studies/strumpen2005/constants.py
"""
import csv
import math
import sys

NAMES = ("lg m", "m lg n / 2n", "1")
PAPER = (0.1, 1, 1)


def terms(row):
    n, m = int(row["n"]), int(row["m"])
    return (math.log2(m), m * math.log2(n) / 2 / n, 1)


def inverse(matrix):
    """By Gauss-Jordan elimination with partial pivoting."""
    size = len(matrix)
    work = [list(row) + [float(i == j) for j in range(size)] for i, row in enumerate(matrix)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda r: abs(work[r][i]))
        work[i], work[pivot] = work[pivot], work[i]
        work[i] = [value / work[i][i] for value in work[i]]
        for r in range(size):
            if r != i:
                work[r] = [a - work[r][i] * b for a, b in zip(work[r], work[i])]
    return [row[size:] for row in work]


def worst(x, y, constants):
    return max(abs(v - sum(a * c for a, c in zip(row, constants))) for row, v in zip(x, y))


def fit(x, y):
    """Constants and the half widths of their intervals (normal quantile)."""
    size = range(len(NAMES))
    inv = inverse([[sum(r[i] * r[j] for r in x) for j in size] for i in size])
    right = [sum(r[i] * v for r, v in zip(x, y)) for i in size]
    constants = [sum(inv[i][j] * right[j] for j in size) for i in size]
    rest = sum((v - sum(a * c for a, c in zip(r, constants))) ** 2 for r, v in zip(x, y))
    variance = rest / (len(y) - len(NAMES))
    return constants, [1.96 * math.sqrt(variance * inv[i][i]) for i in size]


def main():
    rows = [row for row in csv.DictReader(sys.stdin) if row["metric"] == "rounds"]
    for method in sorted({row["method"] for row in rows if not row["method"].startswith("bound")}):
        own = [row for row in rows if row["method"] == method]
        x, y = [terms(row) for row in own], [float(row["mean"]) for row in own]
        constants, half = fit(x, y)
        print(f"{method}: {len(y)} points")
        for name, value, width in zip(NAMES, constants, half):
            print(f"  {name:<12} {value:.3f} +- {width:.3f}")
        print(f"  largest deviation {worst(x, y, constants):.2f}, of the paper's curve {worst(x, y, PAPER):.2f}")


if __name__ == "__main__":
    main()
