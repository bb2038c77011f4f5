"""The diagnosis of a fabric."""
from __future__ import annotations

import copy
import enum
import json
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from ._control import Call, ProgressArgument, Stop
from ._library import Handle, library, text
from ._names import Names, Plugins
from ._simulate import Question, Texts, arguments, with_plugins


class Severity(enum.IntEnum):
    """Severity of findings; they compare: `diagnosis.severity >= bough.Severity.WARN`."""

    INFO = 0
    WARN = 1
    ERROR = 2


@dataclass(frozen=True)
class Finding:
    """Something in the fabric, or in a routing of it, that should be looked at."""

    severity: Severity
    kind: str  #: a word: "missing-cable"
    where: str  #: a node or a link; "": the fabric
    text: str
    routing: str  #: "": the file and its wiring


class Diagnosis:
    """What `check` reports. print() shows the report of the command; a notebook shows it as HTML."""

    def __init__(self, handle: Optional[Handle]) -> None:
        self._handle = handle
        self._texts: Dict[str, str] = {}
        self._json: Optional[Dict[str, Any]] = None
        #: severity of the worst finding
        self.severity = Severity.INFO
        if handle is not None:
            with handle as diagnosis:
                self.severity = Severity(library().bough_diagnosis_severity(diagnosis))

    def _text(self, form: str) -> str:
        if form not in self._texts and self._handle is not None:
            with self._handle as diagnosis:
                self._texts[form] = text("bough_diagnosis_text", diagnosis, form.encode())
        return self._texts[form]

    @property
    def text(self) -> str:
        """The report of the command."""
        return self._text("text")

    @property
    def html(self) -> str:
        """A page with drawings."""
        return self._text("html")

    @property
    def json(self) -> Dict[str, Any]:
        """The report as a dict (docs/json.md)."""
        if self._json is None:
            self._json = json.loads(self._text("json"))
        return copy.deepcopy(self._json)

    @property
    def findings(self) -> "Tuple[Finding, ...]":
        """Findings of the file and its wiring, then those of each routing."""
        report = self.json
        found = [_finding(item, "") for item in report.get("findings", ())]
        for result in report.get("results", ()):
            found += [_finding(item, result.get("routing", "")) for item in result.get("findings", ())]
        return tuple(found)

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_html_(self) -> str:
        from ._tables import diagnosis_table

        return diagnosis_table(self)

    def __reduce__(self) -> "Tuple[Any, ...]":
        return _restore, (int(self.severity), {form: self._text(form) for form in ("text", "json", "html")})


def _restore(severity: int, texts_: Dict[str, str]) -> Diagnosis:
    diagnosis = Diagnosis(None)
    diagnosis.severity, diagnosis._texts = Severity(severity), texts_
    return diagnosis


def _finding(item: Dict[str, Any], routing: str) -> Finding:
    return Finding(Severity[item["severity"].upper()], item["kind"], item.get("where") or "", item["text"], routing)


def check(network: Any, *, routing: Any = None, lft: Any = None, faults: Texts = None, job: Any = None,
          physical: Optional[str] = None, against: Any = None, against_lft: Any = None, slurm: Any = None,
          place: Any = None, busy: Optional[str] = None,
          permutations: Optional[int] = None, draws: Optional[int] = None, worst: Optional[str] = None,
          seed: Optional[int] = None, threads: Optional[int] = None, plugins: Plugins = None,
          stop: Optional[Stop] = None, progress: ProgressArgument = None, **keys: Any) -> Diagnosis:
    """Analyses a fabric and its routing, as the command `bough check`.

    network: the path of a fabric file, a spec, or a `Network`. routing: one or several: specs, `Routing`, arrays of
    tables; lft: paths of forwarding tables. faults: "each:cable", "links:share=0..10%", ... job: a traffic, or several,
    as in `sim`. against, against_lft: an older fabric file, and its tables. slurm: the path of
    Slurm's topology.conf, to compare with the fabric. place: hosts of a job (a hostlist), or their number; busy: hosts that
    it must not take. permutations: random ones to draw; draws:
    for each share of faults; worst: "no", "cheap" or "always" look for the worst permutation. keys: the others
    of `bough.list()["questions"]["check"]`, as expect, counters and interval.

    >>> import bough
    >>> diagnosis = bough.check("examples/fabric/cluster.ibnetdiscover", lft="examples/fabric/cluster.ftree.lfts.gz")
    >>> diagnosis.severity.name, len(diagnosis.findings), diagnosis.json["results"][0]["rating"]["word"]
    ('WARN', 2, 'usable')
    >>> diagnosis.findings[0].kind, diagnosis.findings[0].where
    ('missing-cable', 'rack#6-leaf/19 - core#4-spine/11')
    """
    given = arguments(locals(), place=None if place is None else str(place))
    run = Call(threads, stop, progress)
    names = Names(with_plugins(network, plugins), run)
    question = Question(names)
    question.network(network, None, physical)
    question.take("check", given)
    question.registry()
    return Diagnosis(run.make("bough_diagnose", question.handle, "bough_diagnosis_destroy", "diagnosis"))
