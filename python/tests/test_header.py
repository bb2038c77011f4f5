"""The declarations of the package are those of bough.h."""
import re

import pytest

from bough import _library


def header(root):
    text = (root / "include/bough.h").read_text() + (root / "include/bough-ext.h").read_text()
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def split(arguments):
    """Arguments of a prototype."""
    return [] if arguments.strip() == "void" else [a for a in arguments.split(",")]


def test_functions(root):
    found = {name: split(arguments) for name, arguments in
             re.findall(r"BOUGH_API [\w\s*]*?\b(bough_\w+)\(([^;]*)\);", header(root))}
    assert len(found) > 25
    for name, (result, arguments) in _library.FUNCTIONS.items():
        assert name in found, name
        assert len(arguments) == len(found[name]), name
        assert ("bough_error" in " ".join(found[name])) == (arguments[-1:] == [_library._ERROR]), name


STRUCTURES = {"bough_loads": _library.Loads, "bough_control": _library.Control, "bough_network_options": _library.NetworkOptions,
              "bough_network_sizes": _library.NetworkSizes, "bough_link_arrays": _library.LinkArrays,
              "bough_cable_arrays": _library.CableArrays, "bough_message_arrays": _library.MessageArrays,
              "bough_table_arrays": _library.TableArrays, "bough_weight_arrays": _library.WeightArrays, "bough_tuning": _library.TuningArgument, "bough_planning": _library.PlanningArgument, "bough_links": _library.PathLinks,
              "bough_result": _library.ResultRow, "bough_compared": _library.Compared,
              "bough_ext_hop": _library.ExtHop, "bough_ext_routing": _library.ExtRouting,
              "bough_ext_pattern": _library.ExtPattern, "bough_ext_host": _library.ExtHost}
TYPES = {"size_t": 8, "uint64_t": 8, "int64_t": 8, "double": 8, "unsigned": 4, "int": 4}


@pytest.mark.parametrize("name", STRUCTURES)
def test_structure(root, name):
    body = re.search(r"typedef struct " + name + r" \{(.*?)\} " + name + ";", header(root), re.S).group(1)
    fields = []
    for line in body.split(";"):
        pointer = re.search(r"\(\*(\w+)\)\(", line)  # of a function
        if pointer:
            fields.append((pointer.group(1), 8))
            continue
        declared = re.match(r"\s*(?:const )?(?:struct )?(\w+(?: char)?)\s*(.*)", line, re.S)
        if not declared:
            continue
        for one in declared.group(2).split(","):
            field = re.search(r"(\w+)\s*$", one).group(1)
            fields.append((field, 8 if "*" in one else TYPES[declared.group(1)]))
    structure = STRUCTURES[name]
    if structure is _library.ExtHost:  # its beginning
        fields = fields[:len(structure._fields_)]
    assert [(field, getattr(structure, field).size) for field, _ in structure._fields_] == fields


def test_statuses(root):
    text = (root / "include/bough/status.h").read_text()
    names = re.findall(r"^    X\((\w+),", text, re.M)
    assert names == ["OK", "INVALID", "UNSUPPORTED", "TOO_LARGE", "NO_MEMORY", "IO", "FAILED", "INTERRUPTED"]
    assert len(names) == len(_library.BY_STATUS)
    place, reason = re.search(r"place\[(\d+)\].*?reason\[(\d+)\]", text, re.S).groups()
    assert _library.ErrorText.place.size == int(place) and _library.ErrorText.reason.size == int(reason)
