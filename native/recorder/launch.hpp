#pragma once

namespace clearway::recorder {

// In a batch script that Slurm's plugin watches (CLEARWAY_BATCH): if this program is mpirun or the like, what it starts
// is a Run of its own, in a folder that is made here. Any other program: does nothing.
void begin_launch();

}  // namespace clearway::recorder
