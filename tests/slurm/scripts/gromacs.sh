#!/bin/bash -l
#SBATCH --job-name=nvt
#SBATCH --ntasks-per-node=2
#SBATCH --nodes=1
#SBATCH -t 00:05:00
#SBATCH -o %x.%j.out
##SBATCH --exclusive

set -e
module purge
module use ~/modules
module load mdengine

export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}

srun mdengine mdrun -deffnm nvt -dlb yes -maxh 71.99 \
                   -g "nvt ${SLURM_NTASKS}x${OMP_NUM_THREADS}" \
                   -ntomp $OMP_NUM_THREADS
echo done with $?
