// Brings the records of a step from the node's spool into its user's folder, as that user.
#pragma once

namespace clearway::slurm {

struct Gathering {
    const char* spool;        // the step's folder on this node
    const char* folder;       // the Run directory to be
    bool over = false;        // whether the step is: else records of processes that still run are left where they are
    const char* killed = "";  // its tasks that a signal ended, as Slurm saw it: "RANK:PID:SIGNAL,"; RANK -1: unknown
};

// Killed at any moment it can be called again: a record is in the folder whole, or still in the spool, and the same
// record never twice. Says on stderr what could not be kept; false then, and it stays in the spool.
bool gather(const Gathering& gathering);

// The same for each mpirun of a batch script that is over: `spool` has a folder for each, mpirun1 and so on; the Run of
// `folder` 1234.batch's first is 1234.mpirun1. One that a step of srun still uses, which holds a lock on it, is left.
bool gather_launches(const char* spool, const char* folder);

// Removes the records of a step, or of each mpirun of a batch script, that nobody can keep.
void drop(const char* spool);

}  // namespace clearway::slurm
