// Brings records from the node's spool into their user's folder: clearway-slurm does it, as that user.
#pragma once

#include "slurm/plugin/as_user.hpp"

namespace clearway::slurm {

// `place`: below the spool, which is open as `spool`. `name`: its Run's; of a batch script its own. `killed`: its tasks
// that a signal ended. What cannot be brought stays.
void gather(int spool, const char* place, const char* name, const Owner& owner, const char* killed);

// Of steps whose slurmstepd died. Some of them, each time; what nobody could keep for two weeks is removed.
void gather_left_overs(int spool);

}  // namespace clearway::slurm
