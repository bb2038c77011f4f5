"""Diagnoses: those of the command."""
import json
import pickle
import subprocess

import pytest

import bough

FABRIC = "examples/fabric/cluster.ibnetdiscover"
TABLES = "examples/fabric/cluster.ftree.lfts.gz"


@pytest.fixture(scope="module")
def diagnosis():
    return bough.check(FABRIC, lft=TABLES)


def test_the_report_is_that_of_the_command(diagnosis, command):
    arguments = [command, "check", FABRIC, "--lft", TABLES, "--json"]
    printed = json.loads(subprocess.run(arguments, stdout=subprocess.PIPE, check=True).stdout)
    assert diagnosis.json == printed
    assert diagnosis.text.startswith("fabric") and "usable" in repr(diagnosis)
    assert diagnosis.html.lstrip().lower().startswith("<!doctype html")


def test_findings(diagnosis):
    assert diagnosis.severity is bough.Severity.WARN and diagnosis.severity > bough.Severity.INFO
    assert [(f.severity.name, f.kind, f.routing) for f in diagnosis.findings] == [("WARN", "missing-cable", "")] * 2
    diagnosis.json["findings"].clear()  # a copy
    assert len(diagnosis.findings) == 2


def test_several_routings_and_jobs():
    report = bough.check(FABRIC, lft=[TABLES], routing=["updn", "minhop"], job="shift", worst="no", permutations=5).json
    assert len(report["results"]) == 3 and report["jobs"]


def test_networks():
    assert bough.check("xgft:down=4x4,up=1x4", routing="dmodk", worst="no").severity is bough.Severity.INFO
    fabric = bough.Fabric.read(FABRIC)
    assert fabric.check(lft=TABLES).json["results"] == bough.check(FABRIC, lft=TABLES).json["results"]
    assert fabric.check(faults="each:cable", worst="no", permutations=1).json
    assert "against" in fabric.check(against=FABRIC, worst="no", permutations=1).json


def test_html_and_pickles(diagnosis):
    text = diagnosis._repr_html_()
    assert "1 cable between these switches" in text and "rating" in text
    again = pickle.loads(pickle.dumps(diagnosis))
    assert again.severity == diagnosis.severity and again.text == diagnosis.text and again.findings == diagnosis.findings


def test_other_keys():
    """Keys that the signature does not name are those of the library."""
    report = bough.check(FABRIC, lft=TABLES, expect="regular", aggregation=False, worst="no", permutations=0).json
    assert "expected" in report and report["network"]["endpoints"] == 95
    with pytest.raises(TypeError, match=r"check\(\) got an unexpected keyword argument 'expects'"):
        bough.check(FABRIC, expects="regular")
    with pytest.raises(TypeError, match="job-trials=1.5 must be a whole number"):
        bough.check(FABRIC, job_trials=1.5)
    with pytest.raises(ValueError, match="worst=sometimes must be no, cheap or always"):
        bough.check(FABRIC, worst="sometimes")
