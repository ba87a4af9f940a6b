#!/bin/bash
#SBATCH --ntasks=2 --signal=B:USR1@60
#SBATCH --requeue
stop() { echo "got USR1"; touch STOP; }
trap stop USR1
srun --kill-on-bad-exit=1 ./engine 30 &
pid=$!
(sleep 0.1; kill -USR1 $$) &
while kill -0 $pid 2>/dev/null; do wait $pid; code=$?; done
exit $code
