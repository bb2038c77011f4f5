"""Fat-trees for hosts and switches."""
from __future__ import annotations

import ctypes
import json
from ctypes import byref, c_void_p
from typing import Any, Dict, Optional

from ._control import Call, ProgressArgument, Stop
from ._library import PlanningArgument, decode, encode, library


def _text(value: Any, name: str) -> Optional[bytes]:
    return None if value is None else encode(value, name)


def plan(hosts: int, radix: int, *, taper: float = 1, levels: Optional[int] = None, prices: Any = None, job: Optional[str] = None,
         routing: Optional[str] = None, physical: Optional[str] = None, spray: bool = False, limit: Optional[int] = None,
         seed: Optional[int] = None, threads: Optional[int] = None, stop: Optional[Stop] = None,
         progress: ProgressArgument = None) -> Dict[str, Any]:
    """Lists the fat-trees for hosts and switches that no other beats in cost and taper, as the command `bough plan`.

    taper: the largest ratio of endpoints below a switch to its cables up; levels: of switches, None: any. prices: a
    file (examples/prices.csv). job: a traffic, or NAME.yaml, whose time each tree gets, under `routing` and `physical`.
    The result is the object of `bough plan --json`; its `trees` have networks with specs, which `Network` and `sim`
    take.

    >>> import bough
    >>> tree = bough.plan(512, 64, taper=2)["trees"][0]
    >>> tree["network"]["spec"], tree["network"]["switches"], tree["taper"]
    ('xgft:down=40x13,up=1x5,links=1x4,hosts=512', 18, 2)
    """
    run = Call(threads, stop, progress)
    for value, name in ((hosts, "hosts"), (radix, "radix"), (levels, "levels"), (limit, "limit"), (seed, "seed")):
        if value is not None and (not isinstance(value, int) or not 0 <= value < 2**63):
            raise ValueError(f"{name}={value!r} is no whole number from 0 to 2^63")
    asked = PlanningArgument(ctypes.sizeof(PlanningArgument), hosts, min(radix, 2**31), levels or 0, float(taper),
                             _text(prices, "prices"), _text(job, "job"), _text(routing, "routing"), _text(physical, "physical"),
                             int(spray), limit or 0, seed or 0, None)

    def work(control: Any) -> int:
        status: int = library().bough_plan_trees(control, byref(asked), run.text)
        return status

    try:
        run.run("bough_plan_trees", work)
        answer: Dict[str, Any] = json.loads(decode(ctypes.string_at(c_void_p(asked.report))))
        return answer
    finally:
        library().bough_free(asked.report)
