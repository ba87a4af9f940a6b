"""Run one program and record it: goes before PROGRAM in a launcher's command line.

mpirun -np 8 clearway record PROGRAM ARGUMENTS      each rank is recorded
mpirun -np 8 clearway-record PROGRAM ARGUMENTS      the same; the native program starts faster
"""

from __future__ import annotations

import argparse
import os

from clearway.base.installed import RECORDER, find_program


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "clearway record [-o DIR] [--flow[=TABLE]] [--io-cache SIZE] [--timeline[=N]] [--sample-ms N] [--always] [--] "
        "PROGRAM [ARGUMENTS]"
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="options and PROGRAM, see `clearway-record --help`")


def run(arguments: argparse.Namespace) -> int:
    recorder = str(find_program(RECORDER))
    os.execv(recorder, [recorder, *arguments.arguments])
