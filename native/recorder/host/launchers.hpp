// Programs that start ranks, by their names.
#pragma once

namespace clearway::recorder {

inline constexpr int kMostLevels = 24;  // mpirun, a daemon, an agent's shells, a batch script

bool is_launcher(const char* name);

}  // namespace clearway::recorder
