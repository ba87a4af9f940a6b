"""A way to run the job as a command line: the short one that is raced, and the one for the job script."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from pathlib import Path

from clearway.experiment.plan import Variant
from clearway.job.change import Change, combined
from clearway.tune.knobs import EngineKnobs, Short
from clearway.tune.setting import Way, change_of, first_lines_of, name_of

INPUTS = "inputs"  # made for engines that read a knob from their input


@dataclass(frozen=True, slots=True)
class Variants:
    """Knows the job, and where what is made for it goes."""

    typed: tuple[str, ...]
    program: tuple[str, ...]
    directory: Path
    engine: EngineKnobs | None
    folder: Path = Path()  # the job's working directory

    def short(self, way: Way, short: Short) -> Variant:
        """To be raced."""
        lines = (*first_lines_of(way), *short.first_lines)
        return Variant(name_of(way), combined(change_of(way), short.change, self._reading(lines, f"{slug(way)}-short")))

    def whole(self, way: Way) -> Variant:
        """To be run for good."""
        return Variant(
            name_of(way), combined(change_of(way), self._reading(first_lines_of(way), slug(way))), self.typed
        )

    def _reading(self, lines: tuple[str, ...], name: str) -> Change:
        if not lines or self.engine is None:
            return Change()
        file = self.directory / INPUTS / f"{name}.in"
        return self.engine.read_first(self.program, lines, file, self.folder) or Change()


def slug(way: Way) -> str:
    """A name for its folders. With a sum, for what is left of two names may be the same."""
    name = name_of(way)
    plain = re.sub(r"[^A-Za-z0-9._+=-]+", "-", name.replace("×", "x")).strip("-.")[:48]
    return f"{plain}-{zlib.crc32(name.encode()) & 0xFFFF:04x}"
