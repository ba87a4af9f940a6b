// When recording begins and ends.
#pragma once

namespace clearway::recorder {

// Creates the record unless it exists. Called from the library's constructor for programs linked with an MPI,
// from MPI_Init for those that load it later, and by CLEARWAY_ALWAYS=1 for programs without one.
void begin_recording();

// Before the process's end, where what we do would harm the program. The record says why.
void end_recording(const char* why);

}  // namespace clearway::recorder
