"""Runs a draw: the job with its faults, or without, recorded as a person would."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from diagnosis.jobs import ONE_THREAD, JobFailedError
from diagnosis.others import witness
from diagnosis.real_engines import ENGINES

from causes import others
from causes.building import FOLDER, PRELOAD, build_shim, build_skeleton
from causes.draw import LINK_BPS, REAL, Draw, Planted
from causes.truth import Truth, read_rank, steps_done, truth_of
from clearway.testbed import DEEP, Shape, Testbed, find_mpi
from clearway.testbed.fault import Fault
from clearway.testbed.job import Ended, run_job
from clearway.testbed.kernel import run_batch
from clearway.testbed.layout import HEAD
from clearway.testbed.plan import drop_line

LIMIT_S = 20.0  # of a job that ends by itself
HANGS_S = 6.0  # after which a job is killed whose fault is fatal
TRIES = 2  # MPICH 4.0 over UCX hangs in MPI_Finalize now and then
HOSTS_BPS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Ran:
    run: Path  # the Run directory
    truth: Truth
    others_cores: float | None
    elapsed_s: float  # of the whole command, with what a tool does before and after the job


@dataclass(frozen=True, slots=True)
class Tool:
    """What a job on this machine runs under instead of `clearway run`."""

    before: tuple[str, ...] = ()  # words before the launcher
    skeleton: Path | None = None  # where the tool needs one of its own


def run(draw: Draw, faults: Sequence[Planted], folder: Path, tool: Tool | None = None) -> Ran:
    """With those of its faults; with none of them it is the twin."""
    fatal = draw.fatal and bool(faults)
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        begin_s = time.monotonic()
        ended, others_cores = _run_once(draw, faults, folder, HANGS_S if fatal else LIMIT_S, tool)
        if fatal or not ended.timed_out:
            break
    (folder / "stdout").write_text(ended.stdout[-4000:])
    (folder / "stderr").write_text(ended.stderr[-4000:])
    if ended.timed_out != fatal or (not fatal and ended.returncode != 0):
        what = f"was killed after {LIMIT_S:.0f} s" if ended.timed_out else f"ended with {ended.returncode}"
        raise JobFailedError(f"{what}: {(ended.stderr or ended.stdout)[-300:].strip()}")
    truths = [read_rank(folder / f"truth.{rank}") for rank in range(draw.ranks)]
    return Ran(folder / "run", truth_of(truths, begin_s + HANGS_S if fatal else None), others_cores, ended.wall_s)


def _run_once(
    draw: Draw, faults: Sequence[Planted], folder: Path, limit_s: float, tool: Tool | None
) -> tuple[Ended, float | None]:
    with contextlib.ExitStack() as stack:
        testbed = stack.enter_context(Testbed(_shape(draw, faults))) if draw.hosts else None
        objects = [stack.enter_context(_around(draw, fault, fault in faults, folder, testbed)) for fault in draw.faults]
        words = _words(draw, faults, objects, folder)
        if tool is not None and tool.skeleton is not None:
            words[0] = str(tool.skeleton)
        if draw.family in REAL:
            shutil.copytree(_prepared(draw.family), folder, dirs_exist_ok=True)
        before, command, environment = _command(draw, words, testbed)
        clearway = (sys.executable, "-m", "clearway", "run", "-q", "-o", str(folder / "run"), "--")
        with contextlib.chdir(folder), witness() as seen:
            kill_rest = testbed.kill_all if testbed else _nothing
            whole = [*seen.inside, *before, *(clearway if tool is None else tool.before), *command]
            ended = run_job(whole, environment, limit_s, passes_output=False, kill_rest=kill_rest)
        return ended, seen.others_cores


@functools.cache
def _prepared(engine: str) -> Path:
    """Its input files, made once."""
    place = FOLDER / "engines" / engine
    if not (place / "done").exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        ENGINES[engine].prepare(place)
        (place / "done").touch()
    return place


def _nothing() -> None:
    pass


def _command(draw: Draw, words: list[str], testbed: Testbed | None) -> tuple[list[str], list[str], Mapping[str, str]]:
    """What comes before clearway, what comes after it, and the environment."""
    found = find_mpi(draw.mpi)
    planted = {"CAUSES_PLANT": "\n".join(words[1:])} if draw.family in REAL else {}
    if testbed is None:
        if draw.family in REAL:
            words = [str(PRELOAD), str(build_shim(draw.mpi)), *ENGINES[draw.family].program]
        oversubscribe = ["--oversubscribe"] if draw.mpi == "openmpi" and draw.ranks > (os.cpu_count() or 1) else []
        # Two threads need both cores; otherwise each MPI places its ranks as it does by itself.
        unbound = ["--bind-to", "none"] if draw.threads > 1 else []
        command = [str(found.launcher), *oversubscribe, *unbound, "-np", str(draw.ranks), *words]
        return [], command, {**os.environ, **found.environment, **ONE_THREAD, **planted}
    # Between hosts Debian's Open MPI 4.1 cannot make a window over what it takes by itself (MPI_ERR_WIN, bare as well).
    one_sided = {"OMPI_MCA_osc": "pt2pt"} if draw.mpi == "openmpi" else {}
    command, environment = testbed.command(found, words, draw.per_host, {**ONE_THREAD, **one_sided})
    head = testbed.on_host(HEAD, [])
    return head, command[len(head) :], environment


def _words(draw: Draw, faults: Sequence[Planted], objects: Sequence[str], folder: Path) -> list[str]:
    """The skeleton's command line. The twin knows the faults, too: it does the same work without them."""
    return [
        str(build_skeleton(draw.mpi)),
        f"family={draw.family}",
        f"steps={draw.steps}",
        f"compute={draw.compute_s}",
        f"bytes={draw.bytes}",
        f"threads={draw.threads}",
        f"truth={folder / 'truth'}",
        *(
            f"fault={fault.kind},amount={fault.amount_s},grain={fault.grain},first={fault.first},last={fault.last},"
            f"from={fault.begin},every={fault.every},sound={int(fault not in faults)},object={made}"
            for fault, made in zip(draw.faults, objects, strict=True)
        ),
    ]


def _shape(draw: Draw, faults: Sequence[Planted]) -> Shape:
    if not draw.in_network:
        return Shape(hosts=draw.hosts, rate_bps=HOSTS_BPS, buffer_bytes=DEEP)
    sound = Shape(hosts=draw.hosts, rate_bps=LINK_BPS, buffer_bytes=DEEP)
    return functools.reduce(_with, faults, sound)


def _with(shape: Shape, fault: Planted) -> Shape:
    node = fault.first + 1
    if fault.kind == "small-buffer":
        return replace(shape, buffer_bytes=int(fault.strength))
    if fault.kind == "random-loss":
        return replace(shape, faults=(Fault(node=node, loss=fault.strength),))
    if fault.kind == "slow-link":
        return replace(shape, faults=(Fault(node=node, rate_bps=int(LINK_BPS / fault.strength)),))
    if fault.kind == "one-way-rate":
        return replace(shape, faults=(Fault(node=node, rate_to_bps=int(LINK_BPS / fault.strength)),))
    if fault.kind == "far-host":
        return replace(shape, faults=(Fault(node=node, latency_us=round(1e6 * fault.strength)),))
    return shape


@contextlib.contextmanager
def _around(draw: Draw, fault: Planted, faulty: bool, folder: Path, testbed: Testbed | None) -> Iterator[str]:
    """Who else takes part in this fault; yields its object: a file, or a port."""

    def begun() -> bool:
        return steps_done(folder / "truth") >= max(fault.begin, 1)

    path = folder / fault.kind
    with contextlib.ExitStack() as stack:
        made = str(path)
        if fault.kind == "lock":
            stack.enter_context(others.held_lock(path, 2 * fault.grain))  # who comes at any moment waits for half of it
        elif fault.kind == "slow-service":
            made = str(stack.enter_context(others.late_service()))
        elif fault.kind == "slow-pipe":
            stack.enter_context(others.slow_reader(path, fault.grain))
        elif fault.kind in ("fsync", "slow-file"):
            limit = "write_iops" if fault.kind == "fsync" else "read_bps"
            place = folder / f"{fault.kind}-disk"
            place.mkdir()
            files = fault.kind == "slow-file"
            made = str(stack.enter_context(others.limited_disk(place, limit, fault.grain, draw.ranks, files)))
        elif fault.kind == "foreign-load" and faulty:
            # While both want the core each has half of it: what the rank loses is half of what the other takes.
            share = min(2 * fault.strength, 0.999)
            for core in range(fault.first, fault.last + 1):
                after: Callable[[], bool] = begun if fault.when == "since" else _now
                stack.enter_context(others.computing_now_and_then(core, fault.grain, share, after))
        elif fault.kind == "outage" and faulty:
            assert testbed is not None
            set_link = functools.partial(_set_link, testbed, fault.first + 1)
            stack.enter_context(others.link_down(set_link, fault.strength, begun))
        elif fault.kind == "black-hole" and faulty:
            assert testbed is not None
            swallow = functools.partial(_swallow, testbed, fault.first + 1, int(fault.strength))
            stack.enter_context(others.once(swallow, begun))
        yield made


def _now() -> bool:
    return True


def _swallow(testbed: Testbed, node: int, mtu_bytes: int) -> None:
    port = f"eth0-node{node}"
    lines = [f"qdisc add dev {port} clsact", drop_line(port, None, mtu_bytes)]
    run_batch("tc", testbed.layout.namespace("switch"), lines)


def _set_link(testbed: Testbed, node: int, way: str) -> None:
    switch = testbed.layout.namespace("switch")
    subprocess.run(["ip", "netns", "exec", switch, "ip", "link", "set", f"eth0-node{node}", way], check=True)
