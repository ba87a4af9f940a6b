#!/bin/csh -f
#SBATCH -N 1
#SBATCH -n 2
#SBATCH -t 5
#SBATCH -J csh_job

echo -n 'My jobid is '; echo $SLURM_JOB_NAME
setenv DATAPATH /usr/gapps/620
set n = 2
if ($?SLURM_NTASKS) then
  srun -n$n -k ./engine nam=PNS_141 mct='a b' >& out.csh
  if ($status != 0) exit 4
endif
cat out.csh
wait
echo 'Done'
