#!/bin/sh
#SBATCH --nodes=1
#SBATCH --ntasks=2
for calc in scf nscf bands; do
  echo "== $calc"
  srun ./engine -npool 2 -in $calc.in > $calc.out || { echo "$calc failed"; exit 3; }
done
grep -c ranks scf.out
