#pragma once

namespace clearway::recorder {

// Under Slurm's plugin, in any program: of each child that a signal ends, as this program hears by waitpid or wait3,
// the record in `folder` gets the signal's number (FileHeader::exit_code). Of srun's tasks Slurm tells the plugin; of
// ranks that mpirun started, only mpirun and its daemons know.
void watch_children(const char* folder);

}  // namespace clearway::recorder
