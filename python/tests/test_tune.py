"""bough.tune: the tables of `bough tune`."""
import json
import os
import subprocess

import numpy as np
import pytest

import bough

NET = "xgft:down=4x4,up=1x2"


def test_the_report_is_that_of_the_command(tmp_path):
    found = bough.tune(NET, effort=0.1)
    command = subprocess.run([os.environ["BOUGH_COMMAND"], "tune", NET, "--effort", "0.1", "--json", "-o", "found.lfts"],
                             check=True, capture_output=True, text=True, cwd=tmp_path)
    theirs = json.loads(command.stdout)
    assert found.value == theirs["tuned"]["score"]["value"] and found.bound == theirs["bound"]["value"]
    assert found.tables == (tmp_path / "found.lfts").read_text()
    found.write(tmp_path / "again.lfts")
    assert (tmp_path / "again.lfts").read_text() == found.tables


def test_jobs_and_routings():
    net = bough.Network(NET)
    pairs = np.array([[0, 15], [1, 14], [2, 13]])
    found = bough.tune(net, job=[pairs, "shift:k=4"], routing="dmodk", effort=0.1)
    assert found.report["objective"] == "jobs" and found.value >= found.bound
    assert bough.tune(net, "worst", effort=0.1, seed=3).report["objective"] == "worst"


@pytest.mark.parametrize("arguments, reason", [
    ((NET, "shift"), "worst-shift"), ((3,), "must be a text"), (("nosuch",), "nosuch"),
])
def test_wrong_questions(arguments, reason):
    with pytest.raises((ValueError, TypeError, OSError), match=reason):
        bough.tune(*arguments)


def test_wrong_options():
    with pytest.raises(ValueError, match="effort -1 is out of range"):
        bough.tune(NET, effort=-1)
    with pytest.raises(bough.UnsupportedError, match="no forwarding table"):
        bough.tune(NET, routing="random")
    with pytest.raises(ValueError, match="mutually exclusive"):
        bough.tune(NET, "worst", job="shift")
