// Whether a preloaded library gets into a program. No allocation; no more than libc, for Slurm's plugin has it too.
#pragma once

namespace clearway {

// Null when LD_PRELOAD reaches the program at `path`, else why it does not, or must not.
const char* why_not_reached(const char* path);

// Whether the program at `path` starts others in containers, as far as its name tells: what is preloaded there may not
// be in them, or be of another libc.
bool starts_containers(const char* path);

}  // namespace clearway
