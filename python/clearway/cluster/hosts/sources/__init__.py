"""Reading the State of a host: a source a file, each a function from a Reader to named Facts."""

from __future__ import annotations

import platform

from clearway.cluster.hosts.reader import OneLook
from clearway.cluster.hosts.sources import kernel, links, memory, network, processes, processors, tcp
from clearway.cluster.hosts.state import State

SOURCES = (kernel, network, links, tcp, memory, processors, processes)


def read_state() -> State:
    """All facts of this machine; takes about a second, for what needs two looks at a clock."""
    reader = OneLook()
    facts = {name: fact for source in SOURCES for name, fact in source.read(reader)}
    return State(platform.node(), facts)
