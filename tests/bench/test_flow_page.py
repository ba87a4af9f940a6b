"""The page of `make bench-flow`, from sweeps made here: every figure on it comes from a result."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import REPOSITORY

from clearway.base.json import plain, write_json
from clearway.bench.assemble import assemble
from clearway.bench.figures import Job, RawPoint
from clearway.bench.printed import Printed
from clearway.bench.saved_sweep import sweep_from

LINK_BITS_PER_S = 20_000_000
PAYLOAD_BYTES_PER_S = LINK_BITS_PER_S / 8 * 1448 / 1514


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(REPOSITORY / "benchmarks/flow")
    import page as module

    yield module
    for name in ("page", "results", "configurations"):
        del sys.modules[name]


def point(name: str, block_bytes: int, share: float, timeouts: int) -> RawPoint:
    """A point at `share` of the wire, of 8 ranks on 8 hosts."""
    ns = round(7 * block_bytes / (share * PAYLOAD_BYTES_PER_S) * 1e9)
    return RawPoint(name, block_bytes, (ns,) * 3, 0, timeouts, "")


def lines_of(page: Any, *points: RawPoint) -> list[str]:
    configuration = sys.modules["configurations"].Configuration("mpich", 1, 8, "20k")
    job = Job("alltoall", 8, 8, 1, "MPICH 4", "", interleaved=False)
    sweep = assemble(Printed(job, list(points), ended=True), "testbed", LINK_BITS_PER_S)
    measured = [page.Measured(configuration, plain(sweep))]
    return list(page.page(measured, [], planned=60))


def test_own_and_flow_stand_below_each_other(page: Any) -> None:
    lines = lines_of(
        page,
        point("flow", 1024, 1.02, 0),
        point("flow", 65536, 0.98, 0),
        point("own", 1024, 1.0, 0),
        point("own", 65536, 0.44, 12),
    )
    at = lines.index("| 8 | 20 kB | own | 1.00 | 0.44 [12] |")
    assert lines[at + 1] == "|  |  | flow | **1.02** | **0.98** |"
    assert "| hosts | buffers |  | 1 KiB | 64 KiB |" in lines


def test_what_misses_the_aim_is_named(page: Any) -> None:
    """Small sizes have no aim; a timeout misses it at any throughput."""
    lines = lines_of(
        page,
        point("flow", 1024, 0.5, 0),
        point("flow", 16384, 0.96, 0),
        point("flow", 65536, 0.98, 1),
        point("flow", 262144, 0.98, 0),
        point("own", 262144, 0.98, 0),
    )
    (sentence,) = [line.replace("\n", " ") for line in lines if line.startswith("From 16 KiB on")]
    assert "library in 1 of 3 measurements, by the MPIs' own algorithms in 1 of 1." in sentence
    missed = [line for line in lines if line.startswith("| MPICH 4 over UCX (Debian) | 8 × 1 |")]
    assert [line.split(" | ")[3:5] for line in missed] == [["16 KiB", "0.96"], ["64 KiB", "0.98 [1]"]]


def test_the_page_is_what_its_results_say(page: Any) -> None:
    assert page.text_of_page() == page.PAGE.read_text(), "benchmarks/flow/measure.py --page-only"


def test_no_figure_rests_on_two_calls(page: Any) -> None:
    """A call of 1 MiB among 8 hosts takes 3 s, so that the 2 s of the first sweeps gave no more than two."""
    [measured] = page.load([sys.modules["configurations"].Configuration("openmpi", 1, 8, "20k")])
    assert measured.is_published
    assert list(measured.points("flow")) == [256 * 4**power for power in range(6)]
    assert 262144 not in measured.points("own")


def test_a_collapse_without_a_timeout_is_told_from_loss(page: Any) -> None:
    lines = lines_of(page, point("own", 65536, 0.5, 0), point("own", 262144, 0.5, 9), point("own", 1024, 0.5, 0))
    text = "\n".join(lines).replace("\n", " ")
    assert "2 figures. In 1 of them TCP had no timeout, and 0 of those are with buffers that" in text


def test_a_sweep_is_kept_whole(tmp_path: Path) -> None:
    """What is read back is what was measured: the page's picture is drawn from it."""
    job = Job("alltoall", 8, 8, 1, "MPICH 4", "/lib/libmpich.so.12", interleaved=True)
    sweep = assemble(Printed(job, [point("own", 64, 0.5, 2)], ended=True), None, None)
    write_json(sweep, tmp_path / "sweep.json")
    assert sweep_from((tmp_path / "sweep.json").read_text(), "sweep.json") == sweep
