"""Variants from a TOML file:

[[variant]]
name = "large buffers"                   # all but the name may be left out
command = "mpirun.mpich -np 4 other_program"  # in place of the job's
parameters = { btl_tcp_sndbuf = 524288 } # Open MPI's
environment = { OMP_NUM_THREADS = 2 }
launcher_options = "--bind-to core"
program_options = "-npme 0"
recorder_options = "--flow"
ranks = 4
mpi = "mpich"                            # or a launcher's path
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clearway.base.errors import ClearwayError
from clearway.base.older_python import tomllib
from clearway.base.quoted_words import quoted_words
from clearway.experiment.plan import Variant
from clearway.job.change import Change, describe

KEYS = {"name", "command", "parameters", "environment", "launcher_options", "program_options", "recorder_options",
        "ranks", "mpi"}  # fmt: skip
UNCHANGED = Variant(describe(Change()))


def read_variants(path: str | Path) -> tuple[Variant, ...]:
    """The job unchanged, and the variants of the file. Raises ClearwayError, which names the file and the key."""
    try:
        with Path(path).open("rb") as file:
            tree = tomllib.load(file)
    except OSError as error:
        raise ClearwayError(f"cannot read '{path}': {error.strerror}", "--variants FILE.toml") from None
    except ValueError as error:
        trouble = "it is not a text file" if isinstance(error, UnicodeDecodeError) else error
        raise ClearwayError(f"'{path}' is not TOML: {trouble}", "`clearway docs compare` describes the file") from None
    tables = tree.get("variant")
    if not isinstance(tables, list) or not tables or set(tree) != {"variant"}:
        raise ClearwayError(
            f"'{path}' has no list of variants", 'it consists of tables such as: [[variant]] name = "A"'
        )
    variants = [_variant(table, f"variant {number} of '{path}'") for number, table in enumerate(tables, 1)]
    return (UNCHANGED, *variants)


def _variant(table: Any, where: str) -> Variant:
    unknown = sorted(set(table) - KEYS)
    if unknown:
        raise ClearwayError(f"{where} has an unknown key '{unknown[0]}'", f"one of: {', '.join(sorted(KEYS))}")
    change = Change(
        parameters=_pairs(table, "parameters", where),
        environment=_pairs(table, "environment", where),
        launcher_options=_words(table, "launcher_options", where),
        recorder_options=_words(table, "recorder_options", where),
        program_options=_words(table, "program_options", where),
        ranks=_of_type(table, "ranks", int, where),
        launcher=_of_type(table, "mpi", str, where),
    )
    command = _words(table, "command", where)
    return Variant(_of_type(table, "name", str, where) or describe(change), change, command)


def _of_type(table: Any, key: str, kind: type, where: str) -> Any:
    value = table.get(key)
    if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        raise ClearwayError(f"{where}: {key} = {value!r}", f"it must be {'a number' if kind is int else 'text'}")
    return value


def _words(table: Any, key: str, where: str) -> tuple[str, ...]:
    """Text as a shell would split it, or a list of words."""
    value = table.get(key, "")
    if isinstance(value, list):
        return tuple(map(str, value))
    if not isinstance(value, str):
        raise ClearwayError(f"{where}: {key} = {value!r}", f'{key} = "--name value"')
    return tuple(quoted_words(value, f"{where}: {key} =", f'{key} = "--name value"'))


def _pairs(table: Any, key: str, where: str) -> tuple[tuple[str, str], ...]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise ClearwayError(f"{where}: {key} = {value!r}", f"{key} = {{ NAME = 1 }}")
    return tuple((name, str(one)) for name, one in value.items())
