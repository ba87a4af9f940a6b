"""Larger TCP buffers on each connection, by a library put before the program: for MPIs that have no word for it."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import variable
from clearway.diagnosis.facts.socket_buffers import needs_larger
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES = frozenset({"mpi-buffers", "flow"})  # it leaves collectives as they are
OPTIONS = {"send": "send_buffer", "receive": "receive_buffer"}  # of CLEARWAY_FLOW_SOCKETS
LEAVE_COLLECTIVES = ("--flow", "--flow-algorithm=own")


def offer(case: Case, finding: Finding) -> Offer | None:
    """The largest buffer that a program may ask for here; gain: Buffer.gain."""
    buffer = needs_larger(case, finding)
    if buffer is None or buffer.most_asked_bytes <= buffer.bytes:
        return None
    said = variable(case, "CLEARWAY_FLOW_SOCKETS")
    option = f"{OPTIONS[buffer.side]}:{buffer.most_asked_bytes // 2}"  # Linux doubles it
    if said and OPTIONS[buffer.side] in said:
        return None
    return Offer(
        what=f"set {buffer.side} buffers of {q.bytes_(buffer.most_asked_bytes)} on the job's connections",
        why=f"those that wait have {q.bytes_(buffer.bytes)}, and this host allows more without privilege",
        gain=buffer.gain(buffer.most_asked_bytes),
        change=Change(
            environment=(("CLEARWAY_FLOW_SOCKETS", f"{said},{option}" if said and said != "off" else option),),
            recorder_options=() if case.tables.flow else LEAVE_COLLECTIVES,
        ),
    )
