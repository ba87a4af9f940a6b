"""The directory with everything in it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.older_python import UTC
from clearway.base.output_file import whole_file, write_error
from clearway.tune.files.measuring import script
from clearway.tune.files.model import Left, Settled, Written
from clearway.tune.files.mpis import mpi_of
from clearway.tune.files.readme import chosen, readme
from clearway.tune.files.settle import settle
from clearway.tune.files.snippets import in_place, lua_module, shell, tcl_module, variants
from clearway.tune.files.sources import Sources, library_of, read_sources


def write_files(paths: list[str], output: str, library_path: str | None = None) -> tuple[Settled, Written]:
    """Everything in `output`, a new directory. Raises ClearwayError, and has then written nothing."""
    directory = Path(output).absolute()
    _check_new(directory)
    sources = read_sources(paths)
    library = library_of(sources, library_path)
    settled = settle(sources, library)
    written = mpi_of(library).write(settled)
    texts = _texts(settled, written, sources, directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(directory, error) from None
    for name, text in texts.items():
        with whole_file(directory / name) as stream:
            stream.write(text)
    return settled, written


def _check_new(directory: Path) -> None:
    """What is there may be set for jobs that run. Raises ClearwayError."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise ClearwayError(f"'{directory}' exists already", "give a new directory with -o")


def _texts(settled: Settled, written: Written, sources: Sources, directory: Path) -> dict[str, str]:
    settings = in_place(written.environment, directory)
    at = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    texts = {**written.files, "README.md": readme(settled, written, settings, directory, at)}
    if settings:
        texts |= {
            "tuning.sh": shell(settings),
            "module.lua": lua_module(settings),
            "module.tcl": tcl_module(settings),
            "variants.toml": variants(settings),
        }
    measure = script(settled, sources, mpi_of(settled.library))
    return {**texts, "measure.sh": measure} if measure else texts


def summary(settled: Settled, written: Written) -> list[str]:
    """A line a collective, for the terminal."""
    lines = [f"MPI_{each.operation.capitalize()} on {each.ranks} ranks: {chosen(each)}" for each in settled.choices]
    lines += [_left(each) for each in (*settled.left, *written.unwritten)]
    lines += [f"every message: {name}={value}" for name, value in settled.everywhere]
    return [*lines, *settled.lacking] or ["No collective was found that tuning files can change."]


def _left(left: Left) -> str:
    return f"MPI_{left.operation.capitalize()} on {left.ranks} ranks: as the MPI chooses itself ({left.why})"
