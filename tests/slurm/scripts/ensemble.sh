#!/bin/bash
#SBATCH --ntasks=2
#SBATCH -c 1
for i in $(seq 1 2); do
    srun --exact -n1 -N1 --mem=50M ./engine $i > out.$i 2>&1 &
done
wait
cat out.1 out.2
