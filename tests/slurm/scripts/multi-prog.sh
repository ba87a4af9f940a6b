#!/bin/bash
#SBATCH -n2
cat > conf <<EOF
0 ./engine a
1 ./engine b
EOF
srun --multi-prog conf
