#!/usr/bin/env python3
"""Whether two builds of clearway-simulate give the same bytes for random scenarios, jobs among them: for changes that
are to make it smaller or faster, and nothing else.

    python benchmarks/simulator/same_answers.py OLD NEW --scenarios 400 --seed 1
    python benchmarks/simulator/same_answers.py OLD NEW --without card_queue_bytes     whose answers are to differ

Losses, marks, pacing, shared buffers and cores, flow control and all topologies are drawn. What one of the builds
refuses, the other must refuse with the same words.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

LIMIT_S = 60
ALGORITHMS = ("lam", "direct", "ordered", "pairwise", "bruck", "port_pairs", "node_ordered")
GATES = ("", "", "+barrier", "+token:12000", "+token:12000,chunk:8000")
LINES = (
    "irecv -1 {} tag 5\nisend +1 {} tag 5\ncompute 300000\nwaitall",
    "sendrecv +1 {} -1 {}",
    "alltoall {}",
    "allreduce {}",
    "bcast 1 {}",
    "reduce 0 {}",
    "allgather {}",
    "barrier",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--scenarios", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without", default="", metavar="NAME,NAME,...", help="options that are left out")
    arguments = parser.parse_args()
    differ = refused = late = 0
    for number in range(arguments.scenarios):
        chance = random.Random(f"{arguments.seed} {number}")
        words = scenario(chance, arguments.without.split(","))
        script = job(chance) if number % 3 == 2 else ""
        old, new = (answer(program.resolve(), words, script) for program in (arguments.old, arguments.new))
        refused += old is not None and not old.startswith(b"0")
        late += old is None or new is None
        if old is not None and new is not None and old != new:
            differ += 1
            print(f"{number}: {' '.join(words)}\n{script}", flush=True)
    print(f"{arguments.scenarios} scenarios: {differ} differ, {refused} are refused, {late} took too long")
    return 1 if differ else 0


def scenario(chance: random.Random, without: Sequence[str]) -> list[str]:
    hosts, rate = chance.randint(2, 12), int(10 ** chance.uniform(6.5, 10))
    told: dict[str, object] = {
        "hosts": hosts,
        "ranks_per_host": chance.choice((1, 1, 2)),
        "bytes": int(2 ** chance.uniform(5, 18)),
        "calls": chance.randint(1, 12),
        "candidate": chance.choice(ALGORITHMS) + chance.choice(GATES),
        "rate_bps": rate,
        "latency_ns": int(10 ** chance.uniform(3, 7)),
        "buffer_bytes": chance.choice((0, int(2 ** chance.uniform(12, 18)))),
        "seed": chance.randint(1, 1000),
        **dict(some_of(chance)),
    }
    kept = {name: value for name, value in told.items() if name not in without}
    return [word for name, value in kept.items() for word in (f"--{name.replace('_', '-')}", str(value))]


def some_of(chance: random.Random) -> Iterator[tuple[str, object]]:
    choices: dict[str, tuple[object, ...]] = {
        "pause_ns": (1_000_000, 300_000_000, 2_000_000_000),
        "meeting": ("dissemination", "doubling", "linear"),
        "gather_first": (1,),
        "burst_bytes": (3200,),
        "mark_bytes": (10_000, 30_000),
        "initial_window": (2, 4, 16),
        "send_buffer_bytes": (20_000,),
        "receive_buffer_bytes": (20_000,),
        "least_timeout_ns": (50_000_000,),
        "tick_ns": (0, 10_000_000),
        "ack_segments": (1, 2),
        "quick_acks": (0,),
        "card_queue_bytes": (9000,),
        "pace_bytes_per_s": (500_000,),
        "restart_after_idle": (0,),
        "probe_tails": (0,),
        "hystart": (0,),
        "ecn": (1,),
        "eager_bytes": (1000, 1 << 30),
        "message_ns": (10_000,),
        "kilobyte_ns": (1000,),
        "skew_ns": (500_000,),
        "noise_period_ns": (10_000_000,),
        "noise_detour_ns": (1_000_000,),
        "wakeup_ns": (100_000,),
        "shared_cores": (2,),
        "congestion": ("reno", "dctcp"),
        "timeout_rule": ("rfc6298",),
    }
    for name, values in choices.items():
        if chance.random() < 0.2:
            yield name, chance.choice(values)
    kind = chance.random()
    if kind < 0.1:
        yield from (("shared_bytes", 60_000), ("shared_percent", chance.choice((50, 100))))
    elif kind < 0.2:
        yield from (("leaf_hosts", 4), ("spines", 2))
    elif kind < 0.3:
        yield "fat_tree_ports", 4
    elif kind < 0.4:
        yield "flow_control", chance.choice(("pause", "pfc"))
    elif kind < 0.5:
        yield "cut_through", 1


def job(chance: random.Random) -> str:
    ranks = chance.randint(2, 8)
    lines = ["clearway-script 1", "title made", f"ranks {ranks}", f"steps {chance.randint(1, 8)}"]
    for rank in range(ranks):
        lines += [f"rank {rank}", f"compute {chance.randrange(10_000, 3_000_000)}"]
    lines.append(f"rank 0-{ranks - 1}")
    for line in chance.choices(LINES, k=chance.randint(1, 5)):
        lines.append(line.replace("{}", str(int(2 ** chance.uniform(3, 18)))))
    return "\n".join(lines) + "\n"


def answer(program: Path, words: list[str], script: str) -> bytes | None:
    """Exit code, what it prints, and the Run that it writes. None if it takes too long."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        command = [str(program), *words]
        if script:
            (folder / "script").write_text(script)
            unknown = {"--candidate", "--bytes", "--calls", "--pause-ns", "--meeting", "--gather-first"}
            pairs = zip(words[::2], words[1::2], strict=True)
            command = [str(program), *(word for pair in pairs if pair[0] not in unknown for word in pair)]
            command += ["--script", "script", "--run", "run"]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            return None
        files = sorted(path for path in (folder / "run").rglob("*") if path.is_file())
        kept = b"".join(str(path.name).encode() + path.read_bytes() for path in files)
        return str(done.returncode).encode() + done.stdout + done.stderr + kept


if __name__ == "__main__":
    sys.exit(main())
