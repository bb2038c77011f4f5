"""bough predicts how fat-tree networks behave: simulators, analytic models, and the diagnosis of real fabrics.

    >>> import bough
    >>> result = bough.sim("fattree:n=1024", "uniform", "circuit:mode=rounds", trials=20)
    >>> result.value("rounds")
    7.1
    >>> net = bough.Network("xgft:down=16x16,up=1x4")
    >>> net.link_loads(routing="dmodk").max()
    960.0

What is asked               how
a network under traffic     sim(network, traffic, methods)          -> Result
a grid of points            run(study)                              -> Result
a recorded fabric           check(fabric), Fabric.read(path)        -> Diagnosis
better forwarding tables    tune(fabric)                            -> Tuning
fat-trees to build          plan(hosts, radix)                      -> trees and their costs
links, loads, paths         Network(spec), Network.from_links(...)  -> arrays of NumPy
a traffic of one's own      Messages(source, destination)
                            Pattern(function), Weights(matrix), Stream(pattern, load=0.1)
a routing of one's own      Routing.from_tables(link), Routing.from_function(function)
names and parameters        list(), spec(name, key=value)

Networks, traffic, methods and routings are texts, specs, as the command has them: `bough list` prints all. Results are
those of the command: the same question with the same seed gives the same numbers, on any number of threads.

Errors are `Error`, which are also ValueError, MemoryError or OSError. Ctrl-C stops a call; another thread stops it by
`Stop`. Threads may use different objects at any time, and share networks, results and diagnoses. The library is
libbough, found by the environment variable BOUGH_LIBRARY, beside the package, or in the system.
"""
from ._catalogue import list, spec
from ._check import Diagnosis, Finding, Severity, check
from ._control import Stop
from ._errors import (Error, FileError, InvalidError, LibraryError, RunError, Stopped, TooLargeError,
                      UnsupportedError)
from ._names import Hop, Messages, Pattern, Routing, Stream, Weights
from ._network import Fabric, Links, Network
from ._plan import plan
from ._result import Comparison, Result, Row
from ._simulate import run, sim
from ._tune import Tuning, tune

__version__ = "0.1.0"

__all__ = ["sim", "run", "check", "plan", "tune", "Tuning", "list", "spec", "Network", "Fabric", "Links", "Messages", "Pattern", "Weights", "Stream", "Routing", "Hop", "Result", "Row",
           "Comparison", "Diagnosis", "Finding", "Severity", "Stop", "Error", "InvalidError", "UnsupportedError",
           "TooLargeError", "FileError", "RunError", "Stopped", "LibraryError"]
for _name in __all__:  # one place for all names, in tracebacks, help() and pickles
    globals()[_name].__module__ = "bough"
del _name
