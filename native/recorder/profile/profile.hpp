// In which functions the program's processor time goes, where the kernel tells of it without rights
// (kernel.perf_event_paranoid of 2 or less): a record of instructions, whose names are looked up later, elsewhere.
// CLEARWAY_PROFILE=0 leaves it out.
#pragma once

namespace clearway::recorder {

// One turn of the sampler: takes what threads were found at, and begins with threads that are new.
void profile_threads();

// The last turn.
void end_profile();

}  // namespace clearway::recorder
