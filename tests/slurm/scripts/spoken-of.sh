#!/bin/bash
#SBATCH --ntasks=2
echo "running: srun ./engine"
which srun && type mpirun
[[ -x ./engine ]] && srun ./engine 1 2>err.log
