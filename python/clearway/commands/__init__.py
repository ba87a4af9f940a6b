"""The command line: each module of this folder is one subcommand, in the group of those that serve the same purpose.

A command module has a docstring (its first line is its line in `clearway --help`), `configure(parser)` and
`run(arguments) -> exit code`. It is imported only when it is asked for, and imports what is heavy only in `run`:
`clearway --version` must not wait for numpy.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Protocol, cast

from clearway import __version__
from clearway.base.command_line import Parser, UsageError
from clearway.base.errors import ClearwayError
from clearway.base.interruption import INTERRUPTED
from clearway.base.nearest import did_you_mean
from clearway.base.own_modules import put_job_modules_last
from clearway.base.streams import STDOUT, leave_stdout, steady_streams
from clearway.base.visible import visible

USAGE_ERROR = 2
FREE_SPACE = "free some space, or choose another place; temporary files are where TMPDIR says"
_NO_SUCH_PLACE = "is it spelled right? Or make it first; temporary files are where TMPDIR says"
HINTS = {
    errno.ENOENT: _NO_SUCH_PLACE,
    errno.ENOTDIR: _NO_SUCH_PLACE,
    errno.EACCES: "choose a place where you may read and write; temporary files are where TMPDIR says",
    errno.EMFILE: "let it open more files: ulimit -n 1024",
}

# What people want, in the order in which they come to want it.
GROUPS = {
    "Record a job": ("run", "record"),
    "Look at it": ("report", "show", "list", "diff", "top", "explain", "docs"),
    "Fix it": ("fix", "tune", "compare", "place"),
    "Predict it on another cluster": ("what-if", "scale", "predict", "cluster", "workload"),
    "Network, hosts, cluster": ("bench", "host", "slurm", "testbed"),
    "For developers": ("schedule", "task"),
}


class Command(Protocol):
    """What a module of this folder provides."""

    __doc__: str | None

    def configure(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace) -> int: ...


def load_command(name: str) -> Command:
    return cast(Command, importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))


def parser_of(name: str) -> Parser:
    """Of one command. Needs no package besides Python's own: manual pages are made of it while Clearway is built."""
    command = load_command(name)
    parser = Parser(
        prog=f"clearway {name}", description=command.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.configure(parser)
    return parser


def command_names() -> list[str]:
    return [name for names in GROUPS.values() for name in names]


def overview() -> str:
    """`clearway --help`: what people want, and one line a command."""
    lines = ["Shows where the wall-clock of a parallel job went, and gets it back.", ""]
    lines += ["  clearway run -- mpirun -np 8 PROGRAM ARGUMENTS    records a job, and says where its page is"]
    lines += ["  clearway report DIR                               the page: where the time went, and what to do"]
    lines += ["", "usage: clearway COMMAND [ARGUMENTS]"]
    width = max(map(len, command_names()))
    for title, names in GROUPS.items():
        lines += ["", title]
        for name in names:
            summary = (load_command(name).__doc__ or "").strip().splitlines()[0]
            lines.append(f"  {name:<{width}}  {summary}")
    lines += ["", "`clearway COMMAND --help` says more; `clearway --version` prints the version."]
    return "\n".join(lines)


def dispatch(arguments: Sequence[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(overview())
        return 0 if arguments else USAGE_ERROR
    name, rest = arguments[0], arguments[1:]
    if name in ("-V", "--version"):
        print(f"clearway {__version__}")
        return 0
    if name not in command_names():
        raise UsageError(
            f"there is no command '{name}'",
            did_you_mean(name, command_names(), f"one of: {', '.join(command_names())}"),
        )
    command = load_command(name)
    between = getattr(command, "BETWEEN", "--")  # argparse forgets where a "--" stood: here is what is put in its place
    return command.run(parser_of(name).parse_args([between if word == "--" else word for word in rest]))


def main(arguments: Sequence[str] | None = None) -> int:
    """The one catch: users see what was attempted and what to do, never a traceback."""
    try:
        put_job_modules_last()
        steady_streams()
        code = dispatch(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except ClearwayError as error:
        return say(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # `clearway report DIR | head` is no fault
        leave_stdout()
        return 0
    except OSError as error:  # a full disk, a folder that is not ours: what nobody nearer to it could say better
        return say(refused(error))
    return code


def say(error: ClearwayError) -> int:
    """Returns the exit code."""
    print(f"error: {visible(error.message)}", file=sys.stderr)
    if error.hint:
        print(f"\nhint: {visible(error.hint)}", file=sys.stderr)
    return USAGE_ERROR if isinstance(error, UsageError) else 1


def refused(error: OSError) -> ClearwayError:
    """Errors of writing have no name: in a file of ours, for others have their own messages."""
    if error.filename == STDOUT:
        leave_stdout()
        return ClearwayError(f"cannot write to {STDOUT}: {error.strerror}", "free some space, or choose another place")
    what = f"cannot use {os.fsdecode(error.filename)}" if error.filename else "cannot write a temporary file"
    hint = HINTS.get(error.errno or 0, FREE_SPACE)
    return ClearwayError(f"{what}: {error.strerror or error}", hint)
