"""`clearway what-if`: a recorded job replayed with a change, compared with a real job that had it."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY, Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_job
from harness.seeds import seeds, trying
from predict.simulated_jobs import KINDS, RANKS, seconds, simulated, what_if

from clearway.base.schema import schema_of
from clearway.base.sheet import Sheet
from clearway.diagnosis.facts import open_case
from clearway.ledger import account
from clearway.ledger.again.calls import job_calls
from clearway.ledger.again.replay import recorded, replay
from clearway.ledger.timelines import COMPUTE, CORE_WAIT
from clearway.predict.what_if.answer import SCHEMA, Answer, Line
from clearway.predict.what_if.change import Change, changed
from clearway.predict.what_if.counterfactual import answer
from clearway.predict.what_if.sharing import Sharing, waiting_for_cores
from clearway.predict.what_if.terminal import lines_of
from clearway.run import Run, load
from clearway.run.events import Events
from clearway.run.layout import EventKind
from clearway.run.pairing import find_collectives, find_messages

SCHEMA_FILE = REPOSITORY / "docs/json-schema/clearway-what-if-1.json"


def assert_like_the_twin(made: dict[str, Any], twin: Path, within: float = 0.1, much: float = 0.05) -> None:
    """Lines that carry much of the twin's wall-clock within a part of themselves, the others of so much.

    Of what the twin's ledger cannot divide into waiting and moving data, the replay knows which it is.
    """
    ledger = account(load(twin)).ledger
    wall_s, undivided_s = float(ledger["wall_s"].mean()), float(ledger["mpi_undivided_s"].mean())
    assert made["what_if_s"] == pytest.approx(wall_s, rel=within)
    for line, what_if_s in seconds(made, "what_if_s").items():
        twin_s = float(ledger[line].mean())
        low_s = twin_s - (undivided_s if line == "mpi_transfer_s" else 0.0)
        high_s = twin_s + (undivided_s if line == "mpi_wait_s" else 0.0)
        off_s = max(low_s - what_if_s, what_if_s - high_s, 0.0)
        assert off_s <= within * max(twin_s, much * wall_s), (line, what_if_s, low_s, high_s)


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


SMALL = "sendrecv +1 8 -1 8"
LATE_NS, SOON_NS = 150_000, 5_000  # of each of the two links between hosts


@pytest.mark.parametrize(
    "kinds", [("sendrecv +1 400 -1 400",), ("allreduce 64",), KINDS], ids=["pairs", "all", "every"]
)
def test_a_shorter_latency_gives_what_such_a_network_gave(tmp_path: Path, kinds: tuple[str, ...]) -> None:
    """Small messages tell the latency: the twin lies between what is gained at best and what is gained for certain."""
    kinds = ("sendrecv +1 8 -1 8", *kinds)
    computing_ns = [200_000 + 5_000 * rank for rank in range(RANKS)]
    run = simulated(tmp_path / "late", computing_ns, kinds, latency_ns=LATE_NS)
    twin = simulated(tmp_path / "soon", computing_ns, kinds, latency_ns=SOON_NS)
    made = what_if(run, "--latency", f"{2 * SOON_NS}ns")
    twin_s = float(account(load(twin)).ledger["wall_s"].mean())
    assert made["what_if_s"] <= 1.02 * twin_s
    assert made["wall_s"] - made["least_gain_s"] >= 0.98 * twin_s
    assert made["wall_s"] - made["what_if_s"] > 0.5 * (made["wall_s"] - twin_s)
    for line in ("compute_s", "core_wait_s", "io_s", "mpi_stall_s"):
        assert seconds(made, "what_if_s")[line] == pytest.approx(seconds(made, "recorded_s")[line]), line


def cost_of(rule: str, run: Path) -> float:
    """What the page says that a fault costs; seconds of wall-clock."""
    outcome = run_clearway("report", run, "--json", "-")
    assert outcome.exit_code == 0, outcome.says
    costs = {found["rule"]: found["cost_s"] for found in json.loads(outcome.stdout)["findings"]}
    assert rule in costs, costs
    return float(costs[rule])


@pytest.mark.parametrize(
    "kinds",
    [(SMALL,), (SMALL, "allreduce 64"), (SMALL, "bcast 3 64", "reduce 3 64")],
    ids=["pairs", "all", "trees"],
)
@pytest.mark.parametrize("uneven", [0, 40_000])
def test_small_messages_cost_what_no_latency_gains(uneven: int, kinds: tuple[str, ...], tmp_path: Path) -> None:
    """The finding and the counterfactual are one figure, and near what the twin took that had next to no latency."""
    computing_ns = [200_000 + uneven * rank for rank in range(RANKS)]
    run = simulated(tmp_path / "late", computing_ns, kinds, latency_ns=LATE_NS)
    twin = simulated(tmp_path / "none", computing_ns, kinds, latency_ns=0)
    cost_s = cost_of("small-messages", run)
    made = what_if(run, "--latency", "0ns")
    assert cost_s == pytest.approx(made["wall_s"] - made["what_if_s"], rel=1e-3)
    gap_s = made["wall_s"] - float(account(load(twin)).ledger["wall_s"].mean())
    assert cost_s == pytest.approx(gap_s, rel=0.15)


def test_an_uneven_load_costs_what_even_computing_gains(tmp_path: Path) -> None:
    run = simulated(tmp_path / "uneven", [1_000_000] * (RANKS - 1) + [3_000_000], ("barrier", "allreduce 64"))
    cost_s = cost_of("load-imbalance", run)
    made = what_if(run, "--balance", "perfect")
    assert 0.95 * made["least_gain_s"] <= cost_s <= 1.05 * (made["wall_s"] - made["what_if_s"])


@pytest.mark.parametrize(("alltoall", "nbytes"), [("lam", 100_000), ("lam", 20_000), ("lam", 50_000)])
def test_losses_cost_what_a_lossless_network_gains(alltoall: str, nbytes: int, tmp_path: Path) -> None:
    """The finding and the counterfactual are one figure; what came back on deep buffers lies between the two bounds."""
    kinds = (f"alltoall {nbytes}",)
    run, twin = (
        simulated(tmp_path / name, [1_000_000] * RANKS, kinds, buffer_bytes=buffer_bytes, alltoall=alltoall)
        for name, buffer_bytes in (("lossy", 65_536), ("deep", 0))
    )
    made = what_if(run, "--network", "lossless")
    gain_s = made["wall_s"] - made["what_if_s"]
    assert cost_of("congestion-loss", run) == pytest.approx(gain_s, rel=1e-3)
    gap_s = made["wall_s"] - float(account(load(twin)).ledger["wall_s"].mean())
    assert 0 < made["least_gain_s"] <= 1.02 * gap_s
    assert gap_s <= 1.02 * gain_s


def test_a_latency_leaves_bytes_and_stalls(tmp_path: Path) -> None:
    """Of a bulk transfer the network's latency is a small part, whatever it is."""
    run = simulated(tmp_path / "bulk", [1_000_000] * RANKS, ("sendrecv +1 8 -1 8", "sendrecv +1 4000000 -1 4000000"))
    made = what_if(run, "--latency", "1us")
    assert 0 < made["wall_s"] - made["what_if_s"] < 0.02 * made["wall_s"]


def test_without_losses_ranks_meet_on_the_cores_as_they_did(open_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    """They go on waiting for messages. On a perfect network all want a core at once."""
    script = "clearway-script 1\nranks 4\nsteps 20\nrank 0-3\ncompute 3000000\nallreduce 8\n"
    (tmp_path / "script").write_text(script)
    program = [clearway_tool("clearway-workload"), tmp_path / "script"]
    outcome = run_job(open_mpi, program, 4, run_directory=run_directory)
    assert outcome.exit_code == 0, outcome.says
    lossless, perfect = (what_if(run_directory, "--network", network) for network in ("lossless", "perfect"))
    recorded_s = seconds(lossless, "recorded_s")["core_wait_s"]
    for column in ("what_if_s", "sure_s"):
        assert seconds(lossless, column)["core_wait_s"] == pytest.approx(recorded_s)
    gains = perfect["least_gain_s"] > 1e-6  # else the cores may be too few for all at once, and all stays as it was
    assert not gains or seconds(perfect, "sure_s")["core_wait_s"] != pytest.approx(recorded_s)
    for column, wall_s in (
        ("what_if_s", perfect["what_if_s"]),
        ("sure_s", perfect["wall_s"] - perfect["least_gain_s"]),
    ):
        assert sum(seconds(perfect, column).values()) == pytest.approx(wall_s, abs=0.01 * wall_s), "lines add up"
    assert 0 <= perfect["least_gain_s"] <= perfect["wall_s"] - perfect["what_if_s"], "no change makes it longer"
    files = what_if(run_directory, "--files", "perfect")
    for column in ("what_if_s", "sure_s"):
        assert seconds(files, column) == pytest.approx(seconds(files, "recorded_s"), abs=0.001), (
            "there are next to none"
        )


def test_ranks_that_share_cores_go_on_waiting_for_other_programs(tmp_path: Path) -> None:
    """These do not go because a network is faster."""
    run = load(simulated(tmp_path / "run", [1_000_000] * RANKS))
    calls = job_calls(run, account(run))
    outside_s = calls.outside_s.copy()
    outside_s[:, CORE_WAIT] = 0.002
    calls = replace(calls, outside_s=outside_s)
    sharing = (Sharing(tuple(range(RANKS)), RANKS),)
    foreign, own = (
        changed(calls, Change(no_transfer=True, sharing=sharing, others=(part,) * RANKS)).outside_s[:, CORE_WAIT]
        for part in (1.0, 0.0)
    )
    assert foreign == pytest.approx(outside_s[:, CORE_WAIT])
    assert own == pytest.approx(0.0), "each has a core then"


def test_no_network_brings_back_a_rank_that_died(open_mpi: Mpi, programs: ProgramBuilder, run_directory: Path) -> None:
    """The others were in a call up to the end: that is neither computing, nor is it shorter on another network."""
    program = programs.build(open_mpi, "partner_dies", "partner_dies.c")
    run_job(open_mpi, [program], 3, run_directory=run_directory)
    perfect, files = (what_if(run_directory, *words) for words in (("--network", "perfect"), ("--files", "perfect")))
    recorded, now = (seconds(perfect, column) for column in ("recorded_s", "what_if_s"))
    in_mpi = ("mpi_wait_s", "mpi_transfer_s")
    assert sum(recorded[line] for line in in_mpi) > 0.5
    assert sum(now[line] for line in in_mpi) > 0.9 * sum(recorded[line] for line in in_mpi)
    assert now["compute_s"] == pytest.approx(recorded["compute_s"], abs=0.02)
    assert files["what_if_s"] == pytest.approx(files["wall_s"])
    case = open_case(load(run_directory))
    computing_s = float(job_calls(case.run, case.books).outside_s[:, COMPUTE].sum())
    assert computing_s < float(case.books.ledger["compute_s"].sum()) + 0.1


def foretold(wall_s: float, *lines: tuple[float, float]) -> str:
    """What a terminal shows of a job whose lines were, and would be, so long."""
    rows = tuple(Line(f"line{at}", f"line {at}", was_s, now_s, now_s) for at, (was_s, now_s) in enumerate(lines))
    gain_s = sum(was_s - now_s for was_s, now_s in lines)
    made = Answer(SCHEMA, "run", "made", 2, ("made",), wall_s, wall_s - gain_s, gain_s, rows, 1, 1.0, ())
    return "\n".join(text.plain for text in lines_of(made, Sheet(100, False, True)))


def test_a_line_that_cannot_be_known_is_said_as_a_bound() -> None:
    """Foretold lines below 2 % of the wall-clock were off by a third and more. One that stays is known."""
    said = foretold(10.0, (5.0, 0.07), (0.06, 0.06), (4.94, 4.94))
    assert re.search(r"line 0 +5.00 s +< 0.20 s +-4.93", said), said
    assert re.search(r"line 1 +0.06 s +0.06 s +0.00", said), said
    assert re.search(r"wall-clock +10.00 s +5.07 s +-4.93", said), said
    assert re.search(r"line 0 +30 ms +10 ms +-20", foretold(0.1, (0.03, 0.01), (0.07, 0.07))), "a short job in ms"
