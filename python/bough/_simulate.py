"""Simulations and studies."""
from __future__ import annotations

import json
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from ._catalogue import questions
from ._control import Call, ProgressArgument, Stop
from ._library import Handle, call, encode, make
from ._names import Names, Plugins, Stream, _Named, texts
from ._network import Network
from ._result import Result

Texts = Union[None, str, Sequence[str]]


class Question:
    """Keys and values, a registry and a network."""

    def __init__(self, names: Names) -> None:
        self.handle = Handle(make("bough_question_create"), "bough_question_destroy", "question", names.kept)
        self._names = names

    def set(self, key: str, value: Any) -> None:
        """Sets a key, if the value is not None."""
        if value is None:
            return
        with self.handle as question:
            call("bough_question_set", question, key.encode(), encode(value, key))

    def take(self, kind: str, given: Dict[str, Any]) -> None:
        """Sets the keys of a kind of question to the arguments of their names; None leaves a key out."""
        keys = questions()[kind]
        unknown = {*given} - {key["name"].replace("-", "_") for key in keys}
        if unknown:
            raise TypeError(f"{kind}() got an unexpected keyword argument '{min(unknown)}'")
        for key in keys:
            for value in _values(key, given.get(key["name"].replace("-", "_"))):
                self.set(key["name"], self._plain(key, value))

    def _plain(self, key: Dict[str, Any], value: Any) -> Any:
        """A value as a text; objects of Python become names."""
        if "routings" in key.get("takes", ()):
            return self._names.routing(value)
        if "traffic" in key.get("takes", ()):
            return self._names.traffic(value)
        if key["type"] == "flag":
            return str(int(value))
        if key["type"] == "number":
            return _share(value)
        if key["type"] != "integer":
            return value
        if isinstance(value, (bool, float)) or not hasattr(value, "__index__"):
            raise TypeError(f"{key['name']}={value!r} must be a whole number")
        return str(value.__index__())

    def network(self, value: Any, faults: Any, physical: Any) -> None:
        """Sets the network: a Network, which has its faults and setting, or a spec."""
        if isinstance(value, Network):
            if faults is not None or physical is not None:
                raise ValueError("faults and physical belong to a Network that is given; "
                                 "say net.with_options(faults=..., physical=...)")
            with self.handle as question, value._handle as network:
                call("bough_question_use_network", question, network)
            return
        self.set("network", value)
        self.set("physical", physical)

    def registry(self) -> None:
        """Gives it the names that were used."""
        if self._names.handle is None:
            return
        with self.handle as question, self._names.handle as registry:
            call("bough_question_use_registry", question, registry)


def with_plugins(network: Any, plugins: Plugins) -> List[str]:
    """The plug-ins of a question, and of its network."""
    return [*(network.plugins if isinstance(network, Network) else ()), *texts(plugins, "plugins")]


def arguments(given: Dict[str, Any], **other: Any) -> Dict[str, Any]:
    """Those of a function, by its locals(), that are keys of the question; other: values in the place of these."""
    apart = ("network", "methods", "keys", "threads", "plugins", "stop", "progress")
    return {**{name: value for name, value in given.items() if name not in apart}, **given.get("keys", {}), **other}


def _values(key: Dict[str, Any], value: Any) -> List[Any]:
    """The values of a key, which may be one, several or none."""
    if value is None or not key["repeat"]:
        return [] if value is None else [value]
    if {"routings", "traffic"} & {*key.get("takes", ())}:  # arrays are one
        return [*value] if isinstance(value, (list, tuple)) else [value]
    return texts(value, key["name"])


def _share(value: Any) -> Any:
    return repr(float(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def sim(network: Any, traffic: Any = None, methods: Any = None, *, routing: Any = None, faults: Texts = None,
        physical: Optional[str] = None, trials: Optional[int] = None, precision: Union[None, float, str] = None,
        quantiles: Texts = None, above: Texts = None,
        seed: Optional[int] = None, threads: Optional[int] = None, plugins: Plugins = None, stop: Optional[Stop] = None,
        progress: ProgressArgument = None) -> Result:
    """Evaluates a network under traffic by one or more methods, as the command `bough sim`.

    network: a spec, the path of a fabric file, or a `Network`. traffic: a spec, `Messages`, a DataFrame with the columns
    source, destination (and bytes), an array with these columns, a
    `Pattern`, `Weights` or a `Stream`. methods, routing: one or several; a
    routing may be a `Routing` or an array of tables. trials: their number; precision: run until the 95 % interval is within this share of
    the mean (0.01, "1%", "latency:1%"); without both: 1 % with at most 1000 trials. quantiles: "rounds:50,99", above: "rounds:12"
    or "rounds:bound"; their values are in the table and in `to_json`. Results do not depend on the
    number of threads. plugins: paths of shared objects. stop: a `Stop` for other threads; Ctrl-C stops too. progress: True
    for a progress bar, or a function of (share, what).

    >>> import bough
    >>> result = bough.sim("fattree:n=1024", "uniform", "circuit:mode=rounds", trials=20)
    >>> result.value("rounds")
    7.1
    >>> print(result)
    fattree:n=1024   1024 endpoints, 5120 switches, 20480 links
    routing free   traffic uniform:m=1024   seed 1   20 trials
    <BLANKLINE>
    assumes: routing free takes any free link at each switch
    <BLANKLINE>
        metric           mean               +-95%     min     max  trials
    circuit:mode=rounds
        rounds           7.10                0.26       6       8      20
        first_success  0.3056              0.0031  0.2939  0.3184      20
        attempts        2.478 per message   0.017   2.428   2.542      20
        messages         1024               equal                      20
    <BLANKLINE>
    equal: each of the N trials gave this value; others are rarer than 3 in N (95 %)
    """
    given = arguments(locals(), precision=_share(precision), method=methods)
    run_ = Call(threads, stop, progress)
    names = Names(with_plugins(network, plugins), run_)
    question = Question(names)
    question.network(network, faults, physical)
    question.take("point", given)
    question.registry()
    return Result(run_.make("bough_simulate", question.handle, "bough_results_destroy", "result"))


def run(study: Any, *, set: Optional[Mapping[str, Any]] = None,  # pylint: disable=redefined-builtin
        store: Any = None, trials: Optional[int] = None, precision: Union[None, float, str] = None,
        quantiles: Texts = None, above: Texts = None,
        threads: Optional[int] = None, plugins: Plugins = None, stop: Optional[Stop] = None,
        progress: ProgressArgument = None) -> Result:
    """Runs a study: a grid of points, as the command `bough run`.

    study: a name of `bough list studies`, the path of a study file, or a dict with the keys of such a file, in which
    networks may be `Network` without faults, routings `Routing`, and traffic `Messages`, a `Pattern`, `Weights` or a `Stream`. set: keys or axes to replace. store: a directory; a run that was
    interrupted resumes there, and a finished one with more trials reuses them.

    >>> import bough
    >>> result = bough.run({"network": "fattree:n={n}", "traffic": "uniform", "methods": ["circuit"],
    ...                     "grid": [{"n": [16, 64, 256]}], "trials": 20})
    >>> [round(row.mean, 2) for row in result if row.metric == "rounds"]
    [3.4, 5.0, 6.05]
    >>> bough.run("greenberg1997/fig3", set={"flits": [32], "load": [0.004, 0.02]}, trials=2).axes
    {'flits': ['32'], 'load': ['0.004', '0.02']}
    """
    given = arguments(locals(), precision=_share(precision))
    run_ = Call(threads, stop, progress)
    names = Names(plugins, run_)
    question = Question(names)
    if set is not None and not isinstance(set, Mapping):
        raise TypeError(f"set is {type(set).__name__}; it must be a mapping from axes to their values")
    if isinstance(study, Mapping):
        given["study_text"] = json.dumps(_plain(given.pop("study"), names), allow_nan=False)
    given["set"] = [f"{key}={value if isinstance(value, str) else json.dumps(_plain(value, names))}"
                    for key, value in (set or {}).items()]
    question.take("study", given)
    question.registry()
    return Result(run_.make("bough_simulate", question.handle, "bough_results_destroy", "result"))


def _plain(value: Any, names: Names) -> Any:
    """A value of a study as JSON, which is YAML; objects become their names."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item, names) for key, item in value.items()}
    if isinstance(value, _Named):
        return names.add(value)
    if isinstance(value, Network):
        return names.network(value._handle, value.spec)
    if isinstance(value, Stream):
        return names.spec(value)
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Iterable):
        return [_plain(item, names) for item in value]
    raise TypeError(f"a study cannot contain {type(value).__name__}")
