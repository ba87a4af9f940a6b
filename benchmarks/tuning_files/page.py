"""The figures of docs/tuning-files.md, between its two marks, from what was measured."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from measured.circumstances import REPOSITORY, Circumstances, told
from measured.spread import middle_and_spread

from clearway.base import quantities as q

RESULTS = REPOSITORY / "benchmarks/tuning_files/results"
PAGE = REPOSITORY / "docs/tuning-files.md"
BEGIN, END = "<!-- measured -->", "<!-- end of measured -->"
NAMES = {"openmpi": "Open MPI 4.1.4", "openmpi5": "Open MPI 5.0.11", "mpich": "MPICH 4.0.2"}
WAYS = ("as it is", "files", "flow")
WORTH = 1.05  # by how much --flow must be faster for a share of its gain to mean something
AIM = 0.95


def main() -> int:
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{section()}\n{END}{after}")
    return 0


def section() -> str:
    results = [
        json.loads((RESULTS / f"{name}.json").read_text()) for name in NAMES if (RESULTS / f"{name}.json").exists()
    ]
    lines = list(table(results))
    return "\n".join([*lines, "", *chosen(results), "", *remarks(results)])


def table(results: list[Mapping[str, Any]]) -> Iterator[str]:
    yield "| MPI | block | as it is | with the files alone | `--flow` | of `--flow`'s gain | rounds |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for result in results:
        rounds = result["rounds"]
        for size in rounds[0]["files"]:
            shares = (middle_and_spread([each[way][size]["share"] for each in rounds]) for way in WAYS)
            kept = [share for each in rounds if (share := share_of_gain(each, size)) is not None]
            gain = middle_and_spread(kept) if 2 * len(kept) > len(rounds) else "none to have"
            cells = [NAMES[result["mpi"]], q.bytes_(int(size)), *shares, gain, str(len(rounds))]
            yield f"| {' | '.join(cells)} |"


def share_of_gain(each: Mapping[str, Any], size: str) -> float | None:
    """Of the time of a call that --flow saves, in the same round; None where it saves next to nothing."""
    own, files, flow = (each[way][size]["s"] for way in WAYS)
    return (own - files) / (own - flow) if own > WORTH * flow else None


def chosen(results: list[Mapping[str, Any]]) -> Iterator[str]:
    yield "What was chosen, of all ways that each MPI has:"
    yield ""
    for result in results:
        lines = [line.removeprefix("export ") for line in result["files"]["tuning.sh"].splitlines() if "=" in line]
        settings = [f"`{name}`" if "/" in value else f"`{name}={value}`" for name, _, value in map(split, lines)]
        yield f"- {NAMES[result['mpi']]}: {', '.join(settings)}{'; ' + result['says'] if result.get('says') else ''}"


def split(line: str) -> tuple[str, str, str]:
    return line.partition("=")


def remarks(results: list[Mapping[str, Any]]) -> Iterator[str]:
    all_of_them = [Circumstances(**each["circumstances"]) for result in results for each in result["rounds"]]
    idle = min(each["idle"] for result in results for each in result["rounds"])
    yield (
        f"{told(all_of_them)}. Before, between and after the sweeps of each round at least {100 * idle:.0f} % of the "
        "processors were idle; the rest was others' work, and shows in the spread."
    )


if __name__ == "__main__":
    sys.exit(main())
