"""Results: rows, tables, DataFrames, plots."""
from __future__ import annotations

import os
from collections.abc import Sequence as SequenceABC
from ctypes import byref, c_char_p
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, overload

from . import _graphs
from ._library import Compared, Handle, ResultRow, decode, library, text


@dataclass(frozen=True)
class Row:
    """One metric of one method at one point."""

    axes: Mapping[str, str]  #: values of the axes of a study
    network: str  #: canonical specs; "": none
    faults: str
    routing: str
    traffic: str
    method: str
    metric: str
    unit: str
    index: Optional[int]  #: of metrics that have one (a level, a round)
    mean: float  #: over trials; NaN: unknown
    ci95: float  #: half width of the 95 % interval of the mean; NaN: exact, or unknown
    min: float
    max: float
    trials: int
    exact: bool  #: one trial is all there is
    status: str  #: "ok", "saturated", "partial", "deadlock", "hangs"
    note: str
    premises: str  #: what the method assumes and the question breaks, so that the number may mislead


@dataclass(frozen=True)
class Comparison:
    """Two rows of one metric at one point, on the same messages: row - against, row / against."""

    row: Row
    against: Row
    difference: float
    difference_ci95: float  #: half width of the 95 % interval, from paired trials
    ratio: float
    ratio_ci95: float
    trials: int  #: in common


_FORMATS = ("table", "csv", "json", "html")
_TEXTS = ("network", "faults", "routing", "traffic", "method", "metric", "unit", "status", "note", "premises")
_NUMBERS = ("mean", "ci95", "min", "max", "trials")
# of DataFrames: the numbers first, and nothing wide last, so that a narrow print shows them
_COLUMNS = ("metric", "mean", "ci95", "unit", "min", "max", "network", "faults", "routing", "traffic", "note", "premises", "trials",
            "exact", "status", "method")


class Result(SequenceABC):  # type: ignore[type-arg]
    """The results of `sim` or `run`: a sequence of `Row`.

    print() shows the table of the command; a notebook shows it as HTML.

    >>> import bough
    >>> result = bough.sim("kary:k=4,levels=3", "shift:k=16", "linkload", routing=["random", "dmodk"])
    >>> for row in result:
    ...     if row.metric == "link_load_max":
    ...         print(row.routing, row.mean, row.unit)
    random 1.0 flows
    dmodk 1.0 flows
    >>> result.value("link_load_max", routing="dmodk")
    1.0
    """

    def __init__(self, handle: Optional[Handle]) -> None:
        self._handle = handle
        self._texts: Dict[str, str] = {}
        self._rows: Tuple[Row, ...] = ()
        self._comparisons: Tuple[Comparison, ...] = ()
        if handle is not None:
            with handle as results:
                self._rows = _read_rows(results)
                self._comparisons = _read_comparisons(results, self._rows)

    # ---- rows ----

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, i: int) -> Row: ...

    @overload
    def __getitem__(self, i: slice) -> "Tuple[Row, ...]": ...

    def __getitem__(self, i: Any) -> Any:
        return self._rows[i]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def rows(self, **where: Any) -> List[Row]:
        """The rows with these fields, or these values of axes: `rows(metric="latency", load=0.02)`."""
        return [row for row in self._rows if all(_same(_field(row, key), value) for key, value in where.items())]

    def value(self, metric: str, **where: Any) -> float:
        """The mean of the one row of this metric; `where` says which, if there are several."""
        rows = self.rows(metric=metric, **where)
        if len(rows) == 1:
            return rows[0].mean
        if rows:
            raise ValueError(f"{len(rows)} rows have the metric '{metric}'{_differences(rows)}")
        known = sorted({row.metric for row in self._rows})
        raise KeyError(f"no row has the metric '{metric}' and these fields; metrics are {', '.join(known)}")

    @property
    def axes(self) -> "Dict[str, List[str]]":
        """The axes of a study with their values, in their order; empty for `sim`."""
        axes: Dict[str, List[str]] = {}
        for row in self._rows:
            for name, value in row.axes.items():
                values = axes.setdefault(name, [])
                if value not in values:
                    values.append(value)
        return axes

    @property
    def comparisons(self) -> "Tuple[Comparison, ...]":
        """Methods, or routings, compared on the same messages."""
        return self._comparisons

    # ---- texts ----

    def _text(self, form: str) -> str:
        if form not in self._texts and self._handle is not None:
            with self._handle as results:
                self._texts[form] = text("bough_results_text", results, form.encode())
        return self._texts[form]

    def __repr__(self) -> str:
        return self._text("table").rstrip("\n")

    def to_csv(self, path: Any = None) -> Optional[str]:
        """CSV, a line for each row; written to a file if `path` is given, else returned."""
        return _written(self._text("csv"), path)

    def to_json(self, path: Any = None) -> Optional[str]:
        """One JSON object (docs/json.md)."""
        return _written(self._text("json"), path)

    def to_html(self, path: Any = None) -> Optional[str]:
        """A page with tables and charts, as report.html of `bough run`."""
        return _written(self._text("html"), path)

    # ---- other packages ----

    def to_pandas(self) -> Any:
        """A DataFrame with a line for each row: one metric, and index of it, of one method at one point.

        Columns: the axes of a study, numbers if all are; then metric, index, mean and the other fields of `Row`. Fields that are empty in all rows
        (no faults) are there too.

        >>> import bough
        >>> frame = bough.sim("fattree:n=64", "uniform", "circuit", trials=4).to_pandas()
        >>> frame.set_index("metric").loc["messages", "mean"]
        64.0
        """
        pandas = _graphs.optional("pandas", "to_pandas()")
        columns: Dict[str, Any] = {name: _numbers([row.axes.get(name) for row in self._rows]) for name in self.axes}
        for name in _COLUMNS:
            if name not in columns:
                columns[name] = [getattr(row, name) for row in self._rows]
        frame = pandas.DataFrame(columns)
        index = pandas.array([row.index for row in self._rows], dtype="Int64")
        frame.insert(frame.columns.get_loc("metric") + 1, "index", index)
        return frame

    def plot(self, y: Optional[str] = None, x: Optional[str] = None, *, ax: Any = None, **keywords: Any) -> Any:
        """Draws a metric with its 95 % intervals by matplotlib, and returns the axes.

        y: a metric; default: that of the first row. x: an axis of a study, or "index"; default: the axis with most
        values; without axes, bars. Everything else that differs makes a series each. keywords: for errorbar or bar; `label`
        begins the names of the series.

        >>> import bough
        >>> result = bough.run("greenberg1997/fig3", set={"flits": [32], "load": [0.004, 0.02]}, trials=2)
        >>> ax = result.plot("latency")
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('load', 'latency (cycles)')
        """
        from ._plot import plot

        return plot(self, y, x, ax, keywords)

    def _repr_html_(self) -> str:
        from ._tables import result_table

        return result_table(self)

    def __reduce__(self) -> "Tuple[Any, ...]":
        return _restore, (self._rows, self._comparisons, {form: self._text(form) for form in _FORMATS})


def _restore(rows: "Tuple[Row, ...]", comparisons: "Tuple[Comparison, ...]", texts: Dict[str, str]) -> Result:
    result = Result(None)
    result._rows, result._comparisons, result._texts = rows, comparisons, texts
    return result


# ---- reading ----


def _read_axes(results: int, point: int) -> Dict[str, str]:
    axes: Dict[str, str] = {}
    value = c_char_p()
    while True:
        name = library().bough_results_axis(results, point, len(axes), byref(value))
        if name is None:
            return axes
        axes[decode(name)] = decode(value.value or b"")


def _read_rows(results: int) -> "Tuple[Row, ...]":
    rows = []
    axes: Dict[int, Dict[str, str]] = {}
    known: Dict[bytes, str] = {}
    get = library().bough_results_get

    def shared(data: bytes) -> str:
        return known.setdefault(data, decode(data))

    for i in range(library().bough_results_count(results)):
        row: ResultRow = get(results, i)
        if row.point not in axes:
            axes[row.point] = _read_axes(results, row.point)
        fields: Dict[str, Any] = {name: shared(getattr(row, name)) for name in _TEXTS}
        fields.update((name, getattr(row, name)) for name in _NUMBERS)
        rows.append(Row(axes[row.point], index=None if row.index < 0 else row.index, exact=bool(row.exact), **fields))
    return tuple(rows)


def _read_comparisons(results: int, rows: "Tuple[Row, ...]") -> "Tuple[Comparison, ...]":
    found: List[Comparison] = []
    compared = Compared()
    while library().bough_results_compare(results, len(found), byref(compared)):
        found.append(Comparison(rows[compared.row], rows[compared.against], compared.difference,
                                compared.difference_ci95, compared.ratio, compared.ratio_ci95, compared.trials))
    return tuple(found)


# ---- helpers ----


def number(value: Optional[str]) -> Optional[float]:
    """A value of an axis as a number; None if it is none."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _numbers(values: "List[Optional[str]]") -> "List[Any]":
    """Whole numbers or numbers, if all values are such."""
    numbers = [number(value) for value in values]
    if any(n is None for n in numbers):
        return list(values)
    if all(value is not None and value.lstrip("-").isdigit() for value in values):
        return [int(value) for value in values if value is not None]
    return list(numbers)


def _field(row: Row, key: str) -> Any:
    if key in row.axes:
        return row.axes[key]
    if key not in Row.__dataclass_fields__:
        raise KeyError(f"rows have no field '{key}'; they have {', '.join([*row.axes, *Row.__dataclass_fields__])}")
    return getattr(row, key)


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(found, str) and not isinstance(wanted, str):
        return bool(number(found) == wanted)
    return bool(found == wanted)


def _differences(rows: List[Row]) -> str:
    differ = [key for key in (*rows[0].axes, "network", "routing", "traffic", "method", "index")
              if len({_field(row, key) for row in rows}) > 1]
    return f"; say which {' and '.join(differ)}" if differ else ""


def _written(content: str, path: Any) -> Optional[str]:
    if path is None:
        return content
    with open(os.fspath(path), "w", encoding="utf-8", newline="") as file:
        file.write(content)
    return None
