"""Options of Hydra: the mpiexec and mpirun of MPICH (4 and 5), and Intel MPI's offspring of it.

Sources: the option tables of mpiexec.hydra 4.0.2, 5.0.2 and Intel 2021.18.
"""

from __future__ import annotations

from clearway.job.launcher_options import Grammar, words

_SYNONYMS = (words("n np"), words("f hostfile machinefile"), words("host hosts"), words("ppn perhost grr"))
_REFUSED = {"configfile": "its programs are listed in a file"}

HYDRA = Grammar(
    name="MPICH",
    flags=words(
        """dac debug disable-auto-cleanup disable-hostname-propagation disable-x enable-auto-cleanup
        enable-hostname-propagation enable-x envall envnone genvall genvnone h help hybrid-hosts info l pmi-port
        prepend-rank print-all-exitcodes profile skip-launch-node v verbose version"""
    ),
    one=words(
        """bind-to binding bootstrap bootstrap-exec demux envlist errfile errfile-pattern f g genvlist
        gpu-subdevs-per-proc gpus-per-proc host hostfile hostlist hosts iface launcher launcher-exec localhost machine
        machinefile machinelist machines map-by membind memory-alloc-kinds n nameserver np order-nodes outfile
        outfile-pattern output-from ppn prepend-pattern rankmap rmk topolib usize wdir"""
    ),
    two=words("env genv"),
    any_case=True,
    synonyms=_SYNONYMS,
    refused=_REFUSED,
    program_files=words("configfile"),
)

INTEL_HYDRA = Grammar(
    name="Intel MPI",
    flags=HYDRA.flags
    | words(
        """V aps cleanup gdb ilp64 mps noconf nolocal ordered-output pmi-aggregate pmi-noaggregate
        prepend-timestamp print-rank-map prot rr silent-abort trace-collectives trace-pt2pt tv"""
    ),
    one=HYDRA.one
    | words(
        """bootstrap-exec-args branch-count cpu-bind envexcl gdb-args genvexcl gpath grr gtool gtoolfile gwdir
        hosts-group path perhost pmi-connect s tmpdir tune umask use-app-topology"""
    ),
    two=HYDRA.two,
    synonyms=_SYNONYMS,
    refused=_REFUSED,
    program_files=HYDRA.program_files,
)

HYDRAS = (HYDRA, INTEL_HYDRA)
