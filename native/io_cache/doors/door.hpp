// A door: one of libc's names through which a program reaches files. We define the name ourselves and either serve the
// call or hand it on; so does the recorder, whose doors stand in front of these.
//
// Doors must work at any moment: before our constructor ran, in a signal handler, in a vfork child that shares our
// memory. A descriptor that is not in the cache costs one look into a table.
#pragma once

#include "preload/real.hpp"

// Defines libc's `name` under another C++ name, so that the declarations in libc's headers do not stand in the way.
// Those that take "..." in C get here what can follow: on 64-bit machines it comes in the same registers.
#define IO_DOOR(result, name, ...)                                                               \
    extern "C" [[gnu::visibility("default")]] result io_door_##name(__VA_ARGS__) __asm__(#name); \
    result io_door_##name(__VA_ARGS__)

// A second name for the same function, as the 64-bit names are on 64-bit machines.
#define IO_SAME_DOOR(alias_name, name)       \
    extern "C" [[gnu::visibility("default"), \
                 gnu::alias(#name)]] decltype(io_door_##name) io_door_##alias_name __asm__(#alias_name)

static_assert(sizeof(long) == 8, "the 64-bit names are aliases of the plain ones");
