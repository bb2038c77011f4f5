"""The examples run: as notebooks where python3-nbconvert is installed, else cell by cell."""
import json
import os
import subprocess
import sys

import pytest

from notebook import cells, notebook

EXAMPLES = ["greenberg1997_fig3"]


@pytest.fixture(autouse=True)
def _packages():
    for name in ("pandas", "matplotlib"):
        pytest.importorskip(name)


@pytest.mark.parametrize("name", EXAMPLES)
def test_script_and_notebook_are_the_same(root, name):
    """python3 python/tests/notebook.py EXAMPLE.py writes the notebook again."""
    script = (root / f"python/examples/{name}.py").read_text()
    assert (root / f"python/examples/{name}.ipynb").read_text() == notebook(script)


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_runs(root, name, tmp_path):
    pytest.importorskip("nbconvert")
    pytest.importorskip("ipykernel")
    path = root / f"python/examples/{name}.ipynb"
    subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--ExecutePreprocessor.timeout=500",
                    "--output-dir", tmp_path, path], check=True, env={**os.environ, "PYTHONPATH": str(root / "python")})
    book = json.loads((tmp_path / f"{name}.ipynb").read_text())
    outputs = [output for cell in book["cells"] for output in cell.get("outputs", ())]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
    check("".join("".join(output.get("text", "")) for output in outputs))


@pytest.mark.parametrize("name", EXAMPLES)
def test_its_cells_run(root, name, monkeypatch, capsys):
    try:
        import nbconvert  # noqa: F401
        pytest.skip("it runs as a notebook")
    except ImportError:
        monkeypatch.setenv("MPLBACKEND", "Agg")
    place = {}
    for kind, lines in cells((root / f"python/examples/{name}.py").read_text()):
        if kind == "code":
            exec("".join(lines), place)  # pylint: disable=exec-used
    check(capsys.readouterr().out)


def check(printed):
    """What the example prints: at load 0.004 the latency of 32 flits in greenberg1997 (docs/greenberg1997.md)."""
    line = next(line for line in printed.splitlines() if line.startswith("load 0.004"))
    assert abs(float(line.split()[2]) - 41.4) < 0.2
