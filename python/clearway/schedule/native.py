"""Asks clearway-schedule, the native program that makes and checks Schedules."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from clearway.base.errors import ClearwayError
from clearway.base.installed import find_program
from clearway.schedule.model import Algorithm, Request, Schedule, Send, Traffic, Violation

PROGRAM = "clearway-schedule"
TIMEOUT_S = 600


def ask(*arguments: str) -> Any:
    """The JSON that clearway-schedule answers. Raises ClearwayError with its own words where it refuses."""
    program = find_program(PROGRAM)
    try:
        answer = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except OSError as error:
        raise ClearwayError(
            f"cannot run {program}: {error.strerror}", "install Clearway again: pip install ."
        ) from None
    except subprocess.TimeoutExpired:
        raise ClearwayError(f"{PROGRAM} did not end within {TIMEOUT_S} s", "give fewer ranks") from None
    if answer.returncode != 0:
        said = answer.stderr.removeprefix("error: ").partition("\n")[0]
        raise ClearwayError(said or f"{PROGRAM} ended with exit code {answer.returncode}", "clearway schedule list")
    return json.loads(answer.stdout)


def list_algorithms() -> list[Algorithm]:
    return [Algorithm(row["name"], row["summary"], tuple(row["operations"])) for row in ask("list")]


def make_schedule(request: Request, sends: bool = False, check: bool = False) -> Schedule:
    """The Schedule that is asked for; with each message and the checker's findings where they are wanted."""
    arguments = [request.algorithm, "--operation", request.operation, "--hosts", ",".join(map(str, request.hosts))]
    arguments += ["--bytes", str(request.block_bytes), "--gate", request.gate, "--root", str(request.root)]
    arguments += [
        option for option, on in (("--uneven", request.uneven), ("--messages", sends), ("--check", check)) if on
    ]
    answer = ask(*arguments)
    return Schedule(
        request,
        answer["port_use"],
        tuple(Traffic(**phase) for phase in answer["phases"]),
        Traffic(**answer["total"]),
        tuple(Send(*send) for send in answer["sends"]) if sends else None,
        tuple(Violation(**violation) for violation in answer["violations"]) if check else None,
    )
