"""Plots of results by matplotlib."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from . import _graphs
from ._result import number

if TYPE_CHECKING:
    from ._result import Result, Row

_MARKERS = "osD^vPX*<>"


def plot(result: "Result", y: Optional[str], x: Optional[str], ax: Any, keywords: Dict[str, Any]) -> Any:
    """See Result.plot."""
    pyplot = _graphs.optional("matplotlib.pyplot", "plot()")
    if not len(result):
        raise ValueError("there are no rows to plot")
    rows = result.rows(metric=y or result[0].metric)
    if not rows:
        raise ValueError(f"no row has the metric '{y}'; metrics are {', '.join(sorted({row.metric for row in result}))}")
    x = _axis(result, rows, x)
    if ax is None:
        ax = pyplot.subplots(figsize=(6.4, 4.2), layout="constrained")[1]
    elif not all(hasattr(ax, name) for name in ("bar", "errorbar", "set_ylabel")):
        raise TypeError(f"ax is {type(ax).__name__}; it must be axes of Matplotlib")
    series = _series(rows, x)
    if x is None:
        _bars(ax, series, keywords)
    else:
        _lines(ax, series, x, keywords)
        ax.set_xlabel(x)
    metric, unit = rows[0].metric, rows[0].unit
    ax.set_ylabel(f"{metric} ({unit})" if unit and unit != metric else metric)
    ax.grid(True, alpha=0.3)
    ax.set_axisbelow(True)
    return ax


def _axis(result: "Result", rows: "List[Row]", x: Optional[str]) -> Optional[str]:
    axes = result.axes
    indexed = any(row.index is not None for row in rows)
    if x is not None:
        if x not in axes and not (x == "index" and indexed):
            raise ValueError(f"no axis '{x}'; axes are {', '.join([*axes, *(['index'] if indexed else [])]) or 'none'}")
        return x
    if indexed:
        return "index"
    numeric = [name for name, values in axes.items() if len(values) > 1 and all(number(v) is not None for v in values)]
    return max(numeric, key=lambda name: len(axes[name])) if numeric else None


def _series(rows: "List[Row]", x: Optional[str]) -> "Dict[str, List[Row]]":
    """Rows by everything but x that differs between them."""
    axes = [name for name in rows[0].axes if name != x and len({row.axes[name] for row in rows}) > 1]
    methods = {row.method for row in rows}
    fields = ["method"] if len(methods) > 1 else []
    if len({(row.method, row.routing) for row in rows}) > len(methods):  # some have no routing
        fields.append("routing")
    if not rows[0].axes:
        fields += [name for name in ("network", "traffic", "faults") if len({getattr(row, name) for row in rows}) > 1]
    if x != "index" and len({row.index for row in rows}) > 1:
        fields.append("index")
    series: "Dict[str, List[Row]]" = {}
    for row in rows:
        parts = [f"{name}={row.axes[name]}" for name in axes] + [str(getattr(row, name)) for name in fields]
        series.setdefault(", ".join(part for part in parts if part), []).append(row)
    return series


def _interval(row: "Row") -> float:
    return row.ci95 if math.isfinite(row.ci95) else 0.0


def _bars(ax: Any, series: "Dict[str, List[Row]]", keywords: Dict[str, Any]) -> None:
    rows = [(name, row) for name, group in series.items() for row in group]
    places = range(len(rows))
    ax.bar(places, [row.mean for _, row in rows], yerr=[_interval(row) for _, row in rows], capsize=3, width=0.6,
           **keywords)
    ax.set_xticks(places, [name or row.method for name, row in rows], rotation=20 if len(rows) > 3 else 0)


def _point(row: "Row", x: str) -> Tuple[Any, float, float]:
    where: Any = row.index if x == "index" else number(row.axes[x])
    return (row.axes[x] if where is None else where), row.mean, _interval(row)


def _lines(ax: Any, series: "Dict[str, List[Row]]", x: str, keywords: Dict[str, Any]) -> None:
    low, high, count = math.inf, 0.0, 0
    title = keywords.pop("label", None)
    for i, (name, rows) in enumerate(series.items()):
        points = [_point(row, x) for row in rows]
        style = {"marker": _MARKERS[i % len(_MARKERS)], "markersize": 4, "capsize": 2, "linewidth": 1.2, **keywords}
        ax.errorbar([p[0] for p in points], [p[1] for p in points], [p[2] for p in points],
                    label=", ".join(part for part in (title, name) if part) or None, **style)
        positions = [p[0] for p in points if isinstance(p[0], (int, float))]
        low, high, count = min([low, *positions]), max([high, *positions]), max(count, len(positions))
    if count > 3 and 0 < low and high / low >= 64:  # powers: sizes of networks
        ax.set_xscale("log", base=2)
    if len(series) > 1 or title:
        ax.legend(fontsize="small")
