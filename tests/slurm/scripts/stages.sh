#!/bin/bash
#SBATCH -N 1 --ntasks-per-node=2
#SBATCH --time=10
export GMX=./engine
export FN=$(basename -- "$PWD")
$GMX grompp -f em.mdp -c $FN.gro -o em.tpr
mpirun -np $SLURM_NTASKS $GMX mdrun -s em.tpr -deffnm em
$GMX grompp -f md.mdp -c em.gro -o md.tpr
mpirun -np $SLURM_NTASKS $GMX mdrun -s md.tpr -deffnm md -maxh 71.5
