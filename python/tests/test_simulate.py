"""Simulations, studies and their results: those of the command."""
import csv
import io
import json
import math
import os
import pickle
import subprocess

import numpy as np
import pytest

import bough
from bough import _library

QUESTION = ("fattree:n=256", "uniform", ["circuit:mode=rounds", "bins:model=1"])


def ask(command, *arguments):
    """What the command prints; texts of the library are 80 columns wide."""
    return subprocess.run([command, *arguments], stdout=subprocess.PIPE, check=True, text=True,
                          env={**os.environ, "COLUMNS": "80"}).stdout


@pytest.fixture(scope="module")
def result():
    return bough.sim(*QUESTION, trials=20, seed=7)


def test_the_texts_are_those_of_the_command(result, command):
    arguments = ["sim", QUESTION[0], QUESTION[1], *QUESTION[2], "--trials", "20", "--seed", "7"]
    assert repr(result) == ask(command, *arguments).rstrip("\n")
    assert result.to_json() == ask(command, *arguments, "--json")
    assert result.to_csv() == ask(command, *arguments, "--csv")


def test_rows_are_the_json(result):
    rows = json.loads(result.to_json())["results"]
    assert len(rows) == len(result) > 4
    for row, one in zip(rows, result):
        assert (row["method"], row["metric"], row["mean"], row["min"], row["max"], row["trials"], row["status"]) == (
            one.method, one.metric, one.mean, one.min, one.max, one.trials, one.status)
        assert row["ci95"] is None and math.isnan(one.ci95) or row["ci95"] == one.ci95
        assert row.get("index") == one.index and one.network == "fattree:n=256" and not one.axes
    assert result[0] is list(result)[0] and result[-1] is result[len(result) - 1] and len(result[1:3]) == 2


def test_values(result):
    assert result.value("rounds", method="circuit:mode=rounds") == result.rows(metric="rounds")[0].mean
    with pytest.raises(ValueError, match="2 rows have the metric 'rounds'; say which routing and method"):
        result.value("rounds")
    with pytest.raises(KeyError, match="metrics are .*rounds"):
        result.value("latency")
    with pytest.raises(KeyError, match="no field 'methd'"):
        result.rows(methd="x")


def test_comparisons(result):
    compared = json.loads(result.to_json())["comparisons"]
    assert len(result.comparisons) == len(compared) > 0
    for one in result.comparisons:
        assert one.row.metric == one.against.metric and one.row.method != one.against.method
        assert one.difference == pytest.approx(one.row.mean - one.against.mean)
        assert one.ratio == pytest.approx(one.row.mean / one.against.mean)
        assert one.trials > 0
    assert not bough.sim("fattree:n=16", "uniform", "circuit", trials=2).comparisons


def test_threads_do_not_matter(result):
    assert bough.sim(*QUESTION, trials=20, seed=7, threads=1).to_json() == result.to_json()


def test_effort():
    assert bough.sim("fattree:n=16", "uniform", "circuit", trials=3)[0].trials == 3
    assert bough.sim("fattree:n=16", "uniform", "circuit", trials=np.int64(3))[0].trials == 3
    row = bough.sim("fattree:n=16", "uniform", "circuit", precision=0.05).rows(metric="rounds")[0]
    assert row.ci95 <= 0.05 * row.mean
    same = bough.sim("fattree:n=16", "uniform", "circuit", precision="rounds:5%").rows(metric="rounds")[0]
    assert same.ci95 <= 0.05 * same.mean


def test_networks_have_their_faults_and_setting():
    net = bough.Network("xgft:down=4x4,up=1x2", faults="links:count=2", physical="ndr")
    one = bough.sim(net, "shift:k=4", "flow", routing="random", trials=5)
    two = bough.sim("xgft:down=4x4,up=1x2", "shift:k=4", "flow", routing="random", trials=5, faults="links:count=2",
                    physical="ndr")
    assert [row.mean for row in one] == [row.mean for row in two]
    assert one[0].mean != bough.sim("xgft:down=4x4,up=1x2", "shift:k=4", "flow", routing="random", trials=5)[0].mean


def test_messages():
    pandas = pytest.importorskip("pandas")
    pairs = np.array([[0, 15, 1_000_000], [1, 14, 2_000_000], [15, 0, 1_000_000]])
    net = bough.Network("xgft:down=4x4,up=1x2")
    by_object = bough.sim(net, bough.Messages(pairs[:, 0], pairs[:, 1], pairs[:, 2]), "flow", routing="dmodk")
    by_array = bough.sim(net, pairs, "flow", routing="dmodk")
    frame = pandas.DataFrame(pairs, columns=["source", "destination", "bytes"])
    by_frame = bough.sim(net, frame, "flow", routing="dmodk")
    assert by_object.value("messages") == 3 and by_object[0].traffic.startswith("pairs")
    assert [r.mean for r in by_object] == [r.mean for r in by_array] == [r.mean for r in by_frame]
    assert by_object.value("completion_time") == pytest.approx(2e6 * 8 / 100e9, rel=0.01)
    columns = bough.sim(net, (pairs[:, 0], pairs[:, 1], pairs[:, 2]), "flow", routing="dmodk")
    assert [r.mean for r in columns] == [r.mean for r in by_array]
    with pytest.raises(ValueError, match="has the column 'size'"):
        bough.sim(net, frame.rename(columns={"bytes": "size"}), "flow")
    with pytest.raises(ValueError, match="no column 'destination'; it has source, dest"):
        bough.sim(net, pandas.DataFrame({"source": [0], "dest": [1]}), "flow")


def test_networks_in_studies():
    star = bough.Network.from_links([0, 1, 2], [3, 3, 3], name="star")
    pair = bough.Network.from_links([0, 1, 2, 3], [3, 3, 4, 4], name="pair", endpoints=3)
    study = {"network": [star, pair, "xgft:down=3,up=1"], "traffic": "alltoall", "methods": ["linkload"], "routing": "random"}
    loads = {row.network: row.mean for row in bough.run(study) if row.metric == "link_load_max"}
    assert loads == {"star": 2.0, "pair": 2.0, "xgft:down=3,up=1": 2.0}
    assert bough.run({**study, "network": [star, star]})[0].network == "star"
    with pytest.raises(ValueError, match="another network is called star"):
        bough.run({**study, "network": [star, bough.Network.from_links([0, 1], [2, 2], name="star")]})
    with pytest.raises(ValueError, match="has faults or a setting"):
        bough.run({**study, "network": bough.Network("fattree:n=8", faults="links:count=1")})


def test_streams_of_weights(tmp_path):
    pandas = pytest.importorskip("pandas")
    net = bough.Network("kary:k=2,levels=2")
    matrix = np.array([[0, 2, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]])
    frame = pandas.DataFrame({"source": [0, 0, 3], "destination": [1, 2, 0], "weight": [1, 0.5, 0.5]})
    np.save(tmp_path / "demand.npy", matrix)
    for pattern in (matrix, matrix.tolist(), bough.Weights(matrix / 7), bough.Weights.from_pandas(frame),
                    tmp_path / "demand.npy", str(tmp_path / "demand.npy"), bough.Weights(tmp_path / "demand.npy")):
        stream = bough.Stream(pattern, load=0.1, flits=4)
        loads = net.link_loads("dmodk", stream)
        assert loads.max() == pytest.approx(1.5) and loads.sum() == pytest.approx(1 * 2 + 0.5 * 4 + 0.5 * 4)
        for method in ("worm:messages=20000", "queueing"):
            found = bough.sim(net, stream, method, routing="dmodk", trials=2)
            assert found.value("distance") == pytest.approx(3, abs=0.05)
    with pytest.raises(FileNotFoundError):
        bough.Stream(tmp_path / "absent.npy", load=0.1)
    study = {"network": "kary:k=2,levels=2", "traffic": bough.Stream(matrix, load=0.1), "methods": ["linkload"], "routing": "dmodk"}
    assert bough.run(study).value("link_load_max") == pytest.approx(1.5)
    by_function = bough.Stream(bough.Pattern(lambda source, endpoints, word: source ^ 1), arrivals="bernoulli", load=0.1)
    assert net.link_loads("dmodk", by_function).max() == 1
    assert bough.sim(net, bough.Weights(matrix), "linkload", trials=4).value("link_load_max") > 0


@pytest.mark.parametrize("make, reason", [
    (lambda: bough.Weights([1, 2]), "square"),
    (lambda: bough.Weights([["a", "b"], ["c", "d"]]), "must be numbers"),
    (lambda: bough.Stream([[0, 1]], load=0.1), "square"),
    (lambda: bough.Stream(3, load=0.1), "pattern is int"),
    (lambda: bough.Stream(arrivals="often", load=0.1), "'poisson' or 'bernoulli'"),
    (lambda: bough.Stream(lod=0.1), "no parameter 'lod'"),
    (lambda: bough.sim("fattree:n=4", bough.Stream([[0, -1], [1, 0]], load=0.1), "worm"), "weight -1"),
    (lambda: bough.sim("fattree:n=4", bough.Stream(np.ones((5, 5)), load=0.1), "worm"), "endpoint 4"),
    (lambda: bough.sim("fattree:n=4", bough.Stream(np.zeros((4, 4)), load=0.1), "worm"), "0 pairs"),
])
def test_wrong_weights(make, reason):
    with pytest.raises((ValueError, TypeError), match=reason):
        make()


def tables_of(net, routing):
    """The tables of a routing, from its paths."""
    link = np.full((net.nodes, net.endpoints), -1)
    for source in range(net.endpoints):
        for destination in range(net.endpoints):
            if source != destination:
                path = net.path(source, destination, routing)
                link[net.links.src[path], destination] = path
    return link


def test_tables():
    net = bough.Network("xgft:down=4x4,up=1x2")
    routing = bough.Routing.from_tables(tables_of(net, "dmodk"), name="mine")
    assert (net.link_loads(routing) == net.link_loads("dmodk")).all()
    assert (net.link_loads(routing.link.view(np.int64)) == net.link_loads("dmodk")).all()
    assert net.path(3, 12, routing).tolist() == net.path(3, 12, "dmodk").tolist()
    for method in ("linkload", "flow", "packet"):
        both = bough.sim(net, "shift:k=5", method, routing=["dmodk", routing])
        for metric in {row.metric for row in both if row.index is None}:
            assert both.value(metric, routing="mine") == both.value(metric, routing="dmodk"), (method, metric)
    # the same on a network of links
    cables = net.links.src < net.links.dst
    mine = bough.Network.from_links(net.links.src[cables], net.links.dst[cables], endpoints=16)
    assert mine.link_loads(tables_of(mine, "minhop")).max() == mine.link_loads("minhop").max()


def test_studies(tmp_path, command):
    study = {"network": "fattree:n={n}", "traffic": "uniform", "methods": ["circuit", "bins:model=1"],
             "grid": [{"n": [16, 64]}], "trials": 5, "compare": True}
    result = bough.run(study)
    assert result.axes == {"n": ["16", "64"]}
    for n in (16, 64):
        point = bough.sim(f"fattree:n={n}", "uniform", ["circuit", "bins:model=1"], trials=5)
        assert [row.mean for row in result.rows(n=n)] == [row.mean for row in point]
    path = tmp_path / "study.yaml"
    path.write_text(json.dumps(study))
    assert bough.run(path).to_csv() == result.to_csv()
    printed = ask(command, "run", str(path), "-o", str(tmp_path / "out"), "--csv")
    assert list(csv.reader(io.StringIO(printed))) == list(csv.reader(io.StringIO(result.to_csv())))
    changed = bough.run(study, set={"n": [32], "seed": 3}, trials=2)
    assert changed.axes == {"n": ["32"]} and changed[0].trials == 2
    assert {one.row.axes["n"] for one in result.comparisons} == {"16", "64"}
    with pytest.raises(ValueError):
        bough.run("greenberg1997/fig33")
    with pytest.raises(TypeError, match="cannot contain object"):
        bough.run({**study, "traffic": object()})


def test_stores(tmp_path):
    study = {"network": "fattree:n={n}", "traffic": "uniform", "methods": "circuit", "grid": [{"n": [16, 64]}]}
    first = bough.run(study, store=tmp_path / "store", trials=4)
    assert (tmp_path / "store/results.sqlite").exists()
    again = bough.run(study, store=tmp_path / "store", trials=4)
    assert again.to_csv() == first.to_csv()
    other = {**study, "traffic": "shift"}
    with pytest.raises(ValueError):
        bough.run(other, store=tmp_path / "store", trials=4)


def test_studies_with_objects():
    net = bough.Network("xgft:down=4x4,up=1x2")
    routing = bough.Routing.from_tables(tables_of(net, "dmodk"), name="mine")
    result = bough.run({"network": net.spec, "traffic": "shift:k={k}", "methods": "linkload", "routing": ["dmodk", routing],
                        "grid": [{"k": [1, 5]}]})
    for k in (1, 5):
        assert result.value("link_load_max", k=k, routing="mine") == result.value("link_load_max", k=k, routing="dmodk")


def test_pandas(result):
    pandas = pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert list(frame.columns) == ["metric", "index", "mean", "ci95", "unit", "min", "max", "network", "faults", "routing",
                                   "traffic", "note", "premises", "trials", "exact", "status", "method"]
    assert len(frame) == len(result) and frame["mean"].tolist() == [row.mean for row in result]
    assert frame["index"].isna().all() and frame["trials"].dtype.kind == "i" and frame["exact"].dtype == bool
    history = bough.sim("fattree:n=64", "uniform", "circuit:mode=rounds,history=1", trials=3).to_pandas()
    assert set(history["index"].dropna()) >= {1, 2}
    study = bough.run({"network": "fattree:n={n}", "traffic": "uniform", "methods": "circuit", "trials": 2,
                       "grid": [{"n": [16, 64]}, {"mode": ["attempt", "rounds"]}]}).to_pandas()
    assert list(study.columns[:2]) == ["n", "mode"] and study["n"].dtype.kind == "i"
    assert isinstance(frame, pandas.DataFrame)


def test_pickles(result):
    again = pickle.loads(pickle.dumps(result))
    assert list(map(repr, again)) == list(map(repr, result))
    assert repr(again) == repr(result) and again.to_html() == result.to_html()
    assert [one.ratio for one in again.comparisons] == [one.ratio for one in result.comparisons]


def test_files(result, tmp_path):
    for name, write in (("csv", result.to_csv), ("json", result.to_json), ("html", result.to_html)):
        assert write(tmp_path / name) is None
        assert (tmp_path / name).read_text() == write()


def test_html(result):
    text = result._repr_html_()
    assert text.count("<tr>") == len(result) + len(result.comparisons) + 2
    assert "fattree:n=256" in text and "rounds" in text
    from bough._tables import digits
    assert digits(7.123456, 0.26) == "7.12" and digits(1024, math.nan) == "1024" and digits(math.nan, 1) == "-"
    assert digits(0.30561, 0.0031) == "0.3056"


def test_plots(result):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    study = bough.run({"network": "fattree:n={n}", "traffic": "uniform", "methods": ["circuit", "bins:model=1"], "trials": 3,
                       "grid": [{"n": [16, 64, 256]}]})
    ax = study.plot("rounds")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("n", "rounds")
    assert len(ax.containers) == 2  # a curve for each method
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["circuit:mode=rounds", "bins:model=1"]
    assert ax.containers[0].lines[0].get_xdata().tolist() == [16, 64, 256]
    assert ax.containers[0].lines[0].get_ydata().tolist() == [row.mean for row in study.rows(metric="rounds",
                                                                                             method=study[0].method)]
    bars = result.plot("rounds")
    assert len(bars.patches) == 2
    history = bough.sim("fattree:n=64", "uniform", "circuit:mode=rounds,history=1", trials=3)
    metric = next(row.metric for row in history if row.index is not None)
    assert history.plot(metric).get_xlabel() == "index"
    with pytest.raises(ValueError, match="metrics are"):
        result.plot("latency")
    with pytest.raises(ValueError, match="no axis 'm'; axes are n"):
        study.plot("rounds", x="m")


def test_the_line_of_the_manual():
    pytest.importorskip("pandas")
    frame = bough.sim("fattree:n=1024", "uniform", "circuit:mode=rounds", trials=20).to_pandas()
    assert frame.set_index("metric").loc["rounds", "mean"] == 7.1
