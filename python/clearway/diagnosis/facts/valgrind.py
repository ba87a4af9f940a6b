"""Whether the ranks run under Valgrind, or under an emulator of another kind of processor."""

from __future__ import annotations

from clearway.diagnosis.facts import Case

EMULATORS = ("qemu-", "box64", "box86", "FEX")  # their names in the kernel; they give the program's where it asks
LIBRARY = "vgpreload_"  # that it loads into each program


def valgrind(case: Case) -> str | None:
    """Its library."""
    loaded = (case.environment("LD_PRELOAD") or "").replace(" ", ":").split(":")
    return next((path for path in loaded if path.rpartition("/")[2].startswith(LIBRARY)), None)


def emulator(case: Case) -> str | None:
    """Its name."""
    name = case.fact("process.comm") or ""
    return name if name.startswith(EMULATORS) else None
