#!/usr/bin/env python3
"""Exported networks in NetworkX: nodes, links, attributes and shortest paths; graphs of NetworkX, read. Needs python3-networkx.

    tests/cli/networkx_test.py BOUGH ROOT"""
import inspect
import json
import os
import subprocess
import sys
import tempfile

try:
    import networkx
except ImportError:
    print("skipped: there is no networkx (Debian: python3-networkx)")
    sys.exit(77)

BOUGH, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])


def load(network):
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "net.json")
        subprocess.run([BOUGH, "net", network, "-o", path], check=True, stdin=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    # NetworkX 3.4 renamed the argument; the name of the key stays
    named = {"edges": "links"} if "edges" in inspect.signature(networkx.node_link_graph).parameters else {}
    return data, networkx.node_link_graph(data, **named)


def check(network, distance):
    """distance: links of the longest of all shortest paths between endpoints."""
    data, graph = load(network)
    assert graph.is_directed() and graph.is_multigraph() and graph.name == data["network"]["spec"]
    assert graph.number_of_nodes() == len(data["nodes"]) and graph.number_of_edges() == len(data["links"])
    for node in data["nodes"]:
        assert graph.nodes[node["id"]] == {key: value for key, value in node.items() if key != "id"}
    for link in data["links"]:
        edge = graph.edges[link["from"], link["to"], link["id"]]
        assert edge == {key: value for key, value in link.items() if key not in ("source", "target", "key")}
    endpoints = [node for node, isit in graph.nodes(data="endpoint") if isit]
    assert len(endpoints) == data["network"]["endpoints"]
    far = max(length for e in endpoints[:8] for node, length in networkx.single_source_shortest_path_length(graph, e).items()
              if graph.nodes[node]["endpoint"])
    assert far == distance, (network, far)


check("xgft:down=4x4,up=1x2", 4)
check("xgft:down=4x4,up=1x2,links=1x3", 4)  # parallel links
check("cube:n=16", 4)  # endpoints are switches
check("kary:k=2,levels=3", 6)
check(os.path.join(ROOT, "examples/fabric/cluster.ibnetdiscover"), 4)


def describe(graph, **named):
    """What bough reads of a graph that NetworkX writes: endpoints, switches and cables between switches."""
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "graph.txt")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(networkx.node_link_data(graph, **named), file)
        run = subprocess.run([BOUGH, "net", path, "--json"], check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    network = json.loads(run.stdout)["network"]
    return network["endpoints"], network["switches"], network["cables"]


# Leaves of three hosts, two spines; also with parallel cables, directed, and with the older name of the list of edges.
tree = networkx.MultiGraph(name="tree")
for leaf in range(4):
    tree.add_edges_from((f"leaf{leaf}", spine, {"rate": "400Gb/s"}) for spine in ("spine0", "spine1"))
    tree.add_edges_from((f"h{leaf}.{host}", f"leaf{leaf}", {"rate": 1e11}) for host in range(3))
assert describe(tree) == (12, 6, 8), describe(tree)
assert describe(networkx.Graph(tree)) == (12, 6, 8)
assert describe(tree.to_directed()) == (12, 6, 8)
tree.add_edge("leaf0", "spine0")
assert describe(tree) == (12, 6, 9), describe(tree)
if "edges" in inspect.signature(networkx.node_link_data).parameters:
    assert describe(tree, edges="links") == (12, 6, 9)
# Numbers as names, and kinds: a ring of switches with a host each.
ring = networkx.cycle_graph(5)
networkx.set_node_attributes(ring, "switch", "kind")
ring.add_nodes_from(range(5, 10), kind="host")
ring.add_edges_from((host, host - 5) for host in range(5, 10))
assert describe(ring) == (5, 5, 5), describe(ring)

# GraphML, where bough was built with libxml2: what NetworkX writes, and what it writes of what bough writes.


def sizes(write, graph):
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "graph.txt")
        write(graph, path)
        run = subprocess.run([BOUGH, "net", path, "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if "libxml2 was not there" in run.stderr:
        print("bough was built without libxml2: GraphML of NetworkX is not read")
        sys.exit(0)
    assert run.returncode == 0, run.stderr
    network = json.loads(run.stdout)["network"]
    return network["endpoints"], network["switches"], network["cables"]


named = networkx.relabel_nodes(networkx.MultiGraph(tree), {"leaf1": 'a <&"b\u00e9 | x'})
for edge in named.edges(keys=True):
    named.edges[edge]["rate"] = str(named.edges[edge].get("rate", 1e11))  # GraphML has one type for a key
networkx.set_node_attributes(ring, {n: n for n in ring}, "weight")
for write in [networkx.write_graphml_xml] + ([networkx.write_graphml_lxml] if hasattr(networkx, "write_graphml_lxml") else []):
    assert sizes(write, named) == (12, 6, 9)
    assert sizes(write, named.to_directed()) == (12, 6, 9)
    assert sizes(write, networkx.Graph(named)) == (12, 6, 8)
    assert sizes(write, ring) == (5, 5, 5)
    exported = load("xgft:down=4x4,up=1x2")[1]
    exported.graph.clear()  # of several types that GraphML does not have
    for node in exported.nodes:
        exported.nodes[node].update({key: str(value) if value is None else value for key, value in exported.nodes[node].items()})
    for edge in exported.edges(keys=True):
        data = exported.edges[edge]
        kept = {key: value for key, value in data.items() if isinstance(value, (str, int, float))}
        data.clear()
        data.update(kept)
    assert sizes(write, exported) == (16, 6, 8)
