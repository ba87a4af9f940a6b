#!/bin/bash
#SBATCH --ntasks=2
case "$1" in
  fresh) ARGS="-s topol.tpr" ;;
  *) ARGS="-s topol.tpr -cpi state.cpt" ;;
esac
cd ${SLURM_SUBMIT_DIR}
exec srun ./engine mdrun $ARGS ${EXTRA:+-nsteps $EXTRA}
