"""One program a file: its name is the file's."""
