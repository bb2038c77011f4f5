"""bough.plan: the trees of `bough plan`."""
import json
import os
import subprocess

import pytest

import bough


def command(*options):
    out = subprocess.run([os.environ["BOUGH_COMMAND"], "plan", *options, "--json"], check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def test_the_answer_is_that_of_the_command(tmp_path):
    assert bough.plan(512, 64, taper=2) == command("--hosts", "512", "--radix", "64", "--taper", "2")
    prices = tmp_path / "prices.csv"
    prices.write_text("item,price\nswitch,20000\ncable,500\nhost,900\n")
    answer = bough.plan(128, 16, levels=3, prices=prices, job="shift:k=1", routing="dmodk", limit=2, seed=3, threads=1)
    assert answer == command("--hosts", "128", "--radix", "16", "--levels", "3", "--prices", str(prices), "--job", "shift:k=1",
                             "--routing", "dmodk", "--limit", "2", "--seed", "3")
    assert len(answer["trees"]) <= 2
    assert bough.Network(answer["trees"][0]["network"]["spec"]).endpoints == 128


@pytest.mark.parametrize("arguments, keys, reason", [
    ((0, 64), {}, "hosts"), ((64, 1), {}, "radix"), ((64, 2**40), {}, "radix"), ((64, 64), {"taper": 0.5}, "taper"),
    ((64, 64), {"levels": 9}, "levels"), ((64, 64), {"limit": 1001}, "limit"), ((64, 64), {"spray": True}, "a job"),
    ((-1, 64), {}, "hosts=-1"), ((64, "a"), {}, "radix='a'"),
    ((64, 64), {"job": "poisson:load=0.1"}, ""), ((2**39, 4), {}, ""),
])
def test_wrong_plans(arguments, keys, reason):
    with pytest.raises(ValueError, match=reason):
        bough.plan(*arguments, **keys)
