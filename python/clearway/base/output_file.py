"""An output file appears whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from clearway.base.errors import ClearwayError

STDOUT = "-"


def write_error(path: str | Path, error: OSError) -> ClearwayError:
    return ClearwayError(
        f"cannot write {path}: {error.strerror or error}", "choose another place, or free some space and try again"
    )


@contextmanager
def whole_file(path: str | Path) -> Iterator[TextIO]:
    """A text file in UTF-8 that takes the place of `path` when the block ends well; "-" is stdout.

    Raises ClearwayError where the file system refuses.
    """
    if str(path) == STDOUT:
        with _in_utf8(sys.stdout) as stream:
            yield stream
            stream.flush()
        return
    try:
        target = _behind_links(Path(path))
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8") as stream:  # a device or a pipe cannot be replaced
                yield stream
            return
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{_beginning(target.name)}.")
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
                yield stream
            temporary.chmod(0o666 & ~current_umask())
            temporary.replace(target)
        except BaseException:
            temporary.unlink()
            raise
    except OSError as error:
        raise write_error(path, error) from error


@contextmanager
def _in_utf8(stream: TextIO) -> Iterator[TextIO]:
    """Data for programs is not in the terminal's encoding (LANG=en_US is ISO 8859-1)."""
    if not isinstance(stream, io.TextIOWrapper):
        yield stream
        return
    encoding, errors = stream.encoding, stream.errors
    stream.reconfigure(encoding="utf-8", errors=errors)
    try:
        yield stream
    finally:
        stream.reconfigure(encoding=encoding, errors=errors)


def _behind_links(path: Path) -> Path:
    """Where a redirection would write. Raises OSError."""
    try:
        return path.resolve()
    except RuntimeError:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None


def _beginning(name: str) -> str:
    """Of a file's name, so much that another name which begins with it is not too long (255 bytes)."""
    return os.fsencode(name)[:100].decode("utf-8", "ignore")


def current_umask() -> int:
    umask = os.umask(0o077)
    os.umask(umask)
    return umask
