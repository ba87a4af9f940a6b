// The file of one kind that a process leaves in the Run directory, beside the recorder's or without it.
#pragma once

#include "run_record/record_file.hpp"

namespace clearway {

// A file name must not leave the directory, whatever a host calls itself.
void safe_host_name(char (&host)[64]);

// Creates <kind_name>.<host>.<pid>.cwr where the recorder writes, too (CLEARWAY_DIR), and says in its header who and
// when. False: nothing is recorded.
bool create_process_file(RecordFile& file, const char* kind_name, FileKind kind);

}  // namespace clearway
