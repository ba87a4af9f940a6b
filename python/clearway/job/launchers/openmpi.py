"""Options of Open MPI's mpirun. Version 5 hands its command line to PRRTE, which reads it differently.

Sources: `mpirun --help full` of 4.1.4; for 5.0 the option table of its PRRTE (schizo/ompi).
"""

from __future__ import annotations

from clearway.job.launcher_options import Grammar, words

_SYNONYMS = tuple(
    words(names)
    for names in (
        "n np c",
        "H host",
        "hostfile machinefile",
        "map-by mapby",
        "bind-to bindto",
        "rank-by rankby",
        "rf rankfile",
    )
)
_REFUSED = {
    "app": "its programs are listed in a file",
    "preload-binary": "it copies the program to the nodes, but not Clearway",
    "s": "it copies the program to the nodes, but not Clearway",
}

OPEN_MPI_4 = Grammar(
    name="Open MPI 4",
    flags=words(
        """allow-run-as-root bind-to-core bind-to-socket bind-to-none bycore bynode byslot continuous d debug-devel
        debug debug-daemons debug-daemons-file disable-recovery display-allocation display-devel-allocation
        display-devel-map display-diffable-map display-map display-topo do-not-launch do-not-resolve dvm
        enable-instant-on-support enable-recovery fwd-mpirun-port get-stack-traces index-argv-by-rank
        leave-session-attached merge-stderr-to-stdout nolocal nooversubscribe noprefix novm output-proctable
        oversubscribe pernode q quiet report-bindings report-child-jobs-separately report-state-on-timeout
        set-cwd-to-session-dir show-progress tag-output timestamp-output tv use-hwthread-cpus use-regexp v verbose
        xml h help V version"""
    ),
    one=words(
        """am bind-to c np n N cf cartofile cpu-list cpu-set cpus-per-proc cpus-per-rank debugger default-hostfile H
        host hnp hostfile launch-agent machinefile map-by max-restarts max-vm-size npernode npersocket ompi-server
        output-filename path personality ppr prefix preload-files rank-by report-events report-pid report-uri rf
        rankfile stdin timeout tune wd wdir x xml-file xterm"""
    ),
    two=words("mca gmca"),
    synonyms=_SYNONYMS,
    refused=_REFUSED,
    program_files=words("app"),
    empty_parts=True,
)

OPEN_MPI_5 = Grammar(
    name="Open MPI 5",
    flags=words(
        """allow-run-as-root bind-to-core bynode bycore byslot continuous debug debug-daemons debug-daemons-file
        disable-recovery display-allocation display-comm display-comm-finalize display-devel-map display-map
        do-not-launch enable-recovery fwd-environment get-stack-traces h help hetero-nodes leave-session-attached
        merge-stderr-to-stdout no-aggregate-help no-app-prefix nolocal nooversubscribe noprefix output-proctable
        oversubscribe p parseable parsable pernode q quiet report-bindings report-child-jobs-separately
        report-state-on-timeout show-progress soft stop-in-app stop-in-init stop-on-exec tag-output timestamp-output
        use-hwthread-cpus v verbose V version xml"""
    ),
    one=words(
        """am amca app-pmix-prefix append-env arch bind-to bindto c cpu-list cpu-set cpus-per-proc cpus-per-rank
        default-hostfile display display-topo dvm file forward-signals gpu-support H host hostfile
        initial-errhandler launch-agent machinefile map-by mapby max-restarts max-vm-size memory-alloc-kinds N n np
        npernode npersocket output output-directory output-filename path personality ppr prefix preload-files
        prepend-env pset rank-by rankby rankfile report-pid report-uri rtos runtime-options spawn-timeout stdin
        stream-buffering timeout tmpdir tune unset-env wd wdir with-ft x xterm"""
    ),
    two=words("mca gmca omca gomca prtemca pmixmca"),
    synonyms=_SYNONYMS,
    refused=_REFUSED,
    program_files=words("app"),
    empty_parts=True,
)

OPEN_MPIS = (OPEN_MPI_4, OPEN_MPI_5)
