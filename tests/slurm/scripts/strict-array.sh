#!/usr/bin/env bash
#SBATCH --array=0-1%1
#SBATCH --ntasks=2
#SBATCH --mem-per-cpu=100M
set -euo pipefail
work=$(mktemp -d)
cleanup() {
    local status=$?
    echo "cleanup $status"
    rm -rf "$work"
    exit "$status"
}
trap cleanup EXIT
cd "$work"
args=(-in "in file.$SLURM_ARRAY_TASK_ID" -log none)
srun "$SLURM_SUBMIT_DIR/engine" "${args[@]}" -var seed $((SLURM_ARRAY_TASK_ID * 7 + 1)) | tee out.txt
