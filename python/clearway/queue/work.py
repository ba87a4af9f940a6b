"""What an array's task does: its share of the pieces, those that nobody has done yet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from clearway.queue import results
from clearway.queue.results import Result, attempt_here


class Work(Protocol):
    """A kind of work that can be divided into pieces. It reads what is there anew at each question."""

    def wanted(self) -> Collection[int]:
        """The pieces that there are, those that are done with them; it may change with what was found."""

    def do(self, piece: int, attempt: str, /) -> object:
        """The result, for JSON. Raises ClearwayError where nothing came of it."""

    def options(self, piece: int, /) -> Sequence[str]:
        """Of sbatch, for this piece besides those of the submission. Pieces that differ in them come in turns."""

    def refused(self, piece: int, why: str, /) -> object:
        """The result of a piece for whose options Slurm gives no job."""

    def finish(self) -> None:
        """All is done: writes what came out."""


class AllAlike:
    """Work whose pieces all run as the submission says."""

    def options(self, _piece: int) -> Sequence[str]:
        return ()

    def refused(self, _piece: int, _why: str) -> object:
        raise NotImplementedError  # there is nothing of its own to refuse


def work_through(
    directory: Path, work: Work, pieces: Iterable[int], told: Callable[[int], None] = lambda _: None
) -> None:
    """Each in turn, and `told` of it. What is done is kept, whatever becomes of the rest."""
    attempt = attempt_here()
    done = results.pieces(directory)
    for piece in pieces:
        if piece not in done and piece in work.wanted():
            results.append(directory, Result(piece, attempt, work.do(piece, attempt)))
        told(piece)
