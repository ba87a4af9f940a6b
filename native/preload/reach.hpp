// Whether a preloaded library gets into a program. No allocation; no more than libc, for Slurm's plugin has it too.
#pragma once

namespace clearway {

enum class Obstacle {
    none,
    other_user,     // setuid: its loader ignores LD_PRELOAD
    static_linked,  // it has no loader; what it starts may have one
    musl,           // whose loader ends a program that it cannot load a library for
    other_machine,  // whose loader warns
};

// What keeps LD_PRELOAD from reaching the program at `path`.
Obstacle obstacle_to(const char* path);

// Null when LD_PRELOAD reaches the program at `path`, else why it does not, or must not.
const char* why_not_reached(const char* path);

// Whether the program at `path` starts others in containers, as far as its name tells: what is preloaded there may not
// be in them, or be of another libc.
bool starts_containers(const char* path);

}  // namespace clearway
