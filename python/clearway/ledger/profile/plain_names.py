"""Names of functions as their program's text has them: C++ by the C++ library's own demangler, Fortran's by hand."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from functools import cache

FORTRAN_MODULE = re.compile(r"^__(\w+?)_MOD_(\w+)$")  # gfortran; ifort: module_mp_procedure_
INTEL_MODULE = re.compile(r"^(\w+?)_mp_(\w+?)_$")
CLONE = re.compile(r"\.(?:part|constprop|isra|cold|lto_priv|omp_fn|_omp_fn)\b.*$")


def plain(symbol: str) -> str:
    """`symbol` without what only a linker needs."""
    for pattern in (FORTRAN_MODULE, INTEL_MODULE):
        if found := pattern.match(symbol):
            return f"{found[1]}::{found[2]}"
    if symbol.startswith("_Z"):
        return _without_arguments(_demangle()(CLONE.sub("", symbol)) or symbol)
    return symbol


def _without_arguments(name: str) -> str:
    """`gmx::run(int)` as `gmx::run`, templates as `<…>`: whole ones are longer than a line."""
    kept, depth = [], 0
    for part in re.split(
        r"([<>()])", name.replace("(anonymous namespace)::", "").replace("operator()", "operator call")
    ):
        if part in ("<", "("):
            depth += 1
            if depth == 1 and part == "<":
                kept.append("<…>")
            elif depth == 1:
                break
        elif part in (">", ")"):
            depth -= 1
        elif depth == 0:
            kept.append(part)
    return "".join(kept).rpartition(" ")[2] if kept else name


@cache
def _demangle() -> Callable[[str], str]:
    try:
        library = ctypes.CDLL("libstdc++.so.6")
        c = ctypes.CDLL(None)
        function = library.__cxa_demangle
    except (OSError, AttributeError):
        return lambda symbol: symbol
    function.restype = ctypes.c_void_p
    function.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))
    c.free.argtypes = (ctypes.c_void_p,)

    def demangle(symbol: str) -> str:
        status = ctypes.c_int()
        text = function(symbol.encode(), None, None, ctypes.byref(status))
        if not text:
            return symbol
        try:
            return ctypes.string_at(text).decode("utf-8", errors="replace")
        finally:
            c.free(text)

    return demangle
