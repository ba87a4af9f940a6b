"""C. Kutzner et al., Speeding up parallel GROMACS on high-latency networks, J. Comput. Chem. 28 (2007) 2075."""

from __future__ import annotations

from clearway.base import quantities as q
from papers import notation
from papers.claim import Assumption, Paper
from papers.point import ready_model
from papers.published.kutzner_2007 import (
    cpmd,
    flow_control,
    loss,
    shapes,
    sizes,
    speedups,
    steps,
    switch,
    table_1,
    times,
)
from papers.published.kutzner_2007.rows import PART_BYTES

PARTS = (times, loss, flow_control, switch, speedups, steps, table_1, cpmd, shapes, sizes)

PARAMETERS = """\
latency of 17 µs between programs, and 11 µs of CPU time for each message sent or received: fitted on the 1.4 ms of \
the ordered all-to-all, and on MPI_Alltoall being twice as fast
28 kB of buffer at each port: fitted on S_barr of single-CPU nodes, which 24 to 32 kB give
571 ms for a step of AQP1 on one CPU: fitted on the 68 ms; 2 % of it serial: fitted on speedups over Myrinet on 8 and \
16 CPUs; no serial part for DPPC: fitted on the same with one CPU a node
0.95 % of CPMD's work serial: fitted on 64 CPUs on scattered ports
144 kB of buffer at each end of the links inside the switch: fitted on where ports 1–32 begin to lose packets
assumed, after Table 1 was seen: with flow control a part of the switch pauses its hosts, but not the other parts; it \
buffers 512 KiB of their data, the memory that is told of the 4104gl, a switch of the same family, and drops the rest. \
The collapse on 32 nodes appears only with this assumption; both values are varied
by the sources of Linux 2.6.5, and the same for all figures: Reno, an initial window of 3, no tail loss probes; and, \
looked up after Table 1 was seen, windows of at most 32,767 bytes (no window scale is chosen with the default buffer, \
which LAM leaves), FACK, a window that grows with acknowledgements, ticks of 1 ms
by the sources of LAM 7.1 and MPICH-2: eager limits of 64 KiB and 128,000 bytes; and, looked up likewise, LAM's \
envelopes of 24 bytes, of which a rank writes its own before it answers others'
by the sources of GROMACS 3.3, likewise: a grid that the CPUs divide evenly, in two dimensions
assumed, and the same for all figures: ranks that begin a call up to 20 µs late; molecules sorted along the slabs of \
the grid, since the paper's delays are only in MPI_Alltoall, not in MPI_Alltoallv
what decides the rows with losses: [kutzner-unknowns.md](kutzner-unknowns.md)"""

DRAWN = """\
Fig. 1: `clearway predict --workload gromacs33:aqp1 --ranks 1,2,4,8,16,32 --cluster procurve2848 --alltoall \
lam,ordered --plot fig1.svg`
Fig. 3: `clearway predict alltoall --cluster procurve2848 --hosts 16 --algorithms lam,ordered+barrier --sizes 64..1Mi \
--plot fig3.svg`, and `--flow-control pause` for the panel in the middle
Fig. 9: `clearway predict alltoall --cluster procurve2848-dual --algorithms direct,node_ordered+barrier --sizes \
64..64Ki --plot fig9.svg`"""

LEFT_OUT = """\
numbers of the curves in Figs. 1, 3, 4 and 9: the paper gives none; the rows above test what its text says about their \
shapes
speedups on InfiniBand and on a Regatta node, which have other processors
one CPU with MPICH, 0.97 and 0.95 times as fast as with LAM: its rows of Table 1 are predicted relative to that"""


def paper() -> Paper:
    return Paper(
        "kutzner-2007",
        "GROMACS and MPI_Alltoall on Ethernet",
        "C. Kutzner et al., Speeding up parallel GROMACS on high-latency networks, J. Comput. Chem. 28 (2007) 2075",
        tuple(PARAMETERS.splitlines()),
        tuple(claim for part in PARTS for claim in part.claims()),
        tuple(LEFT_OUT.splitlines()),
        tuple(DRAWN.splitlines()),
        assumptions(),
    )


def yes_or_no(value: float) -> str:
    return "yes" if value else "no"


def assumptions() -> tuple[Assumption, ...]:
    model = ready_model("procurve2848", 32)
    stack, switch = model.stack, model.network.switch
    assert switch is not None
    assert switch.buffer_bytes is not None
    buffer, skew_ns, sends = switch.buffer_bytes, stack.skew_us * 1000, stack.send_buffer_bytes
    return (
        Assumption(
            "ranks begin a call late, by up to", "skew-ns", skew_ns, (skew_ns // 4, 4 * skew_ns), notation.nanoseconds
        ),
        Assumption("TCP's initial window", "initial-window", stack.initial_window, (2, 10), notation.number),
        Assumption("TCP's send buffer", "send-buffer-bytes", sends, (sends // 2, 2 * sends), q.bytes_),
        Assumption(
            "with flow control: buffer of a switch part for data from other parts",
            "uplink-buffer-bytes",
            PART_BYTES,
            (PART_BYTES * 2 // 3, 1_000_000),
            q.bytes_,
        ),
        Assumption("with flow control: parts of the switch pause each other", "stop-switches", 0, (1,), yes_or_no),
        Assumption("buffer of a port (fitted)", "buffer-bytes", buffer, (buffer * 2 // 3, buffer * 3 // 2), q.bytes_),
    )
