"""For Spack 1.0 and newer.

`spack repo add CHECKOUT/packaging/spack`, then `spack dev-build -d CHECKOUT py-clearway@main`.
"""

from spack.package import conflicts, depends_on, license, version  # noqa: A004
from spack_repo.builtin.build_systems.python import PythonPackage


class PyClearway(PythonPackage):
    """Shows where the wall-clock of a parallel MPI job went, without recompiling it."""

    license("BSD-3-Clause")

    version("main")

    depends_on("cxx", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("ninja", type="build")
    depends_on("py-scikit-build-core@0.10:", type="build")
    depends_on("python@3.10:", type=("build", "run"))
    depends_on("py-jinja2@3.1:", type="run")
    depends_on("py-msgspec@0.19:", type="run")
    depends_on("py-numpy@1.24:", type="run")
    depends_on("py-rich@13:", type="run")
    depends_on("py-tomli@2:", type="run", when="^python@:3.10")

    conflicts("platform=darwin", msg="Clearway runs on Linux")
    conflicts("%gcc@:10", msg="Clearway is C++20, for GCC 11 and newer")

    import_modules = ("clearway",)
