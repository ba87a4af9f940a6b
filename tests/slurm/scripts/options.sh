#!/bin/bash
#SBATCH --ntasks=2
OPTS="--mpi=pmix --distribution=block:cyclic"
APP=./engine
srun $OPTS $APP -in 1
