"""Whether the ranks run under Valgrind."""

from __future__ import annotations

from clearway.diagnosis.facts import Case

LIBRARY = "vgpreload_"  # that it loads into each program


def valgrind(case: Case) -> str | None:
    """Its library."""
    loaded = (case.environment("LD_PRELOAD") or "").replace(" ", ":").split(":")
    return next((path for path in loaded if path.rpartition("/")[2].startswith(LIBRARY)), None)
