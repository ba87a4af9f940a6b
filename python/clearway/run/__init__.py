"""Reading a Run: `load(DIR)` gives the newest job in a directory as arrays (see clearway.run.run.Run)."""

from clearway.run.load import load
from clearway.run.run import Run

__all__ = ["Run", "load"]
