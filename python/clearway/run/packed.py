"""Bytes of a record file: one that was gathered is compressed (`layout.PACKED_HEADER`), and reads as the record it was.

Its sizes are not trusted: never more is decompressed than it claims, nor than a record can have.
"""

from __future__ import annotations

import errno
import os
import stat
import zlib
from types import TracebackType

import numpy as np

from clearway.run import layout

MOST_RECORD_BYTES = 1 << 28
MOST_PACKED_BYTES = 1 << 26
STEP_BYTES = 4096


class Source:
    """An open file. `read` gives the record's bytes at an offset, fewer where it ends. Raises OSError."""

    def __init__(self, path: os.PathLike[str]) -> None:
        # What is called like a record need not be one: a pipe that nobody writes to would be waited for.
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        self._unpacked: bytes | None = None
        self.thinning = 0
        try:
            if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file")
            raw = os.pread(self._descriptor, layout.PACKED_HEADER.itemsize, 0)
            if raw[: len(layout.PACKED_MAGIC)] == layout.PACKED_MAGIC and len(raw) == layout.PACKED_HEADER.itemsize:
                header = np.frombuffer(raw, layout.PACKED_HEADER)[0]
                self.thinning = int(header["thinning"])
                packed = os.pread(self._descriptor, MOST_PACKED_BYTES, len(raw))
                self._unpacked = _unpacked(packed, min(int(header["record_bytes"]), MOST_RECORD_BYTES))
            self.size = os.fstat(self._descriptor).st_size if self._unpacked is None else len(self._unpacked)
        except BaseException:
            os.close(self._descriptor)
            raise

    def read(self, size: int, offset: int) -> bytes:
        if self._unpacked is None:
            return os.pread(self._descriptor, size, offset)
        return self._unpacked[offset : offset + size]

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)


def _unpacked(packed: bytes, most: int) -> bytes:
    """As far as it goes: what is cut or damaged ends there."""
    stream, known = zlib.decompressobj(), bytearray()
    for at in range(0, len(packed), STEP_BYTES):
        if len(known) >= most:
            break
        try:
            known += stream.decompress(packed[at : at + STEP_BYTES], most - len(known))
        except zlib.error:
            break
    return bytes(known)
