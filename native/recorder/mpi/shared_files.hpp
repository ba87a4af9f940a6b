// Files that several ranks have opened together with MPI_File_open, and which ranks these are.
#pragma once

#include "mpi/abi.hpp"
#include "recorder/mpi/comms.hpp"

namespace clearway::recorder {

// A handle of a file is a pointer in every MPI.
inline Arg file_at(Arg place) { return place != 0 ? *reinterpret_cast<const Arg*>(place) : 0; }

// `files` is what its ranks do with files, see files_of. What finds no more room is not remembered.
void remember_file(Arg file, CommInfo& files);
// Null where nothing is known of it.
CommInfo* find_file(Arg file);
CommInfo* forget_file(Arg file);

}  // namespace clearway::recorder
