"""`clearway predict`: what it computes, writes and refuses; and the C++ tests of the simulator."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import jsonschema
import pytest
from harness.command_line import run_clearway
from harness.cpp import run_cpp_tests
from harness.mpis import REPOSITORY, clearway_tool
from harness.outcome import Outcome
from harness.runs import descendants, kill_all, run_command

from clearway.base.json import plain
from clearway.base.schema import schema_of
from clearway.cluster import Stack
from clearway.cluster.ready import ready_text
from clearway.predict.collectives.prediction import SCHEMA, Prediction
from clearway.testbed.kernel import name_of

SCHEMA_FILE = REPOSITORY / "docs/json-schema/clearway-predict-2.json"
SMALL = ("alltoall", "--hosts", "6", "--sizes", "2Ki,64Ki", "--calls", "3")


def predict(*arguments: str | Path, cache: Path | None = None) -> Outcome:
    """Each time anew, or with answers in the folder `cache`."""
    keep = ["--no-cache"] if cache is None else []
    home = {} if cache is None else {"XDG_CACHE_HOME": str(cache)}
    return run_clearway("predict", *arguments, *keep, environment=home)


def predicted(*arguments: str | Path) -> dict[str, Any]:
    """The JSON of a prediction that must succeed."""
    outcome = predict(*arguments, "--quiet", "--json", "-")
    assert outcome.exit_code == 0, outcome.says
    prediction: dict[str, Any] = json.loads(outcome.stdout)
    jsonschema.validate(prediction, schema_of(Prediction, SCHEMA))
    return prediction


@pytest.mark.timeout(900)
def test_cpp() -> None:
    run_cpp_tests("simulator_test", "simulator")


def test_the_schema_in_the_documentation_is_this_one() -> None:
    assert json.loads(SCHEMA_FILE.read_text()) == schema_of(Prediction, SCHEMA)


def test_the_schema_says_what_each_figure_is() -> None:
    """In comments, in the texts below fields, and in the dataclasses of another room."""
    schema = schema_of(Prediction, SCHEMA)
    told = {"": schema, **schema["$defs"]}
    untold = [f"{of}.{name}" for of in told for name, it in told[of]["properties"].items() if "description" not in it]
    assert untold == [".schema"]
    assert told["Stack"]["properties"]["tick_ns"]["description"] == "Tick of the kernel's timers: CONFIG_HZ=250."


def test_the_schema_takes_all_fields_and_no_others() -> None:
    """Stack's have defaults, and are written all the same."""
    stack = schema_of(Prediction, SCHEMA)["$defs"]["Stack"]
    whole = plain(Stack())
    assert isinstance(whole, dict)
    jsonschema.validate(whole, stack)
    for wrong in ({**whole, "more": 1}, {**whole, "tick_ns": "4ms"}, dict(list(whole.items())[1:])):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, stack)


def test_the_same_seed_gives_the_same_bytes() -> None:
    first, again, other = (predict(*SMALL, "--quiet", "--json", "-", "--seed", seed).stdout for seed in ("1", "1", "2"))
    assert first == again
    assert json.loads(first)["points"] != json.loads(other)["points"]


def test_answers_are_kept_and_found_again(tmp_path: Path) -> None:
    """By what they depend on; what is broken is simulated anew."""
    asked = (*SMALL, "--algorithms", "ordered", "--quiet", "--json", "-")

    def written() -> dict[Path, int]:
        """An answer that was found is not written again."""
        return {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.json")}

    first = predict(*asked, cache=tmp_path).stdout
    kept = written()
    assert len(kept) == 2
    assert predict(*asked, cache=tmp_path).stdout == first == predict(*asked).stdout
    assert written() == kept
    predict(*asked, "--seed", "2", cache=tmp_path)
    assert len(written()) == 4
    damages: list[Callable[[str], str]] = [
        lambda text: text[:20],
        lambda text: text.replace('"drops": 0', '"drops": 4711'),
        lambda text: "[]",
        lambda text: text.replace('"answer": {', '"answer": [{') + "]",
    ]
    for damage in damages:
        for file in kept:
            file.write_text(damage(file.read_text()))
        assert predict(*asked, cache=tmp_path).stdout == first


def test_picture_and_page(tmp_path: Path) -> None:
    picture, page = tmp_path / "p.svg", tmp_path / "p.html"
    outcome = predict(*SMALL, "--algorithms", "ordered,lam", "--plot", picture, "--html", page)
    assert outcome.exit_code == 0, outcome.says
    for text in (picture.read_text(), page.read_text()):
        assert "predicted" in text
        assert "molecular dynamics" in text
        assert "ordered" in text
    assert "of the wire" in page.read_text()


def test_figures_follow_from_the_calls() -> None:
    prediction = predicted(*SMALL, "--algorithms", "ordered,lam")
    assert [(point["candidate"], point["block_bytes"]) for point in prediction["points"]] == [
        ("ordered", 2048),
        ("ordered", 65536),
        ("lam", 2048),
        ("lam", 65536),
    ]
    for point in prediction["points"]:
        assert len(point["calls_ns"]) == 3
        moved = 3 * 5 * point["block_bytes"]
        assert point["mean_bytes_per_s"] == pytest.approx(moved / (sum(point["calls_ns"]) * 1e-9))
        assert point["share_of_limit"] == pytest.approx(point["mean_bytes_per_s"] / prediction["limit_bytes_per_s"])


def test_the_collapse_and_what_cures_it() -> None:
    """Kutzner et al. 2007: all ranks write to the same receiver first, and each loss costs a timeout."""
    arguments = ("alltoall", "--hosts", "8", "--sizes", "64Ki", "--algorithms", "lam,ordered+barrier", "--old-tcp")
    lam, ordered = predicted(*arguments)["points"]
    assert lam["timeouts"] > 0
    assert lam["drops"] > 0
    assert ordered["timeouts"] == ordered["drops"] == 0
    assert ordered["mean_bytes_per_s"] > 10 * lam["mean_bytes_per_s"]
    (deep,) = predicted(*arguments[:-3], "--algorithms", "lam", "--buffer", "deep")["points"]
    assert deep["drops"] == deep["timeouts"] == 0


def test_leave_for_each_chunk_and_pacing_keep_ports_from_overflowing() -> None:
    """As written for `clearway bench`. Seven ranks that send at an eighth of the rate each cannot overrun a port."""
    asked = ("alltoall", "--hosts", "8", "--sizes", "64Ki", "--calls", "3", "--buffer", "40k")
    names = "lam,chunk:8000|lam,chunk:8000,pace:15000000|ordered|ordered+credits:8000"
    flood, paced, ordered, asking = (predicted(*asked, "--algorithms", name)["points"][0] for name in names.split("|"))
    assert flood["drops"] > 0
    assert paced["timeouts"] == asking["drops"] == 0
    assert paced["mean_bytes_per_s"] > 2 * flood["mean_bytes_per_s"]
    assert paced["mean_bytes_per_s"] == pytest.approx(15_000_000, rel=0.05)
    assert asking["mean_bytes_per_s"] < ordered["mean_bytes_per_s"], "each chunk waits for a round trip"


def test_hosts_spread_over_sub_switches_fare_better_than_in_a_row() -> None:
    """The same 32 hosts on four parts of a switch whose uplinks carry less than the ports of a full part send."""
    arguments = ("alltoall", "--hosts", "32", "--sizes", "43296", "--calls", "3", "--algorithms", "ordered+barrier")
    (in_a_row,) = predicted(*arguments, "--sub-switches", "12,12,8")["points"]
    (spread,) = predicted(*arguments, "--sub-switches", "9,9,9,5")["points"]
    assert spread["drops"] < in_a_row["drops"]
    assert spread["mean_bytes_per_s"] > in_a_row["mean_bytes_per_s"]


def test_a_cable_and_a_shared_buffer() -> None:
    """Nothing collides on a cable; a pool that all ports share takes a burst that one port's part of it cannot."""
    (cable,) = predicted("alltoall", "--cable", "--sizes", "256Ki", "--algorithms", "lam", "--calls", "3")["points"]
    assert cable["drops"] == 0
    assert cable["share_of_limit"] > 0.8
    burst = ("alltoall", "--sizes", "8Ki", "--algorithms", "lam", "--calls", "3")
    (own_buffers,) = predicted(*burst, "--buffer", "16k")["points"]
    (shared,) = predicted(*burst, "--shared-buffer", "1m")["points"]
    assert own_buffers["drops"] > shared["drops"] == 0


def test_a_ready_cluster_and_the_same_one_from_a_file(tmp_path: Path) -> None:
    """Hosts keep the part of the switch that their port is on; options change what the file says."""
    few = ("alltoall", "--sizes", "1Ki", "--calls", "1", "--algorithms", "ordered", "--hosts", "12")
    named = predicted(*few, "--cluster", "procurve2848")
    (tmp_path / "mine.toml").write_text(ready_text("procurve2848"))
    assert predicted(*few, "--cluster", tmp_path / "mine.toml") == named
    switch = named["request"]["network"]["switch"]
    assert [part["ports"] for part in switch["sub_switches"]] == [[*range(1, 10)], [10, 11, 12]]
    changed = predicted(*few, "--cluster", "procurve2848", "--rate", "100mbit", "--buffer", "deep")
    assert changed["request"]["network"]["rate_bps"] == 100_000_000
    assert changed["request"]["network"]["switch"] == {**switch, "buffer_bytes": None}
    assert changed["request"]["stack"] == named["request"]["stack"]


def test_a_testbed_is_as_its_parts_are() -> None:
    """The ready cluster, and the same from options: token buckets, small queues, cores that all ranks share."""
    few = ("alltoall", "--hosts", "4", "--sizes", "16Ki", "--calls", "3", "--algorithms", "ordered")
    named = predicted(*few, "--cluster", "testbed")
    shape = ("--rate", "20mbit", "--buffer", "20k", "--burst", "3200", "--latency-us", "10", "--eager", "65000")
    of_mpi = ("header=22", "message=12us", "kilobyte=500ns", "wakeup=20us", "shared_cores=2", "looks_twice=true")
    of_cores = ("packet=3us", "timer=7us", "wake=10us", "switch=8us", "poll=6500ns", "patience=115us")
    keys = ("tcp.card_queue=9000", *(f"mpi.{key}" for key in (*of_mpi, *of_cores)))
    told = predicted(*few, *shape, "--skew-us", "500", *(word for key in keys for word in ("--set", key)))
    assert told["points"] == named["points"]
    sets = ("tcp.card_queue=0", "mpi.shared_cores=1", "mpi.wakeup=0ns", "mpi.looks_twice=false", "mpi.patience=1us")
    for part in ("--burst 1600", *(f"--set {key}" for key in sets)):
        assert predicted(*few, "--cluster", "testbed", *part.split())["points"] != named["points"], part
    outcome = predict(*few, "--cluster", "testbed", "--quiet")
    assert "token buckets of 3.2 kB" in outcome.stdout
    assert "all ranks on 2 cores" in outcome.stdout


def as_measured(testbed: str, size: str, algorithm: str, mpi: str) -> dict[str, Any]:
    """What `clearway bench --testbed` would measure, of one algorithm at one size."""
    words = ("--testbed", f"{testbed} --mpi {mpi}", "--sizes", size, "--algorithms", algorithm, "--calls", "5")
    (point,) = predicted("alltoall", *words)["points"]
    assert len(point["calls_ns"]) == 5
    return dict(point)


def test_each_mpi_has_its_manners_on_a_testbed() -> None:
    """As was measured (docs/simulator-mpis.md, "Five MPIs"): who waits for receives, and who leaves a barrier first."""
    share = {
        (mpi, size): as_measured("--hosts 4 --buffer deep", size, "pairwise", mpi)["share_of_limit"]
        for mpi in ("openmpi", "openmpi5", "mpich", "mpich5", "impi")
        for size in ("16Ki", "32Ki", "128Ki")
    }
    takes_turns = {each for each, part in share.items() if part < 0.7}  # about half, in place of all of the wire
    assert takes_turns == {("mpich", "32Ki"), *((mpi, "128Ki") for mpi in ("openmpi", "openmpi5", "mpich"))}
    assert all(part > 0.75 for each, part in share.items() if each not in takes_turns)
    latencies = {
        (mpi, hosts): median(
            as_measured(f"--hosts {hosts} --buffer deep --latency-us 10000", "64", "direct", mpi)["calls_ns"]
        )
        / 1e7
        for mpi in ("openmpi", "mpich")
        for hosts in (2, 4, 8)
    }
    twice = {each for each, of in latencies.items() if of > 1.9}
    assert twice == {("openmpi", 2), ("openmpi", 4), ("mpich", 2)}
    impi = as_measured("--hosts 7 --buffer deep --latency-us 10000", "64", "direct", "impi")["calls_ns"]
    assert median(impi) > 2.9e7  # of the ranks that are left over some leave two latencies after others


def test_ranks_that_begin_apart_stay_apart() -> None:
    """As was measured: 246 ms. If all began each call together, the wire's 122 ms and three round trips would do."""
    testbed = "--hosts 8 --rate 12mbit --buffer deep --latency-us 6629"
    assert median(as_measured(testbed, "26189", "direct", "mpich")["calls_ns"]) > 2e8


def median_on_testbed_ns(testbed: str, size: str, algorithm: str, mpi: str) -> float:
    return float(median(as_measured(testbed, size, algorithm, mpi)["calls_ns"]))


def test_the_cores_that_all_ranks_of_a_testbed_share_take_their_time() -> None:
    """Short messages to all on 12 hosts without limits: measured alone on two cores 0.9 ms under MPICH and 2.1 under
    Open MPI, and up to half as much again beside other work. Long cables are one program's work: on an AMD EPYC 116 ms
    were measured where calls took 83 without them.
    """
    unlimited = "--hosts 12 --rate 100gbit --buffer deep"
    mpich, openmpi = (median_on_testbed_ns(unlimited, "64", "direct", mpi) for mpi in ("mpich", "openmpi"))
    assert 0.9e6 < mpich < 0.6 * openmpi < 0.6 * 1.5 * 2.1e6
    limited = "--hosts 12 --rate 200mbit --buffer deep"
    short = median_on_testbed_ns(limited, "64Ki", "ordered", "mpich5")
    long = median_on_testbed_ns(f"{limited} --latency-us 400", "64Ki", "ordered", "mpich5")
    assert long > 1.3 * short


def test_the_table_tells_what_was_lost() -> None:
    outcome = predict(*SMALL, "--algorithms", "lam", "--old-tcp")
    assert outcome.exit_code == 0, outcome.says
    assert "TCP timeouts" in outcome.stdout
    assert "64.0 KiB" in outcome.stdout
    assert "clearway: 2 of 2: " in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        (("--hosts", "0"), "--hosts, --per-host and --rto-min-ms must be at least 1", "--hosts 8"),
        (("--calls", "0"), "--calls must be at least 1", "--calls 25"),
        (("--skew-us", "-1"), "times cannot be negative", "--latency-us"),
        (("--cluster", "procurve2484"), "there is no ready cluster 'procurve2484'", "did you mean procurve2848"),
        (("--cluster", "absent.toml"), "cannot read the cluster in 'absent.toml'", "--cluster FILE"),
        (("--cluster", "procurve2848", "--hosts", "33"), "the cluster has 32 hosts, not 33", "--hosts 32"),
        (("--rate", "fast"), "'fast' is not a rate of a link", "20mbit"),
        (("--buffer", "some"), "'some' is not a size in bytes", "64k"),
        (("--algorithms", "own"), "'own' is not an algorithm of Clearway's", "clearway schedule list"),
        (("--algorithms", "ring"), "ring cannot do alltoall", "clearway schedule list"),
        (("--sub-switches", "3,4"), "sub-switches for 7 hosts do not fit 8", "--hosts 7"),
        (("--sub-switches", "3,x"), "'3,x' is not a list of numbers of hosts", "9,9,9,5"),
        (("--plot", "x.gif"), "'x.gif' does not end in .png", "give a name such as sweep.svg"),
        (("--seed", "-1"), "the seed cannot be negative", "--seed 1"),
        (
            ("--testbed", "--hosts 4", "--rate", "1gbit"),
            "--rate and --testbed exclude each other",
            'put all of it into --testbed "…"',
        ),
        (
            ("--testbed", "--hosts 4 --mpi lam"),
            "clearway predict --testbed: argument --mpi: invalid choice: 'lam'",
            "--help",
        ),
        (("--pause-ms", "-1"), "times cannot be negative", "--pause-ms 1"),
        (("--ranks", "4"), "--ranks is only for jobs", "--help"),
        (("--set", "mpi.message"), "--set mpi.message is not KEY=VALUE", "--set mpi.kilobyte=150ns"),
        (("--set", "mpi.wakup=1us"), "--set: mpi.wakup is not a known key", "wakeup"),
        (("--set", "mpi.wakeup=soon"), "--set: mpi.wakeup is wrong: 'soon' is not a time", "25us"),
    ],
)
def test_bad_input(arguments: tuple[str, ...], said: str, hint: str) -> None:
    outcome = predict("alltoall", "--sizes", "1Ki", *arguments)
    assert outcome.exit_code != 0
    assert outcome.stdout == ""
    assert outcome.stderr.startswith(f"error: {said}"), outcome.says
    assert hint in outcome.stderr.partition("\nhint: ")[2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--hosts"], "error: --hosts needs a value\n"),
        (["--hosts", "x"], "error: 'x' is not a valid value for --hosts\n"),
        (["--colour", "1"], "error: unknown option '--colour'\n"),
        (["--crossover", "1"], "error: a cable needs exactly two hosts\n"),
        (["--meeting", "tree"], "error: the barrier must be dissemination, doubling, linear or none\n"),
        (["--operation", "alltoallv"], "error: 'alltoallv' cannot be simulated"),
        (["--delayed-ack-ns", "200000000"], "error: acknowledgements must be delayed for less"),
    ],
)
def test_the_program_refuses(arguments: list[str], said: str) -> None:
    outcome = run_command([clearway_tool("clearway-simulate"), *arguments], {})
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith(said), outcome.says


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_command_alone_ends_its_simulations(number: signal.Signals) -> None:
    """From a terminal they would get Ctrl-C themselves."""
    words = ["predict", "alltoall", "--hosts", "64", "--sizes", "1Mi", "--calls", "10000", "--no-cache", "-q"]
    asked = subprocess.Popen([clearway_tool("clearway"), *words], start_new_session=True, text=True)
    try:
        simulations = until(lambda: [one for one in descendants(asked.pid) if name_of(one) == "clearway-simula"])
        os.kill(asked.pid, number)
        assert asked.wait(60) == 128 + number
        assert not any(name_of(one) == "clearway-simula" for one in simulations)
    finally:
        kill_all(asked)


def until(found: Callable[[], list[int]]) -> list[int]:
    end = time.monotonic() + 60
    while not (there := found()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return there
