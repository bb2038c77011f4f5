"""The names that specs may use, and specs from keyword arguments."""
from __future__ import annotations

import copy
import difflib
import functools
import json
import math
from typing import Any, Dict, Iterable, List, Optional

from ._library import text

_KINDS = ("families", "routings", "traffic", "methods", "faults", "physical", "nodes", "formats", "metrics", "studies")
_SPECS = ("families", "traffic", "methods", "routings", "faults", "physical", "nodes")


@functools.lru_cache(maxsize=None)
def _catalogue() -> Dict[str, Any]:
    return dict(json.loads(text("bough_list", None)))


def questions() -> Dict[str, Any]:
    """The keys of every kind of question."""
    return dict(_catalogue()["questions"])


def list(kind: Optional[str] = None) -> Any:  # pylint: disable=redefined-builtin
    """All names with their parameters, as `bough list --json`; with a kind, the list of its entries.

    Kinds: families (of networks), routings, traffic, methods, faults, physical, nodes, formats, metrics, studies.

    >>> import bough
    >>> [entry["name"] for entry in bough.list("families")][:4]
    ['fattree', 'xgft', 'kary', 'clos']
    >>> bough.list()["bough"]
    '0.1.0'
    """
    catalogue = _catalogue()
    if kind is None:
        return copy.deepcopy(catalogue)
    if kind not in _KINDS:
        raise ValueError(f"no kind '{kind}'{_hint(kind, _KINDS)}; there are {', '.join(_KINDS)}")
    return copy.deepcopy(catalogue[kind])


def spec(name: str, /, **parameters: Any) -> str:
    """A spec from keyword arguments, which are checked: names, types and bounds.

    Lists become 16x16, True and False 1 and 0, None leaves a parameter out. Where a key is a word of Python,
    append an underscore (`from_=`).

    >>> import bough
    >>> bough.spec("fattree", n=1024)
    'fattree:n=1024'
    >>> bough.spec("xgft", down=[16, 16], up=[1, 4])
    'xgft:down=16x16,up=1x4'
    >>> bough.spec("allreduce", algo="ring", size="64MB")
    'allreduce:algo=ring,size=64MB'
    >>> bough.spec("fattree", m=1024)
    Traceback (most recent call last):
    ...
    ValueError: fattree has no parameter 'm'; it has n
    """
    entries = _find(name)
    given = {key.rstrip("_"): value for key, value in parameters.items() if value is not None}
    problem: Optional[ValueError] = None
    for entry in entries:
        try:
            return _write(name, entry, given)
        except ValueError as error:
            problem = problem or error
    assert problem
    raise problem


def _find(name: str) -> List[Dict[str, Any]]:
    """Entries of this name; a method and a kind of faults may share one."""
    if not isinstance(name, str):
        raise TypeError(f"name is {type(name).__name__}; it must be a text")
    every = [entry for kind in _SPECS for entry in _catalogue()[kind]]
    found = [entry for entry in every if name == entry["name"] or name in entry.get("aliases", ())]
    if not found:
        raise ValueError(f"no name '{name}'{_hint(name, [entry['name'] for entry in every])}; bough.list() has all")
    return found


def _hint(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, [*names], 1)
    return f", did you mean '{near[0]}'?" if near else ""


def _write(name: str, entry: Dict[str, Any], given: Dict[str, Any]) -> str:
    table = {parameter["key"]: parameter for parameter in entry.get("parameters", ())}
    for key in given:
        if key not in table:
            raise ValueError(f"{name} has no parameter '{key}'{_hint(key, table)}; it has {', '.join(table) or 'none'}")
    for key, parameter in table.items():
        if parameter["required"] and key not in given:
            raise ValueError(f"{name} needs {key}: {parameter['summary']}")
    values = [f"{key}={_value(name, table[key], value)}" for key, value in given.items()]
    return name + (":" + ",".join(values) if values else "")


def _value(name: str, parameter: Dict[str, Any], value: Any) -> str:
    """A value as specs have it. Texts are left to the library, but for choices."""
    key, kind = parameter["key"], parameter["type"]
    if kind == "choice" and value not in parameter["choices"]:
        raise ValueError(f"{name}: {key}={value} must be one of {', '.join(parameter['choices'])}")
    if kind == "flag" and isinstance(value, (bool, int)):
        if value not in (0, 1):
            raise ValueError(f"{name}: {key}={value} must be True or False")
        return str(int(value))
    if kind == "list" and not isinstance(value, (str, int)):
        return "x".join(_number(name, {**parameter, "type": "integer"}, element) for element in value)
    if isinstance(value, str):
        return _quoted(value)
    if kind in ("text", "choice"):
        return _quoted(str(value))
    if kind in ("time", "rate", "length"):
        raise ValueError(f"{name}: {key}={value} needs a unit, as in '{_EXAMPLE[kind]}'")
    return _number(name, parameter, value)


_EXAMPLE = {"time": "100ns", "rate": "100Gb/s", "length": "100nm"}


def _number(name: str, parameter: Dict[str, Any], value: Any) -> str:
    key, whole = parameter["key"], parameter["type"] not in ("number", "share")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}: {key}={value!r} must be a number") from None
    if isinstance(value, bool) or not math.isfinite(number) or (whole and number != int(number)):
        raise ValueError(f"{name}: {key}={value!r} must be a {'whole' if whole else 'finite'} number")
    low, high = parameter.get("min"), parameter.get("max")
    if low is not None and high is not None and not low <= number <= high:
        raise ValueError(f"{name}: {key}={value} must be between {low} and {high}")
    return str(int(value)) if whole else repr(number)


def _quoted(value: str) -> str:
    if value and not set(value) & set(',"=+'):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def quoted(value: str) -> str:
    """A path or another text as a value in a spec."""
    return _quoted(value)
