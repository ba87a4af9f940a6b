"""--submit and what goes with it, for every command that can be divided into tasks of a job array."""

from __future__ import annotations

import argparse

TOGETHER = "--submit='--nodes=4 --time=30'"


def add_submit(parser: argparse.ArgumentParser, what: str, at_once: str = "default: no limit") -> None:
    """`what` becomes a task: "each round"."""
    group = parser.add_argument_group("as a job array of Slurm")
    group.add_argument(
        "--submit",
        metavar="OPTIONS",
        help=f"submit {what} as a task of a job array, with these options of sbatch: {TOGETHER}",
    )
    group.add_argument("--at-once", type=int, metavar="N", help=f"tasks that run at the same time ({at_once})")
    group.add_argument("--watch", action="store_true", help="stay and show progress until everything is done")


def check_submit(arguments: argparse.Namespace, resumes: bool = True) -> None:
    """Raises ClearwayError for what goes with --submit alone."""
    from clearway.base.errors import ClearwayError

    if arguments.submit is not None or (resumes and arguments.resume):
        return
    for name in ("at_once", "watch"):
        if getattr(arguments, name):
            raise ClearwayError(f"--{name.replace('_', '-')} needs --submit or --resume", TOGETHER)
