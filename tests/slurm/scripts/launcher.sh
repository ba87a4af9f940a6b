#!/bin/bash
#SBATCH --ntasks=2
PARA_PREFIX="srun -n $SLURM_NTASKS"
PW_COMMAND="$PARA_PREFIX ./engine -nk 1"
$PW_COMMAND < si.scf.in > si.scf.out
check=$?
echo "ended $check"
