// The folder of a step in the node's spool. It has a lock: one without is nobody's, and whoever finds it gathers it.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "slurm/plugin/which_step.hpp"

namespace clearway::slurm {

struct StepFolder {
    int spool = -1;   // the folder of all steps
    int around = -1;  // of an mpirun: that of its batch script
    int lock = -1;    // of the one that gathers it; an mpirun may have several steps on a node
};

// Makes it, or of a step that is part of an mpirun the folder around it. The user's, in a spool that is root's. False,
// and says why, where the job has to run unrecorded.
bool make_step_folder(StepFolder& folder, const Step& step, const Place& place, uid_t user, gid_t group,
                      uint32_t tasks);

// Below the batch script's folder, which is the user's: as the user. The first step that has it gathers it.
bool join_launch(StepFolder& folder, const Place& place);

// Of a node where the batch script does not run, when the last of its mpiruns has ended there.
void leave_launch(StepFolder& folder, const Place& place);

}  // namespace clearway::slurm
