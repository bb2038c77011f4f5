"""Without an optional package, or without the library: one line that says what is missing."""
import os
import subprocess
import sys

import pytest

import bough


def run(code, **environment):
    return subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, env={**os.environ, "PYTHONPATH": "python", **environment})


@pytest.mark.parametrize("package, code", [
    ("pandas", "r.to_pandas()"), ("matplotlib.pyplot", "r.plot()"), ("networkx", "bough.Network('fattree:n=8').to_networkx()")])
def test_optional_packages(package, code):
    done = run(f"import sys; sys.modules['{package}'] = None\nimport bough\n"
               f"r = bough.sim('fattree:n=8', 'uniform', 'circuit', trials=2)\n{code}")
    assert f"needs {package.split('.')[0]}; install it" in done.stderr.splitlines()[-1]


def test_optional_packages_are_not_imported():
    done = run("import sys, bough; bough.sim('fattree:n=8', 'uniform', 'circuit', trials=2)\n"
               "print([m for m in ('pandas', 'matplotlib', 'networkx', 'tqdm') if m in sys.modules])")
    assert done.stdout == "[]\n"


def fake(tmp_path, version):
    """A library with this version, and nothing else."""
    source, library = tmp_path / "fake.c", tmp_path / "libbough.so.0.1"
    body = f'const char *bough_version(void) {{ return "{version}"; }}' if version else "int x;"
    source.write_text(body)
    compiler = os.environ.get("CC", "cc")
    try:
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no C compiler")
    return str(library)


@pytest.mark.parametrize("version, sentence", [
    ("0.2.0", "is libbough 0.2.0; this package needs 0.1"), ("1.0.0", "this package needs 0.1"), ("", "is not libbough"),
    ("0.1.9", "it is older than this package")])
def test_other_libraries(tmp_path, version, sentence):
    done = run("import bough; bough.list()", BOUGH_LIBRARY=fake(tmp_path, version))
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("bough.LibraryError: ") and sentence in last


def test_no_library(tmp_path):
    for path in ("/nonexistent/libbough.so", __file__):
        done = run("import bough; bough.list()", BOUGH_LIBRARY=path)
        assert f"bough.LibraryError: BOUGH_LIBRARY={path} cannot be loaded" in done.stderr.splitlines()[-1]
    assert issubclass(bough.LibraryError, ImportError)


def test_a_wheel(tmp_path, root):
    """pip makes a wheel that works where it is installed, with the library beside the package."""
    pytest.importorskip("wheel")
    pip = subprocess.run([sys.executable, "-m", "pip", "--version"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if pip.returncode:
        pytest.skip("no pip")
    source, place = tmp_path / "source", tmp_path / "place"
    import shutil

    shutil.copytree(root / "python", source, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-q", "-w", tmp_path,
                    source], check=True)
    wheel = next(tmp_path.glob("bough-0.1.0-*.whl"))
    subprocess.run([sys.executable, "-m", "zipfile", "-e", wheel, place], check=True)
    assert (place / "bough/py.typed").exists()
    shutil.copy(os.environ["BOUGH_LIBRARY"], place / "bough/libbough.so.0.1")
    environment = {name: value for name, value in os.environ.items() if name != "BOUGH_LIBRARY"}
    done = subprocess.run([sys.executable, "-c", "import bough; print(bough.__file__, bough.list()['bough'])"], check=True,
                          stdout=subprocess.PIPE, text=True, cwd="/", env={**environment, "PYTHONPATH": str(place)})
    assert done.stdout == f"{place}/bough/__init__.py 0.1.0\n"
