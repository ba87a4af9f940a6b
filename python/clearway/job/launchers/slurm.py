"""Options of Slurm's srun, which reads them by getopt_long: clusters, attached values, abbreviations.

Source: srun(1) of Slurm 22.05, and the options added up to 24.05.
"""

from __future__ import annotations

from clearway.job.launcher_options import Grammar, words

SRUN = Grammar(  # with --clearway of our own plugin
    name="srun",
    flags=words(
        """compress contiguous disable-status exact exclusive external help hold immediate kill-on-bad-exit label
        multi-prog nice no-allocate no-kill overcommit overlap oversubscribe preserve-env propagate pty quiet
        quit-on-interrupt reboot resv-ports send-libs spread-job test-only unbuffered usage use-min-nodes verbose
        version x11"""
    ),
    one=words(
        """accel-bind account acctg-freq bb bbf bcast-exclude begin bind chdir clearway cluster-constraint clusters
        comment constraint consolidate-segments container container-id core-spec cores-per-socket cpu-bind cpu-freq
        cpus-per-gpu cpus-per-task deadline delay-boot dependency distribution epilog error exclude export
        export-file extra extra-node-info gid gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket gpus-per-task
        gres gres-flags het-group hint input job-name jobid licenses mail-type mail-user mcs-label mem mem-bind
        mem-per-cpu mem-per-gpu mincpus mpi msg-timeout network nodefile nodelist nodes ntasks ntasks-per-core
        ntasks-per-gpu ntasks-per-node ntasks-per-socket ntasks-per-tres open-mode output partition power prefer
        priority profile prolog qos relative reservation segment signal slurmd-debug sockets-per-node switches
        task-epilog task-prolog thread-spec threads threads-per-core time time-min tmp tree-width tres-bind
        tres-per-task uid wait wckey"""
    ),
    short_flags="EHOQVXZhlsuv",
    short_one="ABCDFGJLMNPRSTUWabcdeimnopqrtwx",
    short_attached="IKk",
    abbreviations=True,
    synonyms=(
        words("n ntasks"),
        words("N nodes"),
        words("c cpus-per-task"),
        words("m distribution"),
        words("w nodelist"),
    ),
    refused={"bcast": "it copies the program to the nodes, but not Clearway"},
)
