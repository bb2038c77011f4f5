"""Notebooks from scripts with cells (`# %%`), the two forms of the examples.

    python3 python/tests/notebook.py EXAMPLE.py      # writes EXAMPLE.ipynb"""
import json
import re
import sys
from pathlib import Path


def cells(script):
    """(kind, lines) of the cells of a script."""
    for part in re.split(r"^# %%", script, flags=re.M)[1:]:
        head, _, body = part.partition("\n")
        lines = body.strip("\n").splitlines(keepends=True)
        if "[markdown]" in head:
            yield "markdown", [re.sub(r"^# ?", "", line) for line in lines]
        else:
            yield "code", lines


def notebook(script):
    """The notebook of a script, as text, without outputs."""
    made = []
    for i, (kind, lines) in enumerate(cells(script)):
        cell = {"cell_type": kind, "id": f"cell-{i}", "metadata": {}, "source": lines}
        if kind == "code":
            cell.update(execution_count=None, outputs=[])
        made.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {"cells": made, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}, "nbformat": 4,
            "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.with_suffix(".ipynb").write_text(notebook(path.read_text()))
