"""Forwarding tables with smaller loads."""
from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref, c_char_p, c_void_p
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from ._control import Call, ProgressArgument, Stop
from ._library import TuningArgument, decode, encode, library
from ._names import Names, Plugins
from ._network import Network
from ._simulate import Texts, with_plugins


@dataclass(frozen=True)
class Tuning:
    """What `tune` found."""

    report: Dict[str, Any] = field(repr=False)  #: that of `bough tune --json` (docs/json.md)
    tables: str = field(repr=False)  #: forwarding tables, as FILE.lfts of OpenSM

    @property
    def value(self) -> float:
        """The load that was minimised."""
        return float(self.report["tuned"]["score"]["value"])

    @property
    def bound(self) -> float:
        """No tables have a smaller one."""
        return float(self.report["bound"]["value"])

    def write(self, path: Any) -> None:
        """Writes the tables to a file, which OpenSM loads by -R file -U FILE."""
        with open(os.fspath(path), "w", encoding="utf-8", newline="") as file:
            file.write(self.tables)


def _several(value: Any) -> List[Any]:
    if value is None:
        return []
    return [*value] if isinstance(value, (list, tuple)) else [value]


def tune(network: Any, objective: Optional[str] = None, *, job: Any = None, routing: Any = None, faults: Texts = None,
         physical: Optional[str] = None, effort: Optional[float] = None, seed: Optional[int] = None,
         plugins: Plugins = None, stop: Optional[Stop] = None, progress: ProgressArgument = None) -> Tuning:
    """Finds forwarding tables with a smaller load of the most loaded link, and a bound that no tables can pass, as the
    command `bough tune`.

    network: a spec, the path of a fabric file, or a `Network`. objective: "alltoall" (the default), "shifts",
    "worst-shift", "random" or "worst"; job: instead, a traffic or a list of several, as in `sim`. routing: one or
    several to start from, beside minhop, updn and dmodk ("lft:FILE": tables). effort: 10 takes ten times as long.

    >>> import bough
    >>> found = bough.tune("xgft:down=4x4,up=1x2", effort=0.1)
    >>> found.value, found.bound
    (24.0, 24.0)
    """
    run = Call(None, stop, progress)
    names = Names(with_plugins(network, plugins), run)
    net = network if isinstance(network, Network) else Network(network, faults=faults, physical=physical, plugins=names.plugins)
    if net is network and (faults is not None or physical is not None):
        net = net.with_options(faults=faults, physical=physical)
    jobs = [names.traffic(item) for item in _several(job)]
    routes = [names.routing(item) for item in _several(routing)]
    texts = [(c_char_p * len(items))(*items) for items in (jobs, routes)]  # kept during the call
    asked = TuningArgument(ctypes.sizeof(TuningArgument), None if objective is None else encode(objective, "objective"),
                           ctypes.cast(texts[0], c_void_p), len(jobs), ctypes.cast(texts[1], c_void_p), len(routes),
                           float(effort or 0), int(seed or 0), None, None)
    handle = net._named(names)

    def work(control: Any) -> int:
        with handle as pointer:
            status: int = library().bough_network_tune(pointer, control, byref(asked), run.text)
            return status

    try:
        run.run("bough_network_tune", work)
        return Tuning(json.loads(_text(asked.report)), _text(asked.tables))
    finally:
        for made in (asked.report, asked.tables):
            library().bough_free(made)


def _text(made: Optional[int]) -> str:
    return decode(ctypes.string_at(c_void_p(made)))
