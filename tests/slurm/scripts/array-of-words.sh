#!/bin/bash
#SBATCH -n 2
cmd=(srun -n 2 --mpi=pmix)
"${cmd[@]}" ./engine in
