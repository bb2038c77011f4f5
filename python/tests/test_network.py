"""Networks as arrays and graphs."""
import pickle

import numpy as np
import os
import signal
import threading

import pytest

import bough


def test_sizes_and_links():
    net = bough.Network("kary:k=2,levels=2")  # 4 endpoints, 2 leaf switches, 2 roots
    assert (net.nodes, net.endpoints, net.switches, net.link_count, net.cables, net.levels) == (8, 4, 4, 16, 4, 2)
    assert net.spec == "kary:k=2,levels=2"
    links = net.links
    assert links is net.links and all(len(array) == 16 for array in links)
    assert links.src.dtype == links.dst.dtype == np.int64 and links.alive.dtype == bool and links.alive.all()
    assert sorted(zip(links.src, links.dst)) == sorted(zip(links.dst, links.src))  # cables have both directions
    assert (links.rate == 100e9).all()
    for array in links:
        with pytest.raises(ValueError):
            array[0] = 0


def test_loads_by_hand():
    net = bough.Network("kary:k=2,levels=2")
    # all to all: an endpoint sends and receives 3; a leaf sends 2 endpoints x 2 foreign ones over 2 links
    loads = net.link_loads()
    end = (net.links.src < 4) | (net.links.dst < 4)
    assert (loads[end] == 3).all() and (loads[~end] == 2).all()
    assert net.link_loads("dmodk", "shift:k=2").max() == 1
    # two messages to endpoint 3 meet on its link
    loads = net.link_loads("dmodk", [(0, 3), (1, 3)])
    assert loads[net.links.dst == 3] == [2] and loads.sum() == 8


def test_loads_without_a_copy():
    net = bough.Network("xgft:down=64x64,up=1x32")
    assert net.endpoints == 4096
    out = np.full(net.link_count, -1.0)
    address = out.ctypes.data
    loads = net.link_loads("dmodk", out=out)
    assert loads is out and loads.ctypes.data == address and loads.flags.owndata
    assert (loads[net.links.src < 4096] == 4095).all()
    assert loads.sum() == sum(4096 * n * hops for n, hops in ((63, 2), (4032, 4)))
    assert net.link_loads("dmodk").base is None  # not a view of anything


def test_faults_and_physical():
    whole = bough.Network("kary:k=4,levels=2")
    net = bough.Network("kary:k=4,levels=2", faults=["links:count=2", "links:count=1,key=2"], physical="ndr")
    assert 2 <= (~net.links.alive).sum() <= 3 and whole.links.alive.all()
    assert (net.links.rate == 400e9).all() and net.spec == whole.spec
    assert net.to_networkx().number_of_edges() == net.links.alive.sum()


def test_paths():
    net = bough.Network("kary:k=2,levels=3")
    for source in range(8):
        for destination in range(8):
            if source == destination:
                continue
            path = net.path(source, destination, "dmodk")
            assert path.dtype == np.int64
            nodes = [*net.links.src[path], net.links.dst[path[-1]]]
            assert nodes[0] == source and nodes[-1] == destination
            assert (net.links.dst[path[:-1]] == net.links.src[path[1:]]).all()
    with pytest.raises(ValueError, match="same endpoint"):
        net.path(1, 1, "dmodk")


def test_long_paths():
    """More links than the first guess: a chain of 100 switches."""
    switches = 100
    net = bough.Network.from_links([0, 1, *range(2, switches + 1)], [2, switches + 1, *range(3, switches + 2)])
    assert len(net.path(0, 1, "minhop")) == switches + 1


def test_from_links():
    src, dst = np.array([0, 1, 2, 3, 4, 4, 5]), np.array([4, 4, 5, 5, 6, 6, 6])  # two parallel cables
    net = bough.Network.from_links(src, dst, rate=[1e11] * 4 + [4e11] * 3, names=["a", "b", "c", "d", "s", "t", "root"],
                                   name="small")
    assert (net.endpoints, net.switches, net.link_count, net.spec) == (4, 3, 14, "small")
    assert net.node_names == ("a", "b", "c", "d", "s", "t", "root")
    assert net.link_names == tuple(f"{net.node_name(a)} -> {net.node_name(b)}" for a, b in zip(net.links.src, net.links.dst))
    pairs = sorted(zip(net.links.src, net.links.dst))
    assert pairs == sorted([*zip(src, dst), *zip(dst, src)])
    fast = (net.links.src >= 4) & (net.links.dst >= 4)
    assert (net.links.rate[fast] == 4e11).all() and (net.links.rate[~fast] == 1e11).all()
    # strided and narrow arrays are fine
    again = bough.Network.from_links(np.repeat(src, 2)[::2].astype(np.uint8), dst.astype(np.int16)[::-1][::-1])
    assert sorted(zip(again.links.src, again.links.dst)) == pairs
    assert bough.sim(net, "shift:k=2", "linkload", routing="minhop").value("link_load_max") == 2


def test_a_network_of_links_equals_its_family():
    family = bough.Network("xgft:down=4x4,up=1x2")
    cables = family.links.src < family.links.dst
    net = bough.Network.from_links(family.links.src[cables], family.links.dst[cables], endpoints=family.endpoints)
    one, two = (np.sort(n.link_loads("random")) for n in (family, net))
    assert np.allclose(one, two)


def test_parse_and_export():
    net = bough.Network("kary:k=2,levels=2")
    for form in ("csv", "anynet"):
        again = bough.Network.parse(net.export(form))
        assert (again.endpoints, again.link_count) == (net.endpoints, net.link_count)
    with pytest.raises(ValueError, match="cvs: unknown format; formats: ibnetdiscover, json, dot"):
        net.export("cvs")
    with pytest.raises(ValueError):
        bough.Network.parse(b"\xff\xfe\0")
    with pytest.raises(ValueError):
        bough.Network.parse(b"")


def test_networkx():
    networkx = pytest.importorskip("networkx")
    net = bough.Network("xgft:down=4x4,up=1x2,links=1x2")  # parallel cables
    graph = net.to_networkx()
    assert graph.number_of_edges() == net.link_count
    assert sorted(link for _, _, link in graph.edges(data="link")) == [*range(net.link_count)]
    again = bough.Network.from_networkx(graph)
    assert again.node_names == net.node_names and again.endpoints == net.endpoints
    assert sorted(zip(again.links.src, again.links.dst)) == sorted(zip(net.links.src, net.links.dst))
    assert sorted(again.links.rate) == sorted(net.links.rate)

    tree = networkx.balanced_tree(3, 2)  # leaves are endpoints
    net = bough.Network.from_networkx(tree)
    assert net.endpoints == 9 and net.switches == 4 and net.node_name(9) == "0"
    star = networkx.Graph([("x", "hub"), ("y", "hub"), ("hub", "spare")])
    networkx.set_node_attributes(star, {"x": "endpoint", "y": "endpoint"}, "kind")
    assert bough.Network.from_networkx(star).endpoints == 2
    with pytest.raises(ValueError, match="the edge from 0 to 1 has no opposite one"):
        bough.Network.from_networkx(networkx.DiGraph([(0, 1), (2, 1), (1, 2)]))


def test_pickles():
    for net in (bough.Network("kary:k=2,levels=2", faults="links:count=1"), bough.Network.from_links([0, 1], [2, 2]),
                bough.Network.parse("node,port,node,port,rate\nh0,1,s,1,100Gb/s\nh1,1,s,2,100Gb/s\n"),
                bough.Fabric.read("examples/fabric/cluster.ibnetdiscover", order="name")):
        again = pickle.loads(pickle.dumps(net))
        assert type(again) is type(net) and repr(again) == repr(net) and again.node_names == net.node_names
        assert (again.links.alive == net.links.alive).all()


def test_fabrics(tmp_path):
    fabric = bough.Fabric.read("examples/fabric/cluster.ibnetdiscover")
    assert fabric.endpoints == 95 and fabric.check(worst="no", permutations=5).severity == bough.Severity.WARN
    odd = tmp_path / 'a "b",c=d+e.txt'  # a path with all that specs give a meaning
    odd.write_bytes(open("examples/fabric/cluster.ibnetdiscover", "rb").read())
    assert bough.Fabric.read(odd).endpoints == 95 and bough.Network(odd).endpoints == 95


def test_html():
    text = bough.Network.from_links([0, 1], [2, 2], names=["<a>", "&b", "c"])._repr_html_()
    assert "2 endpoints" in text and "<a>" not in text


def test_options_of_a_network_from_arrays():
    star = bough.Network.from_links([0, 1, 2, 3, 4, 4, 5, 5], [4, 4, 5, 5, 6, 7, 6, 7], endpoints=4)
    slow = star.with_options(physical="default:rate=25Gb/s", faults="name:s6")
    star.close()
    assert slow.links.rate[0] == 25e9 and not slow.links.alive.all()
    assert bough.sim(slow, "shift:k=2", "flow:size=1MB")[0].faults == "name:name=s6"
    with pytest.raises(ValueError, match="faults already"):
        slow.with_options(faults="name:s7")
    with pytest.raises(ValueError, match="say net.with_options"):
        bough.sim(slow, "shift", "flow", physical="ndr")


def test_interrupted_loads():
    """Ctrl-C while a routing in Python is called: KeyboardInterrupt, and no loads."""
    net = bough.Network("xgft:down=16x16,up=1x16")
    routing = bough.Routing.from_function(lambda hop: hop.links[0])
    for _ in range(3):
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            while True:
                net.link_loads(routing)


def test_unrouted_loads():
    net = bough.Network("xgft:down=2x2,up=1x2")
    with pytest.warns(UserWarning, match="12 messages have no route"):
        assert net.link_loads(np.full((8, 4), -1)).sum() == 0


def test_directed_graphs_with_two_rates():
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph()
    for a, b, rate in ((0, 2, 1e11), (2, 0, 1e10), (1, 2, 1e11), (2, 1, 1e11)):
        graph.add_edge(a, b, rate=rate)
    with pytest.raises(ValueError, match="have the rates"):
        bough.Network.from_networkx(graph)
