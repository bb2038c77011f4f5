"""Networks: sizes, links, loads, paths, exports."""
from __future__ import annotations

import base64
import ctypes
import html
import warnings
from ctypes import byref, c_char_p, c_uint64, create_string_buffer
from typing import TYPE_CHECKING, Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple, Type, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _graphs
from ._errors import InvalidError, TooLargeError, UnsupportedError
from ._library import (CableArrays, Handle, LinkArrays, Loads, NetworkOptions, PathLinks, call, decode, encode, library, make,
                       text)
from ._control import Call
from ._names import Names, Plugins, RoutingLike, texts

if TYPE_CHECKING:
    from ._check import Diagnosis

N = TypeVar("N", bound="Network")

_DRAWN = 200  # switches of the largest network that a notebook draws by itself


class Links(NamedTuple):
    """The directed links of a network, as read-only arrays. Element i is link i."""

    #: nodes at which the links begin
    src: "NDArray[np.int64]"
    #: nodes at which they end
    dst: "NDArray[np.int64]"
    #: bit/s
    rate: "NDArray[np.float64]"
    #: False: removed by faults
    alive: "NDArray[np.bool_]"


class Network:
    """A network, from a spec (`bough list networks`) or a fabric file.

    faults: a spec of `bough list faults`, or several; they are removed. physical: rates, delays and hosts, a spec of
    `bough list physical`. plugins: paths of shared objects whose names the spec may use. Nodes and links have numbers
    from 0; the endpoints are the nodes 0 .. endpoints-1.

    >>> import bough
    >>> net = bough.Network("xgft:down=4x4,up=1x2")
    >>> net
    <bough.Network xgft:down=4x4,up=1x2: 16 endpoints, 6 switches, 48 links>
    >>> net.link_loads(routing="dmodk").max()
    24.0
    >>> net.links.src[net.path(0, 15, routing="dmodk")].tolist()
    [0, 16, 21, 19]

    A network is constant, so threads may share it. `close()` or a with-statement frees its memory early. It can be
    pickled: what it was made of is written.
    """

    spec: str  #: the spec in canonical form
    nodes: int  #: number of endpoints and switches
    endpoints: int
    switches: int
    link_count: int  #: number of directed links
    cables: int  #: number of cables between switches
    levels: int  #: level of the roots; endpoints have level 0

    def __init__(self, spec: Any, *, faults: Union[None, str, Sequence[str]] = None, physical: Optional[str] = None,
                 plugins: Plugins = None) -> None:
        self._made: "Tuple[Callable[..., Network], Tuple[Any, ...], Dict[str, Any]]" = (
            type(self), (spec,), {"faults": faults, "physical": physical, "plugins": plugins})
        names = Names(plugins)
        self._begin(_open(spec, faults, physical, names), names)

    def _begin(self, pointer: int, names: Optional[Names] = None) -> None:
        self._handle = Handle(pointer, "bough_network_destroy", "network", names and names.kept)
        #: paths of the plug-ins whose names it may use
        self.plugins: "Tuple[str, ...]" = names.plugins if names else ()
        self._links: Optional[Links] = None
        self._names: "Optional[Tuple[str, ...]]" = None
        with self._handle as network:
            size = library().bough_network_size(network)
            self.spec = decode(library().bough_network_spec(network))
        self.nodes, self.endpoints, self.switches = size.nodes, size.endpoints, size.switches
        self.link_count, self.cables, self.levels = size.links, size.cables, size.levels

    @classmethod
    def _from(cls: Type[N], pointer: int, maker: "Callable[..., Network]", arguments: "Tuple[Any, ...]",
              **keywords: Any) -> N:
        net = cls.__new__(cls)
        net._made = (maker, arguments, keywords)
        net._begin(pointer)
        return net

    # ---- making ----

    @classmethod
    def parse(cls: Type[N], data: Union[str, bytes], *, name: str = "fabric") -> N:
        """A fabric file in memory, of any format that files may have. name: for messages.

        >>> import bough
        >>> bough.Network.parse("node,port,node,port,rate\\nh0,1,s,1,100Gb/s\\nh1,1,s,2,100Gb/s\\n").endpoints
        2
        """
        if not isinstance(data, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"data is {type(data).__name__}; it must be a text or bytes")
        raw = data.encode() if isinstance(data, str) else bytes(data)
        pointer = make("bough_network_parse", encode(name, "name"), raw, len(raw))
        return cls._from(pointer, cls.parse, (raw,), name=name)

    @classmethod
    def from_links(cls: Type[N], src: Any, dst: Any, *, rate: Any = None, endpoints: Optional[int] = None,
                   names: Optional[Sequence[str]] = None, name: str = "links") -> N:
        """A network of cables, each two links, between the nodes src[i] and dst[i], in any order.

        Endpoints are the nodes 0 .. endpoints-1; each has one cable, to a switch. endpoints=None: the nodes that have
        one cable, which must be the first. rate: bit/s, a number or one for each cable; 0 or None: unknown. names:
        of the nodes. name: of the network, in results.

        >>> import bough
        >>> star = bough.Network.from_links([0, 1, 2], [3, 3, 3], rate=100e9)
        >>> star.endpoints, star.switches, star.link_loads().tolist()
        (3, 1, [2.0, 2.0, 2.0, 2.0, 2.0, 2.0])
        """
        a, b = _arrays.whole(src, "src"), _arrays.whole(dst, "dst")
        if len(a) != len(b):
            raise ValueError(f"dst has {len(b)} elements; src has {len(a)}")
        rates = _arrays.rates(rate, "rate", len(a))
        nodes = max((int(x.max()) + 1 for x in (a, b) if x.size), default=0)
        if nodes > 2 * len(a):
            raise ValueError(f"src and dst name node {nodes - 1}; {len(a)} cables join at most {2 * len(a)} nodes")
        if names is not None:
            nodes = max(nodes, len(names))
        if endpoints is None:
            endpoints = _graphs.count_endpoints(a, b, nodes)
        elif isinstance(endpoints, bool) or not isinstance(endpoints, (int, np.integer)) or endpoints < 0:
            raise ValueError(f"endpoints={endpoints!r} must be the number of endpoints")
        pointer = make("bough_network_from_cables", byref(_cables(name, (nodes, int(endpoints)), (a, b, rates), names)))
        return cls._from(pointer, cls.from_links, (a, b), rate=rates, endpoints=int(endpoints), names=names, name=name)

    @classmethod
    def from_networkx(cls: Type[N], graph: Any, *, name: str = "graph") -> N:
        """A network of a NetworkX graph; an edge is a cable, in a directed graph two opposite edges are.

        Endpoints are the nodes whose attribute `kind` is "endpoint", or if no node has `kind`, those with one cable.
        They are numbered first, in the order of the graph. The attribute `name` of a node, or else the node itself, is
        its name; `rate` of an edge is in bit/s.

        >>> import bough, networkx
        >>> net = bough.Network.from_networkx(networkx.star_graph(4))
        >>> net.endpoints, net.node_name(4)
        (4, '0')
        """
        cables = _graphs.read(graph)
        return cls.from_links(cables.src, cables.dst, rate=cables.rate, endpoints=cables.endpoints, names=cables.names,
                              name=name)

    def to_networkx(self) -> Any:
        """A networkx.MultiDiGraph: an edge for each link that is alive, with `link`, its number, and `rate`, in bit/s.

        Nodes are numbers with `name` and `kind`, "endpoint" or "switch".

        >>> import bough
        >>> graph = bough.Network("kary:k=2,levels=2").to_networkx()
        >>> graph.number_of_nodes(), graph.number_of_edges(), graph.nodes[0]["kind"]
        (8, 16, 'endpoint')
        """
        return _graphs.write(self)

    # ---- reading ----

    @property
    def links(self) -> Links:
        """The links as read-only arrays, which are made at the first use."""
        if self._links is None:
            count = self.link_count
            src, dst = np.empty(count, np.int64), np.empty(count, np.int64)
            rate, alive = np.empty(count, np.float64), np.empty(count, np.uint8)
            arrays = LinkArrays(ctypes.sizeof(LinkArrays), src.ctypes.data, dst.ctypes.data, rate.ctypes.data,
                                alive.ctypes.data)
            with self._handle as network:
                call("bough_network_links", network, byref(arrays))
            links = Links(src, dst, rate, alive.view(np.bool_))
            for array in links:
                array.flags.writeable = False
            self._links = links
        return self._links

    def node_name(self, node: int) -> str:
        """The name of a node.

        >>> import bough
        >>> bough.Network("fattree:n=8").node_name(0)
        'h0'
        """
        buffer = create_string_buffer(512)
        with self._handle as network:
            call("bough_network_node_name", network, _node(node), buffer, len(buffer))
        return decode(buffer.value)

    @property
    def node_names(self) -> "Tuple[str, ...]":
        """The names of all nodes, which are read at the first use."""
        if self._names is None:
            self._names = tuple(self.node_name(node) for node in range(self.nodes))
        return self._names

    @property
    def link_names(self) -> "Tuple[str, ...]":
        """The names of all links, in the order of `links` and `link_loads`; parallel links have one name.

        >>> import bough
        >>> bough.Network("fattree:n=4").link_names[:2]
        ('h0 -> s1.0', 'h1 -> s1.0')
        """
        name = self.node_names
        return tuple(f"{name[src]} -> {name[dst]}" for src, dst in zip(self.links.src, self.links.dst))

    def link_loads(self, routing: RoutingLike = None, traffic: Any = None, *,
                   out: "Optional[NDArray[np.float64]]" = None) -> "NDArray[np.float64]":
        """The messages on each link under a traffic; None: every endpoint sends one to every other one.

        routing: a spec, a `Routing`, or an array of tables; None: that of the network. traffic: a spec, `Messages`, a
        DataFrame of them, an array with the columns source and destination, or a `Pattern`. Loads are expected values under random
        selection; a random traffic is that of the first trial with seed 1. out: a float64 array to fill. The library
        writes into the array that is returned.

        >>> import bough
        >>> net = bough.Network("kary:k=2,levels=3")
        >>> net.link_loads("dmodk", "shift:k=4").max()
        1.0
        >>> net.link_loads("dmodk", [(0, 7), (1, 7)]).sum()
        12.0
        """
        load = _arrays.output(out, self.link_count)
        run = Call()
        names = Names(self.plugins, run)
        route = None if routing is None else names.routing(routing)
        pattern = None if traffic is None else names.traffic(traffic)
        loads = Loads(ctypes.sizeof(Loads), route, pattern, load.ctypes.data)
        loads.array = load  # kept as long as the structure
        handle = self._named(names)

        def work(control: Any) -> int:
            with handle as network:
                status: int = library().bough_network_loads(network, control, byref(loads), run.text)
                return status

        run.run("bough_network_loads", work)
        if loads.unrouted:
            warnings.warn(f"{loads.unrouted:g} messages have no route, or are in a loop, and load no links", stacklevel=2)
        return load

    def path(self, source: int, destination: int, routing: RoutingLike = None) -> "NDArray[np.int64]":
        """The links from one endpoint to another, in their order; empty if there is no route.

        The routing must leave no choice, as `dmodk` or tables do. `links.src[path]` are the nodes.
        """
        run = Call()
        names = Names(self.plugins, run)
        route = None if routing is None else names.routing(routing)
        pair = (c_uint64 * 2)(_node(source), _node(destination))
        room = np.empty(4 * self.nodes, np.int64)
        links = PathLinks(room.ctypes.data, room.size, 0)
        links.array = room  # kept as long as the structure
        handle = self._named(names)

        def work(_control: Any) -> int:
            with handle as network:
                status: int = library().bough_network_path(network, route, pair, byref(links), run.text)
                return status

        try:
            run.run("bough_network_path", work)
        except TooLargeError:
            raise InvalidError(f"the path from {source} to {destination} has more than {room.size} links: the routing has a "
                               "loop") from None
        return room[:links.count].copy()

    def export(self, format: str, routing: Optional[str] = None) -> str:  # pylint: disable=redefined-builtin
        """The network as a text in a format of `bough list formats`: "json", "dot", "csv", "svg" (a drawing), ...

        routing: a spec, for formats with routes ("lfts") and for the colours of a drawing.

        >>> import bough
        >>> bough.Network("kary:k=2,levels=1").export("csv").splitlines()[0]
        'node,kind,port,node,kind,port,rate'
        """
        with self._handle as network:
            return text("bough_network_text", network, None if routing is None else encode(routing, "routing"),
                        encode(format, "format"))

    def with_options(self: N, *, faults: Union[None, str, Sequence[str]] = None, physical: Optional[str] = None) -> N:
        """The same network with faults, or with another physical setting; it shares the data.

        >>> import bough
        >>> star = bough.Network.from_links([0, 1, 2], [3, 3, 3])
        >>> slow = star.with_options(physical="default:rate=25Gb/s")
        >>> star.links.rate[0], slow.links.rate[0]
        (100000000000.0, 25000000000.0)
        """
        options = _options(faults, physical)
        with self._handle as network:
            pointer = make("bough_network_with", network, byref(options))
        again = self._from(pointer, _changed, (self, faults, physical))
        again.plugins = self.plugins
        again._handle.keep = self._handle.keep
        return again

    def _named(self, names: Names) -> Handle:
        """This network, where specs may use these names."""
        if names.handle is None:
            return self._handle
        with self._handle as network, names.handle as registry:
            options = NetworkOptions(ctypes.sizeof(NetworkOptions), None, None, registry)
            pointer = make("bough_network_with", network, byref(options))
        return Handle(pointer, "bough_network_destroy", "network", names.kept)

    # ---- Python ----


    def close(self) -> None:
        """Frees it. Calls in other threads may still be using it; they end as usual."""
        self._handle.close()

    def __enter__(self: N) -> N:
        with self._handle:
            return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return (f"<bough.{type(self).__name__} {self.spec}: {self.endpoints} endpoints, {self.switches} switches, "
                f"{self.link_count} links>")

    def _repr_html_(self) -> str:
        sizes = f"{self.endpoints} endpoints, {self.switches} switches, {self.link_count} links, {self.levels} levels"
        drawing = ""
        if self.switches <= _DRAWN and not self._handle.closed:  # as an image: the styles of an inline drawing would be those of the whole page
            picture = base64.b64encode(self.export("svg").encode()).decode()
            drawing = f'<img alt="drawing" src="data:image/svg+xml;base64,{picture}">'
        return f"<div><b>{html.escape(self.spec)}</b><br>{sizes}</div>{drawing}"

    def __reduce__(self) -> "Tuple[Callable[..., Network], Tuple[Any, ...]]":
        return _again, self._made


class Fabric(Network):
    """A recorded fabric: a network with `check()`.

    >>> import bough
    >>> fabric = bough.Fabric.read("examples/fabric/cluster.ibnetdiscover")
    >>> fabric.endpoints, fabric.switches
    (95, 12)
    >>> fabric.check(lft="examples/fabric/cluster.ftree.lfts.gz", worst="no").severity.name
    'WARN'
    """

    @classmethod
    def read(cls, path: Any, *, order: Optional[str] = None, endpoints: Optional[str] = None,
             aggregation: bool = False, faults: Union[None, str, Sequence[str]] = None,
             physical: Optional[str] = None, names: Optional[str] = None) -> "Fabric":
        """A fabric file: ibnetdiscover, iblinkinfo, ibdiagnet2.db_csv, ORCS, a list of cables, ...; .gz works.

        order: of the endpoints, "lid" (default), "guid", "name" or a file. endpoints: a regular expression; only
        adapters whose names match are endpoints. aggregation: aggregation nodes are endpoints too.
        names: a file as ib-node-name-map, names of nodes by GUID.
        """
        from ._catalogue import spec

        file = encode(path, "path").decode("utf-8", "surrogateescape")
        chosen = spec("ibnet", file=file, order=order, endpoints=endpoints, aggregation=aggregation or None,
                      names=names)
        return cls(chosen, faults=faults, physical=physical)

    def check(self, **question: Any) -> "Diagnosis":
        """As `bough.check`, of this fabric."""
        from ._check import check

        return check(self, **question)


def _again(maker: "Callable[..., Network]", arguments: "Tuple[Any, ...]", keywords: "Dict[str, Any]") -> Network:
    return maker(*arguments, **keywords)


def _changed(net: N, faults: Union[None, str, Sequence[str]], physical: Optional[str]) -> N:
    return net.with_options(faults=faults, physical=physical)


def _options(faults: Union[None, str, Sequence[str]], physical: Optional[str]) -> NetworkOptions:
    joined = b"+".join(encode(fault, "faults") for fault in texts(faults, "faults")) or None
    return NetworkOptions(ctypes.sizeof(NetworkOptions), joined, None if physical is None else encode(physical, "physical"))


def _open(spec: Any, faults: Union[None, str, Sequence[str]], physical: Optional[str], names: Names) -> int:
    options = _options(faults, physical)
    if names.handle is None:
        return make("bough_network_open", encode(spec, "spec"), byref(options))
    with names.handle as registry:
        options.registry = registry
        return make("bough_network_open", encode(spec, "spec"), byref(options))


def _cables(name: str, sizes: "Tuple[int, int]", arrays: "Tuple[Any, Any, Any]",
            names: Optional[Sequence[str]]) -> CableArrays:
    a, b, rate = arrays
    cables = CableArrays(ctypes.sizeof(CableArrays), encode(name, "name"), sizes[0], sizes[1], a.ctypes.data,
                         b.ctypes.data, None if rate is None else rate.ctypes.data, len(a))
    cables.arrays = arrays  # kept as long as the structure
    if names is not None:
        if len(names) != sizes[0]:
            raise ValueError(f"names has {len(names)} elements; there are {sizes[0]} nodes")
        cables.node_name = (c_char_p * len(names))(*(encode(one, "a name of a node") for one in names))
    return cables


def _node(node: Any) -> int:
    if isinstance(node, bool) or not isinstance(node, (int, np.integer)):
        raise TypeError(f"node {node!r} must be a whole number")
    if not 0 <= node < 2**64:
        raise ValueError(f"node {node} does not exist; nodes are numbers from 0")
    return int(node)
