#!/bin/bash
#SBATCH --ntasks=2
cat > run.in <<EOF
units lj
srun is no command here
EOF
run_md () {
    local n=$1; shift
    if ! srun --ntasks="$n" --cpu-bind=verbose,cores ./engine -in run.in "$@"; then
        echo >&2 "failed"; return 5
    fi
}
run_md 2 -log none || exit $?
sbatch --dependency=afterok:$SLURM_JOB_ID --test-only next.sh 2>/dev/null || :
