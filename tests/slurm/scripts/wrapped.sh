#!/bin/bash
#SBATCH -n 2
IMAGE=/apps/gmx.sif
srun ./wrapper.sh ./engine mdrun -s topol.tpr
