"""The latency that `clearway what-if --latency` asks for, and the one that there was."""

from __future__ import annotations

from dataclasses import replace

from clearway.base import quantities as q
from clearway.base.errors import ClearwayError
from clearway.base.pasted import pasted
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.latency import latency_between_hosts
from clearway.ledger.again.latency import Latency


def latency_asked(case: Case, asked_s: float) -> Latency:
    """Raises ClearwayError where the record does not tell a latency, or none that is longer."""
    run = pasted(str(case.run.directory))
    if len(set(case.run.processes["host"].tolist())) < 2:
        raise ClearwayError(
            "all ranks are on one host: no message of this job crosses a network",
            f"clearway report {run}",
        )
    latency = latency_between_hosts(case)
    if latency is None:
        raise ClearwayError(
            "the record does not tell the network's latency: there is no TCP connection between hosts, and few small "
            "messages that a receiver waited for",
            f"what a network without any delay would gain: clearway what-if {run} --network perfect",
        )
    if asked_s >= latency.seen_s:
        raise ClearwayError(
            f"--latency {q.seconds(asked_s)} is no gain: messages of this job took {q.seconds(latency.seen_s)}",
            f"a slower network: clearway what-if {run} --cluster FILE",
        )
    return replace(latency, asked_s=asked_s)
