"""benchmarks/grid: what is drawn, how a prediction is judged, and what the page holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from grid import page, results
from grid.draw import ALGORITHMS, BLOCK_BYTES, MPIS, NARROW, NARROW_SEEDS, WIDE, Scenario, draw, draws
from grid.results import Calls, Result, result_of
from grid.score import is_for_processor, judge, null_calls, timeouts_agree, wire_time_ns
from grid.simulate import AS_FAST, request_for, simulate_on, slowness_of
from harness.mpis import REPOSITORY
from harness.seeds import seeds, trying
from measured.circumstances import Circumstances

HERE = Circumstances("2026-11-25", "0123456789", "a processor", 2, "6.18")
DOCUMENT = REPOSITORY / "docs/grid-benchmark.md"


def scenario(**changed: object) -> Scenario:
    told = {
        "seed": 1,
        "number": 0,
        "mpi": "openmpi",
        "algorithm": "direct",
        "hosts": 4,
        "per_host": 1,
        "rate_mbit": 8,
        "buffer_kb": 20,
        "latency_us": 1000,
        "block_bytes": 1000,
    }
    return Scenario(**{**told, **changed})  # type: ignore[arg-type]


def test_draws_follow_from_their_seed_and_cover_all() -> None:
    for seed in seeds("grid-draws", 2):
        with trying("grid-draws", seed):
            check_draws(seed)


def check_draws(seed: int) -> None:
    few, many = list(draws(seed, 10)), list(draws(seed, 200))
    assert many[:10] == few
    assert many[3] == draw(seed, 3)
    assert {each.mpi for each in few} == set(MPIS)
    assert {each.algorithm for each in many} == set(ALGORITHMS)
    assert {each.hosts for each in many} == set(WIDE.hosts)
    assert {each.buffer_kb is None for each in many} == {True, False}
    for each in many:
        assert BLOCK_BYTES[0] <= each.block_bytes <= BLOCK_BYTES[1]
        assert each.ranks <= WIDE.most_ranks
        assert WIDE.rate_mbit[0] <= each.rate_mbit <= WIDE.rate_mbit[1]
        assert wire_time_ns(each) < 0.45e9


def test_seeds_that_were_measured_draw_what_they_drew_then() -> None:
    assert len(NARROW_SEEDS) == 3
    for seed in NARROW_SEEDS:
        for result in results.read(seed):
            assert draw(seed, result.scenario.number) == result.scenario
            assert result.scenario.rate_mbit <= NARROW.rate_mbit[1]


def test_what_is_simulated_is_what_was_drawn() -> None:
    """The same words go to `clearway bench --testbed` and, by way of a cluster, to the simulator."""
    words = request_for(scenario(mpi="mpich", per_host=2, buffer_kb=None), 7).arguments("direct", 1000)
    told = dict(zip(words[::2], words[1::2], strict=True))
    expected = {"hosts": 4, "ranks-per-host": 2, "rate-bps": 8_000_000, "buffer-bytes": 0, "seed": 7, "calls": 30}
    assert {name: int(told[f"--{name}"]) for name in expected} == expected
    assert int(told["--latency-ns"]) >= 500_000  # half of the way, on each of two links


def test_a_slower_processor_takes_longer_for_all_that_it_does() -> None:
    for slowness, message_ns, packet_ns in ((1.0, "4000", "3000"), (1.4, "5600", "4200")):
        words = request_for(scenario(mpi="mpich"), 1, slowness).arguments("direct", 1000)
        assert words[words.index("--message-ns") + 1] == message_ns
        assert words[words.index("--packet-ns") + 1] == packet_ns


def test_the_processors_pace_follows_from_the_jobs_without_limits_alone() -> None:
    """A third job that takes 1.5 times as long as simulated says so, whatever the other two took."""
    each = list(draws(1, 15))
    slow = simulate_on([one.unlimited for one in each], [1.5] * len(each))
    other = Calls((1,), 0, 0)
    results = [Result(one, HERE, (other, other), unlimited=third) for one, third in zip(each, slow, strict=True)]
    assert slowness_of(results) == pytest.approx(1.5, rel=0.1)
    assert slowness_of([Result(each[0], HERE, (other, other))]) == AS_FAST


def test_token_buckets_are_as_large_as_the_testbed_makes_them() -> None:
    """Two frames, and above 102 Mbit/s what passes in 250 µs."""
    for rate_mbit, burst_bytes in ((100, 3200), (200, 6250)):
        words = request_for(scenario(rate_mbit=rate_mbit), 1).arguments("direct", 1000)
        assert words[words.index("--burst-bytes") + 1] == str(burst_bytes)


def test_the_wire_alone() -> None:
    """Three blocks of 1,000 bytes at 1 MB/s, of which 1448/1514 is payload: 3.137 ms, and a millisecond to the next."""
    assert wire_time_ns(scenario()) == pytest.approx(3.1367e6, rel=1e-4)
    assert null_calls(scenario()).median_ns == pytest.approx(4.1367e6, rel=1e-4)
    assert wire_time_ns(scenario(per_host=2)) == pytest.approx(4 * wire_time_ns(scenario()))  # 2 ranks, 6 others each


def test_a_prediction_is_judged_by_medians_means_stalls_and_timeouts() -> None:
    real = Calls((10_000_000, 10_000_000, 220_000_000), 1, 3)
    same = judge(scenario(), real, real)
    assert (same.median, same.mean, same.stalled_apart, same.timeouts_agree) == (1.0, 1.0, 0.0, True)
    lossless = judge(scenario(), real, Calls((11_400_000,) * 3, 0, 0))
    assert lossless.median_close
    assert not lossless.mean_close
    assert lossless.stalled_apart == pytest.approx(1 / 3)
    assert not lossless.timeouts_agree


@pytest.mark.parametrize(
    ("real", "model", "agree"),
    [(0, 0.09, True), (0, 0.1, False), (2, 3, True), (2, 3.1, False), (3, 2, True), (0.2, 0.0, False)],
)
def test_timeouts_agree_within_a_factor(real: float, model: float, agree: bool) -> None:
    assert timeouts_agree(real, model) is agree


def test_the_processor_decides_where_calls_without_limits_take_half_of_the_wire() -> None:
    """Which needs 4.1367 ms. What was predicted, and how well, has no part in it."""
    job = Calls((9_000_000,), 0, 0)
    for unlimited_ns, decides in ((2_068_000, False), (2_069_000, True)):
        result = Result(scenario(), HERE, (job, job), unlimited=Calls((unlimited_ns,) * 3, 0, 0))
        assert is_for_processor(result) is decides
    assert is_for_processor(Result(scenario(), HERE, (job, job))) is None


def test_results_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    kept = Result(scenario(), HERE, (Calls((1, 2), 0, 0), Calls((3,), 1, 2)))
    results.add(kept)
    results.add(Result(scenario(number=1), HERE, failed="no such MPI"))
    with_third = Result(scenario(number=2), HERE, (Calls((1,), 0, 0),), unlimited=Calls((2,), 0, 0))
    results.add(with_third)
    (tmp_path / "seed-1.jsonl").open("a").write('{"scenario": unfinished')
    assert list(results.read(1)) == [kept, Result(scenario(number=1), HERE, failed="no such MPI"), with_third]
    assert kept.calls == Calls((1, 2, 3), 1, 2)


def test_the_page_counts_each_half_by_itself() -> None:
    """Of two scenarios one is right; the wire alone has none of them, and the second job both."""
    real = Calls((10_000_000,) * 4, 0, 0)
    pairs = ((real, real), (real, Calls((20_000_000,) * 4, 0, 0)))
    each = [
        page.Judged(Result(scenario(number=number), HERE, (real, real)), model, judge(scenario(), measured, model))
        for number, (measured, model) in enumerate(pairs)
    ]
    told = "\n".join(page.totals(each))
    assert "| **the simulator** | 1 of 2 (50%) | 1 of 2 (50%) | 2 of 2 (100%) | 2 of 2 (100%) |" in told
    assert "| the wire alone | 0 of 2 (0%) | 0 of 2 (0%) | 2 of 2 (100%) | 2 of 2 (100%) |" in told
    assert "| the first job as a prediction of the second | 2 of 2 (100%) |" in told
    assert "**2.00**" in page.row(each[1])
    assert "decides" not in told


def test_the_page_counts_by_what_decides_and_leaves_none_out() -> None:
    real = Calls((10_000_000,) * 4, 0, 0)
    each = [
        page.Judged(
            Result(scenario(), HERE, (real, real), unlimited=Calls((ns,), 0, 0)), real, judge(scenario(), real, real)
        )
        for ns in (1_000_000, 9_000_000, 9_000_000)
    ]
    told = "\n".join(page.totals(each))
    assert "| **the simulator** | 3 of 3" in told
    assert "| – where the network decides | 1 of 1" in told
    assert "| – where the processor decides | 2 of 2" in told


def test_the_page_tells_the_ranges_of_each_half() -> None:
    assert page.drawn_from([1, 228420]) == "Drawn were 2 to 8 hosts with at most 10 ranks, links of 5 to 40 Mbit/s."
    assert page.drawn_from([2]) == "Drawn were 2 to 12 hosts with at most 24 ranks, links of 5 to 200 Mbit/s."


def test_the_page_is_of_the_results_that_are_kept() -> None:
    """Each scenario that was measured is a row; held-out ones stand first. Where there are none, the page says so."""
    text = DOCUMENT.read_text(encoding="utf-8")
    if "**Nothing is held out at present.**" not in text:
        assert text.index("## Held out") < text.index("## Open")
    for file in results.RESULTS.glob("seed-*.jsonl"):
        for line in file.read_text().splitlines():
            result = result_of(json.loads(line))
            if not result.failed:
                real = result.calls
                assert f"| {result.scenario.block_bytes:,} | {real.median_ns * 1e-6:.2f} |" in text
