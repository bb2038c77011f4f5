"""Names, specs from keyword arguments, the texts of help()."""
import json
import pydoc
import subprocess

import bough


def test_the_list_is_that_of_the_command(command):
    printed = json.loads(subprocess.run([command, "list", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    del printed["commands"]  # those of the command, not of the library
    assert bough.list() == printed
    bough.list()["families"].clear()  # a copy
    assert bough.list("families") == printed["families"]


def test_specs():
    assert bough.spec("fattree") == "fattree"
    assert bough.spec("xgft", down=(16, 16), up=[1, 4], links=None) == "xgft:down=16x16,up=1x4"
    assert bough.spec("circuit", history=True, mode="rounds") == "circuit:history=1,mode=rounds"
    assert bough.spec("bernoulli", pattern="shift:k=3", rate=0.25) == 'bernoulli:pattern="shift:k=3",rate=0.25'
    assert bough.spec("links", share=0.05) == "links:share=0.05" and bough.spec("links", share="5%") == "links:share=5%"
    assert bough.spec("layout", kind="htree", pitch="100nm") == "layout:kind=htree,pitch=100nm"
    assert bough.spec("parts") == "parts"  # a method and a kind of faults
    assert bough.spec("lft", file='a "b",c.txt') == 'lft:file="a \\"b\\",c.txt"'
    bough.Network(bough.spec("xgft", down=[4, 4], up=[1, 2]), faults=bough.spec("links", share=0.1, key=2))


def test_every_default_is_accepted():
    """The checks allow what the library has as default."""
    for kind in ("families", "traffic", "methods", "routings", "faults", "physical"):
        for entry in bough.list(kind):
            defaults = {p["key"]: p["default"] for p in entry["parameters"] if p["default"]}
            required = {p["key"]: p.get("choices", [p.get("min", "x")])[0] for p in entry["parameters"] if p["required"]}
            assert bough.spec(entry["name"], **required, **defaults)


def test_help():
    page = pydoc.plain(pydoc.render_doc(bough))
    for name in bough.__all__:
        assert name in page
        assert getattr(bough, name).__doc__, name
    for part in ("from_links", "link_loads", "to_pandas", "Messages(source, destination)", "Ctrl-C"):
        assert part in page
