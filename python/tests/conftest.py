"""Tests of the package bough. BOUGH_LIBRARY, or beside the package, is the library; BOUGH_COMMAND is the command."""
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))


@pytest.fixture(scope="session")
def root():
    """The source tree."""
    return ROOT


@pytest.fixture(scope="session")
def command():
    """The path of the command `bough`."""
    path = os.environ.get("BOUGH_COMMAND")
    if not path:
        pytest.skip("BOUGH_COMMAND is not set")
    return path


os.chdir(ROOT)  # paths of the examples are relative to the source tree
