"""What a directory of tuning files says of itself: a line a collective."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from clearway.base import quantities as q
from clearway.base.visible import visible
from clearway.tune.files.model import OWN, Choice, Settings, Settled, Written
from clearway.tune.files.mpis import mpi_of

MOST_SOURCES = 3
ONLY_MOVES = "nothing: it only moves data"
USE = """\
## Use them

In a job script: `. {shell}`. For all jobs: the lines of `module.lua` or `module.tcl` in a module file.
All hosts must see this directory under the same path, which the lines contain. The choices were made for this release
of the MPI, and for the numbers of ranks and hosts in the table; the MPI does not check the hosts.

## Prove it

`clearway compare --variants {variants} -- mpirun -np 8 PROGRAM …`
runs a job unchanged, with these files, and with `--flow`, in turns."""


def readme(settled: Settled, written: Written, settings: Settings, directory: Path, at: str) -> str:
    return "\n".join(_lines(settled, written, settings, directory, at)) + "\n"


def _lines(settled: Settled, written: Written, settings: Settings, directory: Path, at: str) -> Iterator[str]:
    yield f"# Tuning files for {_text(settled.library.name)}"
    yield ""
    yield f"Written by `clearway tune --files` on {at}, from {_sources(settled.sources)}."
    yield ""
    yield "| collective | ranks | chosen | from which measurement | may change |"
    yield "| --- | --- | --- | --- | --- |"
    yield from (
        f"| MPI_{each.operation.capitalize()} | {each.ranks} on {_hosts(each.hosts)} | {chosen(each)} | "
        f"{_text(each.because)} | {ONLY_MOVES} |"
        for each in settled.choices
    )
    yield from (
        f"| MPI_{each.operation.capitalize()} | {each.ranks} | as the MPI chooses | {_text(each.why)} | nothing |"
        for each in (*settled.left, *written.unwritten)
    )
    yield ""
    yield from (f"{_text(each)}\n" for each in settled.lacking)
    yield (
        "Reductions (MPI_Allreduce, MPI_Reduce, …) are not changed: another algorithm would sum in another order, and "
        "change the last digits of results."
    )
    yield ""
    if settled.everywhere:
        yield (
            f"{_named(settled.everywhere)}: this applies to every message of every job with these settings. A message "
            f"that is sent eagerly stays in the receiver's memory until it is received, so many of them take memory "
            f"there; results are the same."
        )
        yield ""
    if not settings:
        yield "Nothing is set: by these measurements, no file would make a job faster."
        return
    yield mpi_of(settled.library).beware() + "\n"
    shell, variants = (_text(str(directory / name)) for name in ("tuning.sh", "variants.toml"))
    yield USE.format(shell=shell, variants=variants)


def chosen(choice: Choice) -> str:
    """ "from 64.0 KiB scattered, from 256 KiB its own choice"."""
    if not choice.changes:
        return "its own choice, with the settings for every message"
    parts = [f"from {q.bytes_(step.from_bytes)} {step.algorithm or 'its own choice'}" for step in choice.steps]
    if choice.steps[-1].algorithm != OWN:
        parts.append(f"from {q.bytes_(choice.until_bytes)} its own choice")
    return ", ".join(parts)


def _sources(paths: Sequence[str]) -> str:
    shown = ", ".join(map(_text, paths[:MOST_SOURCES]))
    return shown if len(paths) <= MOST_SOURCES else f"{shown} and {len(paths) - MOST_SOURCES} more"


def _named(settings: Settings) -> str:
    return ", ".join(f"`{name}={value}`" for name, value in settings)


def _hosts(count: int) -> str:
    return "1 host" if count == 1 else f"{count} hosts"


def _text(text: str) -> str:
    """Text from a job or a file in a table."""
    return visible(" ".join(text.split())).replace("|", "\\|")
