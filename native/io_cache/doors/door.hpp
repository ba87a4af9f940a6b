// The cache's doors either serve the call or hand it on; so does the recorder, whose doors stand in front of these. A
// descriptor that is not in the cache costs one look into a table. What holds for all doors: libc/door.hpp.
#pragma once

#include "cache_doors.hpp"

// A door that does something, and hands the call on.
#define CLEARWAY_DOOR_AFTER(name, ...) \
    CLEARWAY_DOOR(name) {              \
        __VA_ARGS__;                   \
        return CLEARWAY_REAL(name);    \
    }
