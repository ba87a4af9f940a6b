"""Steps of one Slurm job that waited for each other are told: no ledger has the time before a step's program began."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from python.made_runs import REALTIME_NS, SECOND, Rank

from clearway.page.build import summarise
from clearway.run import load

TOGETHER_S, ONE_AFTER_ANOTHER_S = [(0, 0, 8), (0, 0, 8)], [(0, 0, 8), (0, 8, 17)]


def steps(directory: Path, spans_s: list[tuple[int, int, int]], launcher: str = "srun") -> Path:
    """By step: when its launcher began, when its program did, and when both ended."""
    for number, (launched_s, begin_s, end_s) in enumerate(spans_s):
        line = f"/usr/bin/{launcher} -n 1 ./md{number}"
        for pid, rank, started_s in ((10 + number, -1, launched_s), (20 + number, 0, begin_s + 0.25)):
            one = Rank(rank, int(rank == 0), begin_s=started_s, recording_s=started_s, end_s=end_s, header={"pid": pid})
            one.fact("process.command_line", line if rank < 0 else "./md").fact("process.launch", str(number))
            (directory / f"rank.node0.{pid}.cwr").write_bytes(one.record())
    ended_ns = REALTIME_NS + max(span[2] for span in spans_s) * SECOND
    said = {"command": ["./job.sh"], "started_ns": REALTIME_NS, "ended_ns": ended_ns, "exit_code": 0}
    (directory / "run.json").write_text(json.dumps(said))
    return directory


def test_a_step_that_began_when_another_ended_had_waited(tmp_path: Path) -> None:
    run = load(steps(tmp_path, ONE_AFTER_ANOTHER_S))
    assert run.queued is not None
    assert (run.queued.steps, run.queued.launches) == (1, 2)
    assert run.queued.longest_s == pytest.approx(8 - 0.25)
    said = summarise(run).sentence
    assert "1 of 2 steps waited for the cores of another step, `/usr/bin/srun -n 1 ./md1` for 7.75 s" in said


@pytest.mark.parametrize(
    ("spans_s", "launcher"),
    [
        (TOGETHER_S, "srun"),
        ([(0, 0, 8), (8, 8, 17)], "srun"),  # as the script has them, one after another
        ([(0, 6, 17), (0, 6, 17)], "srun"),  # both start slowly
        (ONE_AFTER_ANOTHER_S, "mpirun"),  # that does not wait for cores: it is slow for another reason
        ([(0, 8, 17)], "srun"),
    ],
)
def test_other_steps_have_not(spans_s: list[tuple[int, int, int]], launcher: str, tmp_path: Path) -> None:
    assert load(steps(tmp_path, spans_s, launcher)).queued is None
