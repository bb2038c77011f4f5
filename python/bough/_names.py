"""Traffic and routings of one's own: arrays, or functions of Python."""
from __future__ import annotations

import ctypes
import os
import re
from ctypes import byref
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _arrays
from ._catalogue import spec
from ._control import Call
from ._library import (ErrorText, ExtDestination, ExtLink, ExtPattern, ExtRouting, Handle, MessageArrays, TableArrays,
                       WeightArrays, call, check, encode, library, make)

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
_NONE = 2**64 - 1


class _Named:
    """Something that a registry has under a name."""

    name: str

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not _NAME.match(name):
            raise ValueError(f"name={name!r} must be small letters, digits and _, a letter first")
        self.name = name

    def _register(self, registry: int, names: "Names") -> Any:
        """Adds it; what is returned lives as long as the registry."""
        raise NotImplementedError


class Messages(_Named):
    """Messages as a traffic: all sent at time 0, in this order.

    bytes: their sizes, or one for all. None: each is one unit of the method (a packet, a worm, `size=` of `flow`), and
    methods that know no bytes, as `circuit`, take them too.

    >>> import bough
    >>> bough.Messages(source=range(8), destination=[1, 2, 3, 4, 5, 6, 7, 0], bytes=1_000_000)
    <bough.Messages 'pairs': 8 messages>
    """

    def __init__(self, source: Any, destination: Any, bytes: Any = None,  # pylint: disable=redefined-builtin
                 *, name: str = "pairs") -> None:
        super().__init__(name)
        self.source = _arrays.whole(source, "source")
        self.destination = _arrays.whole(destination, "destination")
        self.bytes: "Optional[NDArray[np.uint64]]" = None
        if bytes is not None:
            sizes = np.asarray(bytes)
            self.bytes = _arrays.whole(np.full(len(self.source), sizes) if sizes.ndim == 0 else sizes, "bytes")
        for other, what in ((self.destination, "destination"), (self.bytes, "bytes")):
            if other is not None and len(other) != len(self.source):
                raise ValueError(f"{what} has {len(other)} elements; source has {len(self.source)}")

    @classmethod
    def from_pandas(cls, frame: Any, *, name: str = "pairs") -> "Messages":
        """A DataFrame with the columns source, destination and, if sizes are known, bytes."""
        if not hasattr(frame, "columns"):
            raise TypeError(f"the table of messages is {type(frame).__name__}; it must be a DataFrame")
        for column in ("source", "destination"):
            if column not in frame.columns:
                raise ValueError(f"the table of messages has no column '{column}'; it has "
                                 f"{', '.join(map(str, frame.columns))}")
        for column in frame.columns:
            if column not in ("source", "destination", "bytes"):
                raise ValueError(f"the table of messages has the column '{column}'; its columns are source, destination and, if "
                                 "sizes are known, bytes")
        sizes = frame["bytes"].to_numpy() if "bytes" in frame.columns else None
        return cls(frame["source"].to_numpy(), frame["destination"].to_numpy(), sizes, name=name)

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        return f"<bough.Messages '{self.name}': {len(self)} messages>"

    def _register(self, registry: int, names: "Names") -> Any:
        arrays = MessageArrays(ctypes.sizeof(MessageArrays), self.name.encode(), self.source.ctypes.data,
                               self.destination.ctypes.data, None if self.bytes is None else self.bytes.ctypes.data,
                               len(self))
        call("bough_registry_add_messages", registry, byref(arrays))


class Pattern(_Named):
    """A traffic in which each endpoint sends one message: a function (source, endpoints, word) -> destination.

    word is a random number below 2^64; random=True if destinations depend on it. An endpoint whose destination is
    itself sends nothing. The same arguments must give the same result. The function is called by one thread at a time;
    `Messages` are faster.

    >>> import bough
    >>> opposite = bough.Pattern(lambda source, endpoints, word: (source + endpoints // 2) % endpoints)
    >>> bough.sim("kary:k=4,levels=2", opposite, "linkload", routing="dmodk").value("link_load_max")
    1.0
    """

    def __init__(self, function: Callable[[int, int, int], int], *, name: str = "pattern", random: bool = False) -> None:
        super().__init__(name)
        if not callable(function):
            raise TypeError("function must be callable: (source, endpoints, word) -> destination")
        self.function, self.random = function, bool(random)

    def __repr__(self) -> str:
        return f"<bough.Pattern '{self.name}'>"

    def _register(self, registry: int, names: "Names") -> Any:
        function = self.function

        def destination(_state: object, endpoints: int, source: int, word: int) -> int:
            return names.guarded(lambda: _below(function(source, endpoints, word), endpoints, self.name), source)

        pattern = ExtPattern(ctypes.sizeof(ExtPattern), self.name.encode(), b"a function of Python",
                             destination=ExtDestination(destination), random=self.random)
        error = ErrorText()
        check(library().bough_extensions().contents.add_pattern(registry, byref(pattern), byref(error)), error)
        return pattern


class Weights(_Named):
    """Random pairs, each as probable as its weight: matrix[source, destination], in any unit.

    matrix: a square array, or a file NAME.npy of one. As a traffic, as many messages as endpoints. In a `Stream`
    sources send in proportion to the sums of their rows.

    >>> import bough
    >>> demand = bough.Weights([[0, 2, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]])
    >>> bough.Network("kary:k=2,levels=2").link_loads("dmodk", bough.Stream(demand, load=0.1)).max()
    1.5
    """

    def __init__(self, matrix: Any, *, name: str = "demand") -> None:
        super().__init__(name)
        array = np.load(matrix, allow_pickle=False) if _is_npy(matrix) else np.asarray(matrix)
        if array.ndim != 2 or array.shape[0] != array.shape[1]:
            raise ValueError(f"the weights have the shape {array.shape}; they must be a square matrix")
        source, destination = np.nonzero(array)
        self._take(source, destination, array[source, destination])

    @classmethod
    def from_pandas(cls, frame: Any, *, name: str = "demand") -> "Weights":
        """A DataFrame with the columns source, destination and weight."""
        if not hasattr(frame, "columns") or {*frame.columns} != {"source", "destination", "weight"}:
            raise ValueError("the table of weights must be a DataFrame with the columns source, destination and weight")
        weights = cls.__new__(cls)
        _Named.__init__(weights, name)
        weights._take(frame["source"].to_numpy(), frame["destination"].to_numpy(), frame["weight"].to_numpy())
        return weights

    def _take(self, source: Any, destination: Any, weight: Any) -> None:
        self.source = _arrays.whole(source, "source")
        self.destination = _arrays.whole(destination, "destination")
        self.weight = _arrays.weights(weight)

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        return f"<bough.Weights '{self.name}': {len(self)} pairs>"

    def _register(self, registry: int, names: "Names") -> Any:
        arrays = WeightArrays(ctypes.sizeof(WeightArrays), self.name.encode(), self.source.ctypes.data,
                              self.destination.ctypes.data, self.weight.ctypes.data, len(self))
        call("bough_registry_add_weights", registry, byref(arrays))


def _is_npy(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike)) and os.fspath(value).endswith(".npy")


class Stream:
    """Messages at random times, without an end, to destinations of a pattern.

    pattern: a spec ("shift:k=1"), `Weights`, a square array of them or a file NAME.npy, a `Pattern`, or a function.
    arrivals: "poisson" or "bernoulli"; parameters: those of `bough list poisson`, as load=0.1 (flits per cycle and endpoint that sends, in the
    mean), flits=16.

    >>> import bough
    >>> half = bough.Stream(lambda source, endpoints, word: source ^ 1, load=0.25, flits=8)
    >>> round(bough.sim("fattree:n=16", half, "worm:messages=20000", trials=16).value("accepted"), 2)
    0.25
    """

    def __init__(self, pattern: Any = "uniform", *, arrivals: str = "poisson", **parameters: Any) -> None:
        if isinstance(pattern, (np.ndarray, list)) or _is_npy(pattern):
            pattern = Weights(pattern)
        elif callable(pattern):
            pattern = Pattern(pattern)
        if not isinstance(pattern, (str, Pattern, Weights)):
            raise TypeError(f"pattern is {type(pattern).__name__}; it must be a spec, Weights, a square array, NAME.npy, a "
                            "Pattern or a function")
        if arrivals not in ("poisson", "bernoulli"):
            raise ValueError(f"arrivals={arrivals!r} must be 'poisson' or 'bernoulli'")
        self.pattern = pattern
        self._arrivals, self._parameters = arrivals, parameters
        spec(arrivals, **parameters)  # checks them

    def __repr__(self) -> str:
        return f"<bough.Stream {spec(self._arrivals, **self._parameters)} of {self.pattern!r}>"

    def _spec(self, names: "Names") -> str:
        pattern = self.pattern if isinstance(self.pattern, str) else names.add(self.pattern)
        return spec(self._arrivals, **self._parameters, pattern=pattern)


class Hop(NamedTuple):
    """The head of a message at a node that is not its destination."""

    node: int
    source: int  #: endpoints
    destination: int
    key: int  #: distinguishes messages of one pair
    links: "Sequence[int]"  #: links of minimal routes that leave the node and are alive


class Routing(_Named):
    """A routing of one's own: `Routing.from_tables` or `Routing.from_function`."""

    @staticmethod
    def from_tables(link: Any, *, name: str = "tables") -> "Routing":
        """Forwarding tables: link[node, endpoint] is the link that a message for the endpoint takes at the node; -1: none.

        Rows of endpoints are not read, since they have one link.

        >>> import bough, numpy as np
        >>> star = bough.Network("xgft:down=3,up=1")  # node 3 is the switch
        >>> tables = np.full((star.nodes, star.endpoints), -1)
        >>> down = star.links.src == 3
        >>> tables[3, star.links.dst[down]] = np.flatnonzero(down)
        >>> star.links.dst[star.path(0, 2, routing=bough.Routing.from_tables(tables))].tolist()
        [3, 2]
        """
        return _Tables(link, name)

    @staticmethod
    def from_function(function: Callable[[Hop], Optional[int]], *, name: str = "function",
                      any_link: bool = False) -> "Routing":
        """A function that gets a `Hop` and returns one of its links, or with any_link any link that leaves the node; None:
        there is no route.

        The same hop must give the same link. It is called by one thread at a time; tables are faster.

        >>> import bough
        >>> last = bough.Routing.from_function(lambda hop: hop.links[-1])
        >>> bough.Network("kary:k=2,levels=2").link_loads(last).max()
        4.0
        """
        return _Function(function, name, any_link)


class _Tables(Routing):
    def __init__(self, link: Any, name: str) -> None:
        super().__init__(name)
        self.link = _arrays.whole(link, "link", 2, missing=True)

    def __repr__(self) -> str:
        nodes, endpoints = self.link.shape
        return f"<bough.Routing '{self.name}': tables of {nodes} nodes for {endpoints} endpoints>"

    def _register(self, registry: int, names: "Names") -> Any:
        nodes, endpoints = self.link.shape
        arrays = TableArrays(ctypes.sizeof(TableArrays), self.name.encode(), nodes, endpoints, self.link.ctypes.data)
        call("bough_registry_add_tables", registry, byref(arrays))


class _Function(Routing):
    def __init__(self, function: Callable[[Hop], Optional[int]], name: str, any_link: bool) -> None:
        super().__init__(name)
        if not callable(function):
            raise TypeError("function must be callable: (hop) -> link")
        self.function, self.any_link = function, bool(any_link)

    def __repr__(self) -> str:
        return f"<bough.Routing '{self.name}': a function>"

    def _link(self, at: Any) -> int:
        links = at.list[:at.count] if at.list else range(at.first, at.first + at.count)
        chosen = self.function(Hop(at.node, at.source, at.destination, at.key, links))
        if chosen is None:
            return _NONE
        if not self.any_link and chosen not in links:
            raise ValueError(f"{self.name} returned {chosen!r}, which is not one of the links of its hop")
        return _below(chosen, _NONE, self.name)

    def _register(self, registry: int, names: "Names") -> Any:
        def link(_state: object, hop: Any) -> int:
            return names.guarded(lambda: self._link(hop.contents), _NONE)

        routing = ExtRouting(ctypes.sizeof(ExtRouting), self.name.encode(), b"a function of Python",
                             link=ExtLink(link), any_link=self.any_link)
        error = ErrorText()
        check(library().bough_extensions().contents.add_routing(registry, byref(routing), byref(error)), error)
        return routing


def _below(value: Any, bound: int, name: str) -> int:
    """What a function returned, which must be a number from 0."""
    if not isinstance(value, (int, np.integer)) or not 0 <= value < bound:
        raise ValueError(f"{name} returned {value!r}; it must be a whole number from 0 to {bound - 1}")
    return int(value)


RoutingLike = Union[None, str, Routing, "NDArray[np.integer[Any]]"]
Plugins = Union[None, str, Sequence[str]]


def texts(values: Any, name: str) -> List[Any]:
    """None, one value or several, as a list."""
    if values is None:
        return []
    if isinstance(values, (str, bytes)) or hasattr(values, "__fspath__"):
        return [values]
    if not isinstance(values, Iterable):
        raise TypeError(f"{name} is {type(values).__name__}; it must be a text, or a list of texts")
    return [*values]


class Names:
    """The registry of one call: plug-ins, and the objects that the question names."""

    def __init__(self, plugins: Plugins = None, run: Optional[Call] = None) -> None:
        self._run = run
        self._error: Optional[BaseException] = None
        self._objects: Dict[str, _Named] = {}
        self.kept: List[Any] = []  # callbacks
        self._handle: Optional[Handle] = None
        self.plugins = tuple(dict.fromkeys(texts(plugins, "plugins")))
        for path in self.plugins:
            with self._registry() as registry:
                call("bough_registry_load", registry, encode(path, "plugins"))

    def _registry(self) -> Handle:
        if self._handle is None:
            self._handle = Handle(make("bough_registry_create"), "bough_registry_destroy", "registry", self.kept)
        return self._handle

    @property
    def handle(self) -> Optional[Handle]:
        """The registry; None if nothing is in it."""
        return self._handle

    def guarded(self, function: Callable[[], int], otherwise: int) -> int:
        """A result of a callback. Its first exception ends the call, which raises it."""
        if self._error is None and not (self._run and self._run.failed):
            try:
                return function()
            except BaseException as error:  # pylint: disable=broad-except
                self._error = error
                if self._run:
                    self._run.fail(error)
        return otherwise

    def add(self, item: _Named) -> str:
        """Adds an object, once; returns its spec."""
        known = self._objects.get(item.name)
        if known is not None and known is not item:
            raise ValueError(f"two objects have the name '{item.name}'; give one of them another, by name=")
        if known is None:
            with self._registry() as registry:
                self.kept.append(item._register(registry, self))
            self._objects[item.name] = item
        return item.name

    def network(self, handle: Handle, name: str) -> str:
        """Lets specs name a network; returns its spec."""
        with self._registry() as registry, handle as network:
            call("bough_registry_use_network", registry, network)
        return name

    def routing(self, value: Any) -> bytes:
        """The spec of a routing argument."""
        if isinstance(value, np.ndarray):
            value = Routing.from_tables(value)
        elif callable(value):
            value = Routing.from_function(value)
        return encode(self.add(value) if isinstance(value, Routing) else value, "routing")

    def traffic(self, value: Any) -> bytes:
        """The spec of a traffic argument."""
        if hasattr(value, "columns"):
            value = Messages.from_pandas(value)
        elif isinstance(value, tuple) and value and all(isinstance(column, np.ndarray) for column in value):
            value = _columns(value)
        elif isinstance(value, (np.ndarray, list, tuple)):
            value = _pairs(value)
        elif callable(value):
            value = Pattern(value)
        return encode(self.spec(value), "traffic")

    def spec(self, value: Any) -> Any:
        """An object that may stand in the place of a spec, as one; other values are returned as they are."""
        if isinstance(value, Stream):
            return value._spec(self)
        return self.add(value) if isinstance(value, (Messages, Pattern, Weights)) else value


def _columns(value: "Tuple[Any, ...]") -> Messages:
    if len(value) not in (2, 3):
        raise ValueError(f"traffic is a tuple of {len(value)} arrays; those of messages are source, destination and, if sizes are "
                         "known, bytes")
    return Messages(*value)


def _pairs(value: Any) -> Messages:
    array = np.asarray(value)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ValueError(f"traffic has the shape {array.shape}; an array of messages has a row for each, with the columns "
                         "source, destination and, if sizes are known, bytes")
    return Messages(array[:, 0], array[:, 1], array[:, 2] if array.shape[1] == 3 else None)
