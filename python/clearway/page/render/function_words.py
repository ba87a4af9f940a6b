"""What a function and its file are called on a page."""

from __future__ import annotations

from clearway.page.model import FunctionRow

FILES = {
    "[vdso]": "the kernel's clock",
    "[run time]": "code made at run time",
    "": "unknown",
}


def function_words(row: FunctionRow) -> str:
    if row.function:
        return row.function
    return "reading the clock" if row.file == "[vdso]" else f"({row.near or 'names are stripped'})"


def file_words(row: FunctionRow) -> str:
    return FILES.get(row.file, row.file.rpartition("/")[2])
