"""Wrong use is an exception with a sentence."""
import threading

import numpy as np
import pytest

import bough
from bough import _library


@pytest.fixture(scope="module")
def net():
    return bough.Network("kary:k=2,levels=2")


def test_kinds_of_errors():
    assert issubclass(bough.InvalidError, ValueError) and issubclass(bough.UnsupportedError, ValueError)
    assert issubclass(bough.TooLargeError, MemoryError) and issubclass(bough.FileError, OSError)
    for name in bough.__all__:
        item = getattr(bough, name)
        if isinstance(item, type) and issubclass(item, Exception):
            assert issubclass(item, bough.Error)


def test_every_status():
    for status, kind in enumerate((None, ValueError, ValueError, MemoryError, MemoryError, OSError, RuntimeError, bough.Stopped)):
        error = _library.ErrorText(status, b"place", b"reason \xff")
        if kind is None:
            _library.check(status, error)
            continue
        with pytest.raises(kind, match=r"place: reason \\xff") as caught:
            _library.check(status, error)
        assert isinstance(caught.value, bough.Error) and caught.value.place == "place"


def test_the_sentence_of_the_library():
    with pytest.raises(bough.InvalidError, match=r"fatree.*did you mean 'fattree'"):
        bough.Network("fatree:n=8")
    with pytest.raises(ValueError, match="dmodkk"):
        bough.sim("fattree:n=8", "uniform", "circuit", routing="dmodkk")
    with pytest.raises(bough.UnsupportedError):
        bough.Network("kary:k=2,levels=2").path(0, 3, routing="random")
    with pytest.raises(bough.Error, match="/nonexistent/fabric.txt: cannot be opened"):
        bough.Fabric.read("/nonexistent/fabric.txt")
    with pytest.raises(MemoryError):
        bough.Network("fattree:n=2^40").link_loads()


@pytest.mark.parametrize("spec", [None, 3, 2.5, ["fattree"], object()])
def test_a_spec_that_is_no_text(spec):
    with pytest.raises(TypeError, match="must be a text"):
        bough.Network(spec)


def test_arguments_of_wrong_types(tmp_path, monkeypatch):
    """Each by a sentence; a number is no path, so that no file descriptor is written to."""
    monkeypatch.chdir(tmp_path)
    result = bough.sim("kary:k=2,levels=2", "uniform", "circuit", trials=2)
    for write in (result.to_csv, result.to_json, result.to_html):
        for path in (True, 1, 2.5, []):
            with pytest.raises(TypeError):
                write(path)
    for data in (5, 2**70, None, [1]):
        with pytest.raises(TypeError, match="must be a text or bytes"):
            bough.Network.parse(data)
    with pytest.raises(TypeError, match="must be a graph"):
        bough.Network.from_networkx("a")
    with pytest.raises(TypeError, match="must be a DataFrame"):
        bough.Messages.from_pandas([1])
    with pytest.raises(TypeError, match="must be a text"):
        bough.spec(5)
    for wrong in (int, [1], "n=4"):
        with pytest.raises(TypeError, match="must be a mapping"):
            bough.run("greenberg1997/fig3", set=wrong)


def test_null_characters():
    with pytest.raises(ValueError, match="null character"):
        bough.Network("fattree:n=8\0")
    with pytest.raises(ValueError, match="null character"):
        bough.sim("fattree:n=8", "uni\0form", "circuit")


def test_closed():
    net = bough.Network("kary:k=2,levels=2")
    net.close()
    net.close()
    for use in (net.link_loads, lambda: net.links, lambda: net.path(0, 1), lambda: net.node_name(0),
                lambda: net.export("json"), net.__enter__, lambda: bough.sim(net, "uniform", "linkload"),
                lambda: bough.check(net), net.to_networkx):
        with pytest.raises(ValueError, match="this network is closed"):
            use()
    assert "kary" in repr(net) and "kary" in net._repr_html_()
    with bough.Network("kary:k=2,levels=2") as other:
        other.links
    with pytest.raises(ValueError, match="closed"):
        other.link_loads()


def test_closing_during_calls():
    """The network is freed when the last call has ended."""
    for _ in range(20):
        net = bough.Network("xgft:down=8x8,up=1x4")
        failed = []

        def work():
            try:
                for _ in range(50):
                    assert net.link_loads("dmodk").max() > 0
            except ValueError as error:
                failed.append(str(error))

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        net.close()
        for thread in threads:
            thread.join()
        assert set(failed) <= {"this network is closed"}


@pytest.mark.parametrize("node", [-1, 2**64, 2**70])
def test_nodes_out_of_range(net, node):
    with pytest.raises(ValueError, match="does not exist"):
        net.node_name(node)
    with pytest.raises(ValueError, match="does not exist"):
        net.path(0, node)


@pytest.mark.parametrize("node", [1.0, "0", None, True])
def test_nodes_of_other_types(net, node):
    with pytest.raises(TypeError, match="whole number"):
        net.path(0, node)


def test_nodes_that_do_not_exist(net):
    with pytest.raises(ValueError, match="node 8 does not exist; there are 8"):
        net.node_name(8)
    with pytest.raises(ValueError, match="endpoint 4 does not exist; there are 4"):
        net.path(0, 4)


def test_out(net):
    count = net.link_count
    read_only = np.zeros(count)
    read_only.flags.writeable = False
    for out in (np.zeros(count, np.float32), np.zeros(count + 1), np.zeros(2 * count)[::2], np.zeros((count, 1)), read_only):
        with pytest.raises(ValueError, match="out must be a contiguous, writable array of 16 float64"):
            net.link_loads(out=out)
    with pytest.raises(TypeError, match="NumPy array"):
        net.link_loads(out=[0.0] * count)


@pytest.mark.parametrize("src, dst, keywords, sentence", [
    ([0.0, 1.0], [2, 2], {}, "src has elements of type float64; they must be whole numbers"),
    ([0, 1], [2.5, 2], {}, "dst has elements of type float64"),
    ([True, False], [2, 2], {}, "src has elements of type bool"),
    (["a", "b"], [2, 2], {}, "must be whole numbers"),
    ([0, -1], [2, 2], {}, "src contains -1"),
    ([[0, 1]], [2, 2], {}, "src has 2 dimensions; it must have 1"),
    ([0, 1, 2], [2, 2], {}, "dst has 2 elements; src has 3"),
    ([0, 1], [2, 2**62], {}, "at most 4 nodes"),
    ([], [], {}, "."),
    ([0, 1], [2, 2], {"rate": float("nan")}, "rate contains nan"),
    ([0, 1], [2, 2], {"rate": [1e9, -1e9]}, "rate contains -1000000000.0"),
    ([0, 1], [2, 2], {"rate": [1e9, float("inf")]}, "rate contains inf"),
    ([0, 1], [2, 2], {"rate": [1e9]}, "rate has 1 elements; there are 2 cables"),
    ([0, 1], [2, 2], {"rate": "100Gb/s"}, "must be numbers, in bit/s"),
    ([0, 1], [2, 2], {"names": ["a", "b"]}, "names has 2 elements; there are 3 nodes"),
    ([0, 1], [2, 2], {"names": ["a", "b", "a"]}, "."),
    ([0, 1], [2, 2], {"endpoints": 1.5}, "endpoints=1.5"),
    ([0, 1], [2, 2], {"endpoints": -1}, "endpoints=-1"),
    ([0, 1], [2, 2], {"endpoints": 3}, "."),
    ([0, 1], [2, 2], {"name": "Star"}, "."),
    ([0, 2], [1, 1], {}, "node 1 has 2 cables, and 2 nodes have one"),
    ([0, 0], [0, 0], {}, "."),
])
def test_links(src, dst, keywords, sentence):
    with pytest.raises(ValueError, match=sentence):
        bough.Network.from_links(src, dst, **keywords)


@pytest.mark.parametrize("arguments, sentence", [
    (([0], [1, 2]), "destination has 2 elements; source has 1"),
    (([0], [1], [1, 2]), "bytes has 2 elements; source has 1"),
    (([0], [1.0]), "destination has elements of type float64"),
    (([0], [-1]), "destination contains -1"),
    (([[0]], [[1]]), "source has 2 dimensions"),
    (([0], [1], [-5]), "bytes contains -5"),
])
def test_messages(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        bough.Messages(*arguments)


def test_messages_that_do_not_fit(net):
    for messages in (bough.Messages([0], [4]), bough.Messages([0], [0]), bough.Messages([], [])):
        with pytest.raises(ValueError):
            net.link_loads("dmodk", messages)
        with pytest.raises(ValueError):
            bough.sim(net, messages, "linkload", routing="dmodk")
    with pytest.raises(ValueError, match="name"):
        bough.Messages([0], [1], name="Bad Name")
    with pytest.raises(ValueError):
        net.link_loads("dmodk", bough.Messages([0], [1], name="uniform"))
    with pytest.raises(ValueError, match="shape"):
        net.link_loads("dmodk", [0, 1, 2])


def test_tables_that_do_not_fit(net):
    with pytest.raises(ValueError, match="link has 1 dimensions; it must have 2"):
        bough.Routing.from_tables([1, 2])
    with pytest.raises(ValueError, match="contains -2"):
        bough.Routing.from_tables([[-2]])
    with pytest.raises(ValueError):
        net.path(0, 3, routing=np.zeros((2, 2), int))
    with pytest.raises(ValueError):  # a link that is not at this node
        net.path(0, 3, routing=np.zeros((net.nodes, net.endpoints), int))
    with pytest.raises(ValueError):  # a link that does not exist
        net.path(0, 3, routing=np.full((net.nodes, net.endpoints), 10**6))
    one = bough.Routing.from_tables(np.full((net.nodes, net.endpoints), -1))
    two = bough.Routing.from_tables(np.full((net.nodes, net.endpoints), -1))
    with pytest.raises(ValueError, match="two objects have the name 'tables'"):
        bough.sim(net, "shift", "linkload", routing=[one, two])


def test_arguments_of_sim(net):
    for keywords, kind in (({"trials": 1.5}, TypeError), ({"trials": "5"}, TypeError), ({"trials": 0}, ValueError),
                           ({"seed": -1}, ValueError), ({"threads": 0}, ValueError), ({"threads": 2**40}, ValueError),
                           ({"precision": -1.0}, ValueError), ({"precision": float("nan")}, ValueError),
                           ({"stop": 3}, TypeError), ({"progress": 3}, TypeError), ({"plugins": "/none.so"}, ValueError),
                           ({"faults": 3}, TypeError)):
        with pytest.raises(kind):
            bough.sim("fattree:n=8", "uniform", "circuit", **keywords)
    with pytest.raises(ValueError, match="method"):
        bough.sim("fattree:n=8", "uniform")
    with pytest.raises(ValueError, match="belong to a Network"):
        bough.sim(net, "uniform", "linkload", faults="links:count=1")


def test_specs():
    for name, parameters, sentence in (
            ("fatree", {}, "did you mean 'fattree'"), ("fattree", {"m": 3}, "no parameter 'm'; it has n"),
            ("fattree", {"n": 1}, "between 2 and"), ("fattree", {"n": 2.5}, "whole number"),
            ("fattree", {"n": True}, "whole number"), ("fattree", {"n": float("nan")}, "whole number"),
            ("xgft", {"down": [4]}, "xgft needs up"), ("circuit", {"mode": "round"}, "one of attempt, rounds, cycles"),
            ("loggops", {"o": 5}, "."), ("flow", {"delay": 5}, "needs a unit")):
        with pytest.raises(ValueError, match=sentence):
            bough.spec(name, **parameters)
    with pytest.raises(ValueError, match="did you mean 'methods'"):
        bough.list("method")
