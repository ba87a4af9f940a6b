"""`clearway what-if`: a recorded job replayed with a change, compared with a real job that had it."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY, clearway_tool
from harness.runs import run_command
from harness.seeds import seeds, trying

from clearway.base.schema import schema_of
from clearway.diagnosis.facts import open_case
from clearway.ledger import account
from clearway.predict.what_if.answer import SCHEMA, Answer
from clearway.predict.what_if.calls import job_calls
from clearway.predict.what_if.change import Change
from clearway.predict.what_if.counterfactual import answer
from clearway.predict.what_if.replay import recorded, replay
from clearway.predict.what_if.sharing import waiting_for_cores
from clearway.run import Run, load
from clearway.run.events import Events
from clearway.run.layout import EventKind
from clearway.run.pairing import find_collectives, find_messages

SCHEMA_FILE = REPOSITORY / "docs/json-schema/clearway-what-if-1.json"
RANKS = 8
KINDS = (
    "irecv -1 3000 tag 5\nisend +1 3000 tag 5\ncompute 300000\nwaitall",
    "sendrecv +1 90000 -1 90000",
    "alltoall 4000",
    "allreduce 64",
    "bcast 3 20000",
    "reduce 1 5000",
    "allgather 700",
    "barrier",
)


def simulated(
    folder: Path, computing_ns: list[int], kinds: tuple[str, ...] = KINDS, steps: int = 40, **settings: object
) -> Path:
    """The Run of a job whose ranks compute so long in each of its steps, and then exchange messages."""
    folder.mkdir()
    lines = ["clearway-script 1", "title made", f"ranks {RANKS}", f"steps {steps}"]
    for rank, compute_ns in enumerate(computing_ns):
        lines += [f"rank {rank}", f"compute {compute_ns}"]
    lines += [f"rank 0-{RANKS - 1}", *kinds, "allreduce 8"]
    (folder / "script").write_text("\n".join(lines) + "\n")
    told = {"script": folder / "script", "run": folder / "run", "buffer_bytes": 0, "alltoall": "ordered", **settings}
    options = [word for name, value in told.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    command = [clearway_tool("clearway-simulate"), *options]
    outcome = run_command(command, {})
    assert outcome.exit_code == 0, outcome.says
    return folder / "run"


def what_if(run: Path, *words: str) -> dict[str, Any]:
    outcome = run_clearway("what-if", run, *words, "--json", "-")
    assert outcome.exit_code == 0, outcome.says
    made: dict[str, Any] = json.loads(outcome.stdout)
    jsonschema.validate(made, schema_of(Answer, SCHEMA))
    return made


def seconds(made: dict[str, Any], column: str) -> dict[str, float]:
    return {line["line"]: line[column] for line in made["lines"]}


def assert_like_the_twin(made: dict[str, Any], twin: Path, within: float = 0.1) -> None:
    """Line by line, as parts of the twin's wall-clock."""
    ledger = account(load(twin)).ledger
    wall_s = float(ledger["wall_s"].mean())
    assert made["what_if_s"] == pytest.approx(wall_s, rel=within)
    for line, what_if_s in seconds(made, "what_if_s").items():
        assert what_if_s == pytest.approx(float(ledger[line].mean()), abs=within * wall_s), line


def test_the_schema_in_the_documentation_is_this_one() -> None:
    assert json.loads(SCHEMA_FILE.read_text()) == schema_of(Answer, SCHEMA)


def test_a_job_replayed_as_it_was_takes_what_it_took(tmp_path: Path) -> None:
    """Whatever it calls: each call waits as long as the record says."""
    for number, seed in enumerate(seeds("what-if-as-it-was", 4)):
        with trying("what-if-as-it-was", seed):
            chance = random.Random(seed)
            computing_ns = [chance.randrange(100_000, 3_000_000) for _ in range(RANKS)]
            kinds = tuple(chance.choices(KINDS, k=chance.randrange(1, 9)))
            run = load(simulated(tmp_path / str(number), computing_ns, kinds))
            calls = job_calls(run, account(run))
            again = replay(calls, recorded(calls))
            assert again.end_s == pytest.approx(run.processes["end_s"], abs=1e-6)
            assert answer(open_case(run), Change(), []).check == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("late", [1_500_000, 6_000_000])
def test_even_computing_gives_what_the_even_job_took(tmp_path: Path, late: int) -> None:
    run = simulated(tmp_path / "uneven", [1_000_000] * 7 + [1_000_000 + late])
    twin = simulated(tmp_path / "even", [1_000_000 + late // RANKS] * RANKS)
    made = what_if(run, "--balance", "perfect")
    assert_like_the_twin(made, twin)
    # The load is uneven in the same way in each step: all of the gain is sure.
    assert made["least_gain_s"] == pytest.approx(made["wall_s"] - made["what_if_s"], rel=0.05)
    assert made["wall_s"] - made["what_if_s"] > 0.5 * 40 * late * 1e-9 * 7 / 8


def test_a_network_without_delay_gives_what_such_a_network_gave(tmp_path: Path) -> None:
    computing_ns = [1_000_000 + 50_000 * rank for rank in range(RANKS)]
    run = simulated(tmp_path / "slow", computing_ns, KINDS, rate_bps=1_000_000_000)
    twin = simulated(tmp_path / "fast", computing_ns, KINDS, rate_bps=1_000_000_000_000, latency_ns=0)
    made = what_if(run, "--network", "perfect")
    assert_like_the_twin(made, twin)
    assert seconds(made, "what_if_s")["mpi_transfer_s"] == 0
    assert made["least_gain_s"] < made["wall_s"] - made["what_if_s"]


def test_of_an_even_job_balance_gives_nothing(tmp_path: Path) -> None:
    run = simulated(tmp_path / "even", [1_000_000] * RANKS)
    made = what_if(run, "--balance", "perfect")
    assert made["what_if_s"] == pytest.approx(made["wall_s"], rel=0.005)
    said = run_clearway("what-if", run, "--balance", "perfect")
    assert "Nothing to gain" in said.stdout


def test_losses_are_taken_out(tmp_path: Path) -> None:
    """All-to-alls that overrun ports stand still for timeouts; on deep buffers they do not."""
    kinds = ("alltoall 100000",)
    run = simulated(tmp_path / "lossy", [1_000_000] * RANKS, kinds, buffer_bytes=65_536, alltoall="lam")
    stalled_s = float(account(load(run)).ledger["mpi_stall_s"].mean())
    assert stalled_s > 0
    made = what_if(run, "--network", "lossless")
    assert seconds(made, "what_if_s")["mpi_stall_s"] == 0
    assert made["wall_s"] - made["what_if_s"] >= 0.99 * stalled_s


def thinned(run: Run, window_ms: int) -> Run:
    """As if every other window of time had been kept only."""
    at_ms = ((run.realtime_zero_ns + run.events.exit_s * 1e9) // (window_ms * 1e6)).astype(np.int64)
    chosen = at_ms % 2 == 0
    columns = {name: getattr(run.events, name)[chosen] for name in Events.__dataclass_fields__}
    events = Events(**columns)
    ranks = run.processes["rank"]
    return replace(
        run,
        events=events,
        event_level=1,
        event_window_ms=window_ms,
        collectives=find_collectives(events, run.communicators),
        started=find_collectives(events, run.communicators, EventKind.STARTED),
        messages=find_messages(events, ranks),
        posts=find_messages(events, ranks, EventKind.POSTED),
        probes=find_messages(events, ranks, EventKind.PROBED),
    )


def test_a_sample_of_the_calls_stands_for_all(tmp_path: Path) -> None:
    run = load(simulated(tmp_path / "uneven", [1_000_000] * 7 + [2_000_000], steps=200))
    change = Change(balance=True)
    whole = answer(open_case(run), change, ["even"])
    part = answer(open_case(thinned(run, 40)), change, ["even"])
    assert any("one in 2" in note for note in part.notes)
    assert part.gain_s == pytest.approx(whole.gain_s, rel=0.15)


def test_ranks_that_share_cores_wait_as_long_as_the_others_compute() -> None:
    """Against small steps of time, in each of which all that still compute get as much."""
    chance = np.random.default_rng(1)
    for processors in (1, 2, 3, 5):
        compute_s = chance.integers(0, 9, (5, 3)).astype(np.float64)
        waits_s = waiting_for_cores(compute_s, processors)
        for told_s, work_s in zip(waits_s.T, compute_s.T, strict=True):
            left_s, now_s, end_s = work_s.copy(), 0.0, np.zeros(5)
            while (left_s > 1e-9).any():
                active = left_s > 1e-9
                left_s[active] -= 0.001 * min(1.0, processors / active.sum())
                now_s += 0.001
                end_s[active] = now_s
            assert told_s == pytest.approx(end_s - work_s, abs=0.02)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no change to try"),
        (["--network", "better"], "invalid choice"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, words: list[str], says: str) -> None:
    outcome = run_clearway("what-if", tmp_path, *words)
    assert outcome.exit_code == 2 or outcome.exit_code == 1
    assert says in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_run_that_is_none(tmp_path: Path) -> None:
    outcome = run_clearway("what-if", tmp_path / "nothing", "--network", "perfect")
    assert outcome.exit_code == 1
    assert outcome.stderr.startswith("error: ")
    assert "hint: " in outcome.stderr
