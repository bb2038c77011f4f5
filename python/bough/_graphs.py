"""Networks as graphs of NetworkX."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Hashable, List, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._network import Network


class Cables(NamedTuple):
    """Arguments of Network.from_links."""

    src: "NDArray[np.uint64]"
    dst: "NDArray[np.uint64]"
    rate: "NDArray[np.float64]"
    endpoints: int
    names: List[str]


def count_endpoints(a: "NDArray[np.uint64]", b: "NDArray[np.uint64]", nodes: int) -> int:
    """The number of nodes with one cable, which are the first."""
    degree = np.bincount(np.concatenate((a, b)).astype(np.int64), minlength=nodes)
    single = degree == 1
    count = int(single.sum())
    if not single[:count].all():
        other = int(np.flatnonzero(~single[:count])[0])
        raise ValueError(f"node {other} has {degree[other]} cables, and {count} nodes have one: endpoints must be the first "
                         "nodes; number them so, or say endpoints=")
    return count


def optional(name: str, purpose: str) -> Any:
    """Imports an optional package."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"{purpose} needs {name.split('.')[0]}; install it (Debian: python3-{name.split('.')[0]})") from None


def read(graph: Any) -> Cables:
    """The cables of a graph."""
    if not all(hasattr(graph, name) for name in ("is_directed", "edges", "nodes")):
        raise TypeError(f"graph is {type(graph).__name__}; it must be a graph of networkx")
    edges = _undirected(graph) if graph.is_directed() else [(a, b, _rate(data)) for a, b, data in graph.edges(data=True)]
    kinds = {node: kind for node, kind in graph.nodes(data="kind") if kind is not None}
    degree: Dict[Hashable, int] = {node: 0 for node in graph.nodes}
    for a, b, _ in edges:
        degree[a] += 1
        degree[b] += 1
    if kinds:
        ends = [node for node in graph.nodes if kinds.get(node) == "endpoint"]
    else:
        ends = [node for node in graph.nodes if degree[node] == 1]
    chosen = set(ends)
    order = ends + [node for node in graph.nodes if node not in chosen]
    number = {node: i for i, node in enumerate(order)}
    src = np.fromiter((number[a] for a, _, _ in edges), np.uint64, len(edges))
    dst = np.fromiter((number[b] for _, b, _ in edges), np.uint64, len(edges))
    rate = np.fromiter((rate for _, _, rate in edges), np.float64, len(edges))
    return Cables(src, dst, rate, len(ends), [str(graph.nodes[node].get("name", node)) for node in order])


def _rate(data: "Dict[str, Any]") -> float:
    rate = data.get("rate")
    return 0.0 if rate is None else float(rate)


def _undirected(graph: Any) -> "List[tuple[Any, Any, float]]":
    """Every edge of a directed graph has an opposite one of the same rate."""
    waiting: "Dict[tuple[Any, Any], List[float]]" = {}
    cables = []
    for a, b, data in graph.edges(data=True):
        rate, opposite = _rate(data), waiting.get((b, a))
        if opposite:
            if rate not in opposite:
                raise ValueError(f"the edges between {a} and {b} have the rates {opposite[0]:g} and {rate:g}; a cable has one")
            opposite.remove(rate)
            continue
        waiting.setdefault((a, b), []).append(rate)
        cables.append((a, b, rate))
    for (a, b), rates in waiting.items():
        if rates:
            raise ValueError(f"the edge from {a} to {b} has no opposite one; a cable has both directions")
    return cables


def write(net: "Network") -> Any:
    """The graph of a network."""
    networkx = optional("networkx", "to_networkx()")
    graph = networkx.MultiDiGraph(spec=net.spec)
    for node, name in enumerate(net.node_names):
        graph.add_node(node, name=name, kind="endpoint" if node < net.endpoints else "switch")
    links = net.links
    alive = np.flatnonzero(links.alive)
    graph.add_edges_from((src, dst, {"link": link, "rate": rate}) for src, dst, link, rate in zip(
        links.src[alive].tolist(), links.dst[alive].tolist(), alive.tolist(), links.rate[alive].tolist()))
    return graph
