# Copyright 2026 the bough authors
# SPDX-License-Identifier: BSD-3-Clause
"""Recipe of bough for Spack: docs/install.md."""
import os

from spack.package import *

try:  # since Spack 1.0; before, spack.package has it
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass


class Bough(CMakePackage):
    """Predicts how a fat-tree network behaves: simulates traffic, evaluates analytic models of the same question,
    and checks recorded InfiniBand and Ethernet fabrics and their forwarding tables."""

    # The checkout that holds this recipe; a release would have a url and a checksum.
    git = "file://" + os.path.realpath(os.path.join(os.path.dirname(__file__), *[".."] * 4))

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("manual", default=True, description="Manual pages")
    variant("openmp", default=True, description="Several threads")

    depends_on("c", type="build")
    depends_on("cmake@3.21:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.8:", type="build", when="+manual")
    depends_on("random123", type="build")
    depends_on("jansson")
    depends_on("libarchive")
    depends_on("libyaml")
    depends_on("pcre2")
    depends_on("sqlite@3")
    depends_on("zlib-api")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("BOUGH_BENCH", False),
            self.define_from_variant("BOUGH_MANUAL", "manual"),
            self.define("BOUGH_PAGE", "OFF"),  # the interactive report page is built with packages of npm
            self.define("BOUGH_TESTS", False),
            self.define("BOUGH_WERROR", False),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_OpenMP", not self.spec.satisfies("+openmp")),
            self.define("RANDOM123_INCLUDE_DIR", self.spec["random123"].prefix.include),
        ]

    def test_sim(self):
        """a simulation and a model"""
        bough = which(self.prefix.bin.bough)
        out = bough("sim", "fattree:n=16", "shift", "linkload", output=str.split, error=str.split)
        assert "link_load_max" in out
