#!/bin/bash
#SBATCH --ntasks=1
#SBATCH hetjob
#SBATCH --ntasks=1
srun --het-group=0 ./engine a : --het-group=1 ./engine b
