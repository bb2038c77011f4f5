"""HTML of results and diagnoses, for notebooks."""
from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any, Iterable, List, Sequence

if TYPE_CHECKING:
    from ._check import Diagnosis
    from ._result import Result, Row

_ROWS = 200  # rows that a notebook shows
_COLOURS = {"WARN": "#b35900", "ERROR": "#c00000", "INFO": "inherit"}


def _cell(value: Any, style: str = "text-align:left") -> str:
    return f'<td style="{style}">{escape(str(value))}</td>'


def _head(names: Iterable[str]) -> str:
    return "".join(f'<th style="text-align:left">{escape(name)}</th>' for name in names)


def _table(head: Sequence[str], lines: List[str]) -> str:
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{_head(head)}</tr></thead><tbody>{body}</tbody></table>"


def digits(mean: float, ci95: float) -> str:
    """A mean to the second digit of its interval; without one, to six digits."""
    if not math.isfinite(mean):
        return "-"
    if not math.isfinite(ci95) or ci95 <= 0:
        return f"{mean:.6g}"
    places = 1 - math.floor(math.log10(ci95))
    size = math.floor(math.log10(abs(mean))) if mean else 0
    return f"{mean:.{max(1, min(17, size + places + 1))}g}"


def _interval(ci95: float) -> str:
    return f"{ci95:.2g}" if math.isfinite(ci95) else ""


def result_table(result: "Result") -> str:
    """Rows; what is the same in all of them stands above."""
    rows = result[:_ROWS]
    fixed = [name for name in ("network", "faults", "routing", "traffic", "method")
             if len({getattr(row, name) for row in result}) == 1]
    varying = [name for name in ("network", "faults", "routing", "traffic", "method") if name not in fixed]
    axes = list(result.axes)
    if axes:  # the specs of points repeat their axes
        varying = [name for name in varying if name in ("routing", "method")]
    above = " &nbsp; ".join(f"{name} <b>{escape(getattr(rows[0], name))}</b>" for name in fixed
                            if rows and getattr(rows[0], name))
    right = "text-align:right"
    lines = []
    for row in rows:
        metric = row.metric if row.index is None else f"{row.metric}[{row.index}]"
        trials = "exact" if row.exact else str(row.trials)
        cells = [_cell(row.axes[name], right) for name in axes] + [_cell(getattr(row, name)) for name in varying]
        cells += [_cell(metric), _cell(digits(row.mean, row.ci95), right), _cell(_interval(row.ci95), right),
                  _cell(row.unit), _cell(trials, right), _cell(_status(row))]
        lines.append("".join(cells))
    more = f"<p>{len(result) - _ROWS} more rows</p>" if len(result) > _ROWS else ""
    head = [*axes, *varying, "metric", "mean", "±95 %", "unit", "trials", ""]
    return f"<div><p>{above}</p>{_table(head, lines)}{more}{_compared(result)}</div>"


def _status(row: "Row") -> str:
    status = "" if row.status == "ok" else row.status
    return ": ".join(part for part in (status, row.note) if part)


def _compared(result: "Result") -> str:
    if not result.comparisons:
        return ""
    name = "routing" if len({row.method for row in result}) == 1 else "method"
    lines = []
    for one in result.comparisons[:_ROWS]:
        point = ", ".join(f"{axis}={value}" for axis, value in one.row.axes.items())
        cells = [_cell(point)] if one.row.axes else []
        cells += [_cell(f"{getattr(one.row, name)} / {getattr(one.against, name)}"), _cell(one.row.metric),
                  _cell(digits(one.ratio, one.ratio_ci95), "text-align:right"),
                  _cell(_interval(one.ratio_ci95), "text-align:right")]
        lines.append("".join(cells))
    head = (["point"] if result.axes else []) + ["compared", "metric", "ratio", "±95 %"]
    return _table(head, lines)


def diagnosis_table(diagnosis: "Diagnosis") -> str:
    """Findings, and the report of the command."""
    lines = []
    for finding in diagnosis.findings[:_ROWS]:
        colour = f"text-align:left;color:{_COLOURS[finding.severity.name]}"
        lines.append(_cell(finding.severity.name.lower(), colour) + _cell(finding.where) + _cell(finding.text)
                     + _cell(finding.routing))
    more = len(diagnosis.findings) - len(lines)
    findings = _table(["severity", "where", "finding", "routing"], lines) if lines else "<p>no findings</p>"
    if more > 0:
        findings += f"<p>{more} more findings</p>"
    return (f"<div>{findings}<details open><summary>report</summary><pre style='line-height:1.2'>"
            f"{escape(diagnosis.text)}</pre></details></div>")
