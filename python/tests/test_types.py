"""The type hints are consistent; skipped without mypy."""
import shutil
import subprocess
import sys

import pytest


def test_hints(root):
    mypy = shutil.which("mypy")
    if not mypy:
        pytest.skip("mypy is missing")
    done = subprocess.run([mypy, "--strict", "--ignore-missing-imports", "--cache-dir=/dev/null", "--python-executable",
                           sys.executable, "bough"], cwd=root / "python", stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stdout
