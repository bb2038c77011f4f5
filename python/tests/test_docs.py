"""The examples of docstrings, and of the pages about the package."""
import doctest
import importlib
import pkgutil

import pytest

import bough

MODULES = ["bough"] + [f"bough.{module.name}" for module in pkgutil.iter_modules(bough.__path__)]
OPTIONS = doctest.NORMALIZE_WHITESPACE



@pytest.fixture(autouse=True)
def _packages(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    for name in ("pandas", "networkx", "matplotlib"):
        pytest.importorskip(name)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, monkeypatch):
    module = importlib.import_module(name)
    for key in [*vars(module)]:  # doctest looks at names whose __module__ is this one
        item = vars(module)[key]
        if name != "bough" and getattr(item, "__module__", "") == "bough" and hasattr(bough, key):
            monkeypatch.setattr(item, "__module__", name)
    outcome = doctest.testmod(module, optionflags=OPTIONS)
    assert not outcome.failed
    if name in ("bough._network", "bough._simulate", "bough._result"):
        assert outcome.attempted > 5


@pytest.mark.parametrize("page, least", [("python", 10), ("tutorial-programs", 4)])
def test_the_page(root, page, least):
    outcome = doctest.testfile(str(root / f"docs/{page}.md"), module_relative=False, optionflags=OPTIONS)
    assert outcome.attempted > least and not outcome.failed
