"""The lines that set the files: for a shell, for environment modules, for `clearway compare`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from clearway.bench.settings import PARAMETER
from clearway.tune.files.model import FILE_IN_DIRECTORY, Settings

VARIANT = "tuning files"


def in_place(settings: Settings, directory: Path) -> Settings:
    """With the paths of files."""
    return tuple(
        (name, str(directory / value.removeprefix(FILE_IN_DIRECTORY)) if value.startswith(FILE_IN_DIRECTORY) else value)
        for name, value in settings
    )


def shell(settings: Settings) -> str:
    lines = [f"export {name}={shlex.quote(value)}" for name, value in settings]
    return "\n".join(["# In a job script, before the launcher:  . tuning.sh", *lines]) + "\n"


def lua_module(settings: Settings) -> str:
    lines = [f"setenv({_quoted(name)}, {_quoted(value)})" for name, value in settings]
    return "\n".join(["-- Lines for a module file of Lmod", *lines]) + "\n"


def tcl_module(settings: Settings) -> str:
    lines = [f"setenv {name} {_tcl_quoted(value)}" for name, value in settings]
    return "\n".join(["#%Module", "# Lines for a module file of Environment Modules", *lines]) + "\n"


def variants(settings: Settings) -> str:
    """For `clearway compare --variants`: beside the job as it is stand the files, and --flow."""
    parameters = [(name.removeprefix(PARAMETER), value) for name, value in settings if name.startswith(PARAMETER)]
    environment = [(name, value) for name, value in settings if not name.startswith(PARAMETER)]
    lines = ["[[variant]]", f'name = "{VARIANT}"']
    lines += [f"parameters = {_table(parameters)}"] if parameters else []
    lines += [f"environment = {_table(environment)}"] if environment else []
    return "\n".join([*lines, "", "[[variant]]", 'name = "--flow"', 'recorder_options = "--flow"']) + "\n"


def _table(pairs: Sequence[tuple[str, str]]) -> str:
    return "{ " + ", ".join(f"{name} = {_quoted(value)}" for name, value in pairs) + " }"


def _quoted(text: str) -> str:
    """As TOML and Lua read it."""
    return json.dumps(text, ensure_ascii=False)


def _tcl_quoted(text: str) -> str:
    return '"' + "".join(f"\\{letter}" if letter in '"\\$[];' else letter for letter in text) + '"'
