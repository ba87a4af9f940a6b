"""C. Kutzner et al., Speeding up parallel GROMACS on high-latency networks, J. Comput. Chem. 28 (2007) 2075."""

from __future__ import annotations

from clearway.reproduce.claim import Paper
from clearway.reproduce.papers.kutzner_2007 import cpmd, loss, sizes, speedups, switch, times

PARAMETERS = """\
17 µs from program to program, and 11 µs of a core for each message sent or received: fitted on the 1.4 ms of the \
ordered all-to-all, and on MPI_Alltoall's being twice as fast
36 kB of buffer at each port: fitted on S_barr of single-CPU nodes
a step's time on one CPU, and how much of it does not get shorter on more: as the workload gromacs33 says, which was \
fitted on the 68 ms and on speedups over Myrinet
144 kB of buffer at each end of the links inside the switch: fitted on where ports 1–32 begin to lose packets
assumed, and the same for all figures: TCP of Linux 2.6.5 (Reno, initial window 3, no tail loss probes, socket buffers \
of 128 KiB), LAM's eager limit of 64 KiB, ranks that begin a call up to 20 µs late"""

LEFT_OUT = """\
Figs. 1, 3, 4 and 9 are curves without numbers; what the text says of them is above
speedups on InfiniBand and on a Regatta node, which have other processors
MPICH-2's rows of Table 1: it chooses between four algorithms, of which one is simulated at a time"""


def paper() -> Paper:
    return Paper(
        "kutzner-2007",
        "GROMACS and MPI_Alltoall on Ethernet",
        "C. Kutzner et al., Speeding up parallel GROMACS on high-latency networks, J. Comput. Chem. 28 (2007) 2075",
        tuple(PARAMETERS.splitlines()),
        (*times.claims(), *loss.claims(), *switch.claims(), *speedups.claims(), *cpmd.claims(), *sizes.claims()),
        tuple(LEFT_OUT.splitlines()),
    )
