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
