"""Standard output and error as a command needs them: also where they are closed, or their disk is full."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from clearway.base.ascii_only import ESCAPES, PASSES

STDOUT = "standard output"
HANDLERS = {"strict": ESCAPES, "backslashreplace": ESCAPES, "surrogateescape": PASSES}  # of Python, and ours instead


class _Named(io.FileIO):
    """Its errors say that they are of standard output, as those of a file say its name."""

    def write(self, data: object, /) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError as error:
            raise OSError(error.errno, error.strerror, STDOUT) from None


class _Forgiving(io.FileIO):
    """What cannot be said is not said: a message is no reason to end what it tells of, such as a job."""

    def write(self, data: object, /) -> int:
        with suppress(OSError):
            return super().write(data)  # type: ignore[arg-type]
        return memoryview(data).nbytes  # type: ignore[arg-type]


def steady_streams() -> None:
    """Before the first word. Streams that are not those of the process (a test's) stay."""
    sys.stdout = _steady(sys.stdout, sys.__stdout__, _Named)
    sys.stderr = _steady(sys.stderr, sys.__stderr__, _Forgiving)


def leave_stdout() -> None:
    """Nothing more can be written there: the interpreter, which tries when it ends, must not complain."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _steady(stream: TextIO | None, own: TextIO | None, kind: type[io.FileIO]) -> TextIO:
    if stream is None:  # it was closed (`2>&-`): what is printed to None goes to standard output
        return Path(os.devnull).open("w", encoding="utf-8")
    if stream is not own or not isinstance(stream, io.TextIOWrapper):
        return stream
    # Names of files need not be UTF-8: such bytes are escaped, where they do not pass as they are (LC_ALL=C).
    errors = HANDLERS.get(stream.errors or "strict", stream.errors)
    buffer = io.BufferedWriter(kind(stream.fileno(), "w", closefd=False))
    return io.TextIOWrapper(buffer, stream.encoding, errors, line_buffering=stream.line_buffering)
