// Files that several ranks have opened together with MPI_File_open, and which ranks these are.
#pragma once

#include "mpi/abi.hpp"
#include "recorder/mpi/comms.hpp"
#include "recorder/thread.hpp"
#include "run_record/layout.hpp"

namespace clearway::recorder {

// A handle of a file is a pointer in every MPI.
inline Arg file_at(Arg place) { return place != 0 ? *reinterpret_cast<const Arg*>(place) : 0; }

struct SharedFile {
    Arg handle;         // 0: nothing is known of it
    CommInfo* files;    // what its ranks do with files, see files_of
    MpiFileCell* cell;  // null: no room
};

// What finds no more room is not remembered.
void remember_file(const SharedFile& file);
SharedFile find_file(Arg file);
SharedFile forget_file(Arg file);

// While it exists, the reads and writes of this thread are also counted as the file's.
class InCallOnFile {
public:
    InCallOnFile(ThreadState& thread, Arg file) : thread_(thread) { thread.mpi_file = find_file(file).cell; }
    ~InCallOnFile() { thread_.mpi_file = nullptr; }
    InCallOnFile(const InCallOnFile&) = delete;
    InCallOnFile& operator=(const InCallOnFile&) = delete;

private:
    ThreadState& thread_;
};

}  // namespace clearway::recorder
