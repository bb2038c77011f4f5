"""Patterns and routings as functions of Python."""
import os
import subprocess

import numpy as np
import pytest

import bough


def test_a_pattern_equals_the_built_in_one():
    shift = bough.Pattern(lambda source, endpoints, word: (source + 5) % endpoints, name="mine")
    for method in ("linkload", "flow", "circuit"):
        one = bough.sim("kary:k=4,levels=2", shift, method, routing="dmodk", trials=3)
        two = bough.sim("kary:k=4,levels=2", "shift:k=5", method, routing="dmodk", trials=3)
        assert [row.mean for row in one] == [row.mean for row in two]
        assert one[0].traffic == "mine"
    net = bough.Network("kary:k=4,levels=2")
    assert (net.link_loads("dmodk", shift) == net.link_loads("dmodk", "shift:k=5")).all()


def test_a_random_pattern():
    """Half of the endpoints send to endpoint 0, the others nothing."""
    def half(source, endpoints, word):
        assert 0 <= source < endpoints and 0 <= word < 2**64
        return 0 if word & 1 else source

    pattern = bough.Pattern(half, random=True)
    result = bough.sim("fattree:n=256", pattern, "circuit", trials=20)
    messages = result.rows(metric="messages")[0]
    assert 100 < messages.min < messages.mean < messages.max < 156
    assert bough.sim("fattree:n=256", pattern, "circuit", trials=20, threads=1).to_json() == result.to_json()


def test_a_callable_is_a_pattern_or_a_routing():
    result = bough.sim("kary:k=2,levels=3", lambda source, endpoints, word: source ^ 7, "linkload",
                       routing=lambda hop: hop.links[0])
    assert result.value("link_load_max") >= 1


def test_a_routing_equals_the_built_in_one():
    net = bough.Network("xgft:down=4x4,up=1x2")
    src, dst = net.links.src, net.links.dst

    def down_or_by_destination(hop):
        assert hop.source != hop.destination and all(src[link] == hop.node for link in hop.links)
        return hop.links[hop.destination % len(hop.links)]

    routing = bough.Routing.from_function(down_or_by_destination, name="modulo")
    path = net.path(1, 14, routing)
    assert src[path[0]] == 1 and dst[path[-1]] == 14 and (dst[path[:-1]] == src[path[1:]]).all()
    loads = net.link_loads(routing)
    paths = np.zeros(net.link_count)
    for source in range(16):
        for destination in range(16):
            if source != destination:
                np.add.at(paths, net.path(source, destination, routing), 1)
    assert (loads == paths).all()
    result = bough.sim(net, "shift:k=4", ["linkload", "flow"], routing=["dmodk", routing])
    assert result.value("link_load_max", routing="modulo") >= 1


class Broken(Exception):
    pass


def fail(*_):
    raise Broken("at the first call")


def test_exceptions_come_back():
    net = bough.Network("kary:k=2,levels=3")
    for use in (lambda: bough.sim(net, fail, "linkload"), lambda: bough.sim(net, fail, "circuit", trials=5),
                lambda: bough.sim(net, "shift", "linkload", routing=fail), lambda: net.link_loads(fail),
                lambda: net.path(0, 5, fail), lambda: net.link_loads("dmodk", fail), lambda: bough.check(net, routing=fail),
                lambda: bough.run({"network": net.spec, "traffic": bough.Pattern(fail), "methods": "circuit"})):
        with pytest.raises(Broken, match="at the first call"):
            use()
    assert net.link_loads("dmodk").max() == 7


@pytest.mark.parametrize("value", [-1, 8, 2**64, 1.5, None, "0", float("nan")])
def test_wrong_destinations(value):
    with pytest.raises(ValueError, match="pattern returned .*; it must be a whole number from 0 to 7"):
        bough.sim("kary:k=2,levels=3", lambda *_: value, "linkload")


@pytest.mark.parametrize("value", [-1, 10**6, 2**64, 1.5, "0"])
def test_wrong_links(value):
    net = bough.Network("kary:k=2,levels=3")
    with pytest.raises(ValueError, match="function returned .*not one of the links"):
        net.link_loads(lambda hop: value)
    if value != 10**6:  # to the library a link that is not at the node is no route
        with pytest.raises(ValueError, match="whole number"):
            net.link_loads(bough.Routing.from_function(lambda hop: value, any_link=True))


def test_no_route_and_loops():
    net = bough.Network("kary:k=2,levels=2")
    nowhere = bough.Routing.from_function(lambda hop: None if hop.destination == 3 and hop.node >= 4 else hop.links[0])
    assert net.path(0, 3, nowhere).size == 0 and net.path(0, 2, nowhere).size == 4
    src, dst = net.links.src, net.links.dst
    up = {node: int(np.flatnonzero((src == node) & (dst >= 4))[0]) for node in range(8)}
    loop = bough.Routing.from_function(lambda hop: up[hop.node], any_link=True)
    with pytest.raises(ValueError, match="from 0 to 3 has more than 32 links: the routing has a loop"):
        net.path(0, 3, loop)


def test_not_callable():
    with pytest.raises(TypeError, match="callable"):
        bough.Pattern(3)
    with pytest.raises(TypeError, match="callable"):
        bough.Routing.from_function("dmodk")


def test_plugins(root, tmp_path):
    """A plug-in of the examples, compiled."""
    plugin = tmp_path / "opposite.so"
    try:
        subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-shared", "-fPIC", f"-I{root / 'include'}", "-o", plugin,
                        root / "examples/plugin/opposite.c"], check=True)
    except OSError:
        pytest.skip("no C compiler")
    one = bough.sim("kary:k=4,levels=2", "opposite", "linkload", routing="dmodk", plugins=plugin)
    two = bough.sim("kary:k=4,levels=2", "shift:k=8", "linkload", routing="dmodk")
    assert [row.mean for row in one] == [row.mean for row in two]
    net = bough.Network("kary:k=4,levels=2", plugins=plugin)
    assert (net.link_loads("dmodk", "opposite") == net.link_loads("dmodk", "shift:k=8")).all()
    mine = bough.Routing.from_function(lambda hop: hop.links[0])  # beside the names of the plug-in
    assert net.link_loads(mine, "opposite").sum() == 16 * 4
    assert bough.sim(net, "opposite", "linkload", routing=mine, plugins=plugin).value("link_load_max") >= 1
    with pytest.raises(ValueError, match="opposite"):
        bough.sim("kary:k=4,levels=2", "opposite", "linkload")
