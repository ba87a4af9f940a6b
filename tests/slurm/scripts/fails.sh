#!/bin/bash
#SBATCH --ntasks=2
set -euo pipefail
trap 'echo "line $LINENO ended with $?"' ERR
on_exit() { echo "leaving with $?"; }
trap on_exit EXIT
srun ./engine fails | tee said.txt
echo "never said"
