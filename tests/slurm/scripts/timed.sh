#! /bin/bash
#
#SBATCH -n 2    # tasks
#SBATCH --time 0-00:10
source /etc/profile
ulimit -s unlimited 2>/dev/null
TIMEFORMAT=timed
{ time mpirun -np "${SLURM_NTASKS}" --bind-to core --mca btl ^openib ./engine -i "it's here" ; } 2>&1 | tee "log.$SLURM_JOB_ID"
exit ${PIPESTATUS[0]}
