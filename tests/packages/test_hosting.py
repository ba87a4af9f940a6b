"""What a hosted repository reads: workflows, forms, and what editors and pre-commit are told; and what a release is."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY

from clearway import __version__

WORKFLOWS = REPOSITORY / ".github/workflows"
FORMS = REPOSITORY / ".github/ISSUE_TEMPLATE"
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"


def called(*words: str | Path) -> str:
    done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", sorted(WORKFLOWS.glob("*.yml"))),
        ("github-issue-forms", sorted(FORMS.glob("[0-9]-*.yml"))),
        ("github-issue-config", [FORMS / "config.yml"]),
        ("dependabot", [REPOSITORY / ".github/dependabot.yml"]),
    ],
)
def test_files_are_what_their_schema_says(schema: str, files: list[Path]) -> None:
    assert files
    called(Path(sys.executable).with_name("check-jsonschema"), "--builtin-schema", f"vendor.{schema}", *files)


@pytest.mark.slow
def test_actionlint_agrees() -> None:
    """It reads expressions and, with shellcheck, the scripts. It is a Go program."""
    program = shutil.which("actionlint") or str(REPOSITORY / "build/tools/actionlint")
    if not Path(program).exists():
        if shutil.which("go") is None:
            pytest.skip("needs actionlint, or Go")
        go = {**os.environ, "GOBIN": str(Path(program).parent), "GOFLAGS": ""}
        subprocess.run(["go", "install", ACTIONLINT], check=True, env=go, timeout=100)
    called(program, *sorted(WORKFLOWS.glob("*.yml")))


def test_the_commands_of_workflows_are_there() -> None:
    """make's targets and the tools."""
    text = "".join(path.read_text() for path in WORKFLOWS.glob("*.yml"))
    targets = {line.split(":")[0] for line in (REPOSITORY / "Makefile").read_text().splitlines() if ":" in line}
    called_for = {word for line in text.splitlines() if "run: make" in line for word in line.split("make ")[1].split()}
    assert called_for and called_for <= targets
    for tool in ("tools/release", "tools/deb", "tools/wheel", ".ci/run"):
        assert os.access(REPOSITORY / tool, os.X_OK) or tool == ".ci/run"


def test_cibuildwheel_is_told_of_what_is_there() -> None:
    """The wheel that it makes is looked at by the same tool as ours."""
    options = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
    assert options["repair-wheel-command"] == "python tools/wheel {dest_dir} {wheel}"
    for command in options["test-command"].split(" && "):
        called(Path(sys.executable).with_name(command.split()[0]), *command.split()[1:])


def test_types_are_marked_as_there(wheel: Path) -> None:
    assert "clearway/py.typed" in zipfile.ZipFile(wheel).namelist()


def test_a_tag_of_another_version_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [REPOSITORY / "tools/release", tmp_path / "dist", "v99.0"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"error: the tag is v99.0, but the version is {__version__}\nhint: change __version__"
    )
    assert not (tmp_path / "dist").exists()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_release_is_whole(wheel: Path, tmp_path: Path) -> None:
    shutil.copy(wheel, tmp_path)
    called(REPOSITORY / "tools/release", tmp_path, f"v{__version__}")
    source, parts = f"clearway-{__version__}.tar.gz", f"clearway-{__version__}.cdx.json"
    sums = dict(reversed(line.split("  ")) for line in (tmp_path / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == {wheel.name, source, parts, "CHANGES.md"}
    for name, digest in sums.items():
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest
    with tarfile.open(tmp_path / source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"CMakeLists.txt", "native/recorder/clock.cpp", "docs/install.md", "packaging/install.sh"} <= names
    assert not any(name.startswith((".venv", "build/")) for name in names)
    listed = json.loads((tmp_path / parts).read_text())
    assert listed["metadata"]["component"]["name"] == "clearway"
    assert {"jinja2", "msgspec", "numpy", "rich"} <= {part["name"].lower() for part in listed["components"]}
    assert f"## [{__version__}]" in (tmp_path / "CHANGES.md").read_text().splitlines()[0]
