// What Open MPI's mpirun tells a rank of its own command line, by variables.
#pragma once

namespace clearway::launcher {

// `mpirun --path FOLDERS`, of Open MPI 4: where the program is looked for before the PATH; null without that.
const char* folders_before_path();

// OMPI_COMMAND and OMPI_ARGV, which MPI_INFO_ENV shows to the program, tell of clearway-record: lets them tell of
// `program`, whose arguments end in null.
void tell_of(char** program);

}  // namespace clearway::launcher
