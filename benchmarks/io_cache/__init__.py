"""Scratch files in memory: what the page cache, tmpfs and the I/O cache give real programs on slow file systems."""
