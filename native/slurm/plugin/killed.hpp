// The tasks of a step that a signal ended: what a process cannot record of itself.
#pragma once

extern "C" {
#include <slurm/spank.h>
}

namespace clearway::slurm {

struct Killed {
    char text[32768] = "";  // "RANK:PID:SIGNAL,": slurm/gather.hpp
};

// The task that has just ended. `is_rank`: each task is the rank of its number.
void note_signal(spank_t spank, bool is_rank, Killed& killed);

}  // namespace clearway::slurm
