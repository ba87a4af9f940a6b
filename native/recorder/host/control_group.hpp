// The control groups that this process is in, as folders: version 1 has one a controller, version 2 one for all.
#pragma once

#include <cstddef>

namespace clearway::recorder {

// A control group's directory, as /proc/self/cgroup names it under a mount point.
struct Group {
    char path[1024];
};

// False where this process is in none of that controller, or the kernel does not tell.
bool find_group(const char* controller, Group& group);

// The first line of one of its files.
bool read_of(const Group& group, const char* file, char* text, std::size_t size);

// To the group above; false at the mount point.
bool rise(Group& group);

}  // namespace clearway::recorder
