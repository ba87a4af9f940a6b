"""The options of `clearway compare` and `clearway fix` that tell how much work a job does."""

from __future__ import annotations

import argparse


def add_progress(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--figure",
        metavar="WORDS",
        help="compare by a figure that the job prints, with # for the number: 'rate: # steps/s' (more is better)",
    )
    group.add_argument(
        "--time-figure",
        metavar="WORDS",
        help="the same for a time of equal work (less is better): 'time per step: # ms'",
    )
    group.add_argument(
        "--same-work",
        action="store_true",
        help="the job does the same work on any number of ranks, so its time can be compared",
    )
