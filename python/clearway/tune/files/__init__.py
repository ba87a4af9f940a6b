"""What MPIs read themselves, made from what was measured: files and variables instead of a preloaded library."""

from clearway.tune.files.write import summary, write_files

__all__ = ["summary", "write_files"]
