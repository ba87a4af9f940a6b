"""Where Clearway's native programs and libraries are: in the installation that runs, PREFIX/bin and PREFIX/lib."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from clearway.base.errors import ClearwayError

RECORDER = "clearway-record"
HINT = "install Clearway again: pip install --force-reinstall FILE.whl, or pip install . in its source directory"


def own_python() -> list[str]:
    """To start another part of Clearway. install.sh lets ours read no PYTHONHOME; nor may that one then."""
    return [sys.executable, *(["-I"] if sys.flags.isolated else [])]


def find_program(name: str) -> Path:
    """The absolute path of a program: beside the `clearway` that runs, else on the PATH. Raises ClearwayError."""
    for folder in (Path(sys.argv[0]).resolve().parent, Path(sys.executable).parent):
        if (folder / name).is_file():
            return folder / name
    found = shutil.which(name)
    if found is None:
        raise ClearwayError(f"cannot find {name}, neither beside '{sys.argv[0]}' nor on the PATH", HINT)
    return Path(found).resolve()


def find_library(name: str) -> Path:
    """The path of a library. Raises ClearwayError."""
    return _below_a_prefix(Path("lib") / name)


def find_documentation() -> Path:
    """The folder of the documentation's pages. Raises ClearwayError."""
    return _below_a_prefix(Path("share/doc/clearway"))


def find_share(name: str) -> Path:
    """A folder of files that are neither programs nor libraries. Raises ClearwayError."""
    return _below_a_prefix(Path("share") / name)


def _below_a_prefix(path: Path) -> Path:
    prefixes = [Path(program).parent.parent for program in (Path(sys.argv[0]).resolve(), sys.executable)]
    # Where another program imports us: PREFIX/lib/python3.11/site-packages/clearway/base, and as Debian has it.
    above = Path(__file__).resolve().parents
    prefixes += [*above[5:6], *(folder / "clearway" for folder in above[4:5])]
    for prefix in prefixes:
        if (prefix / path).exists():
            return prefix / path
    raise ClearwayError(
        f"cannot find {path.name} in {prefixes[0] / path.parent}: the installation is not complete", HINT
    )
