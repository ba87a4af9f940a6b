// `--io-cache`: the library that keeps scratch files in memory goes into the program, too.
#pragma once

#include "launcher/options.hpp"

namespace clearway::launcher {

inline constexpr char kIoCacheHint[] =
    "memory on each host, as 256Mi or 2Gi (1M or more), or for each rank, as 64Mi/rank, or auto";

// Also where the environment says CLEARWAY_IO_CACHE.
bool wants_io_cache(const Options& options);

// Whether `size` is one that the library understands.
bool is_io_cache_size(const char* size);

// What the environment says, where it is none; else null. The program then runs without.
const char* wrong_io_cache(const Options& options);

// Says, once a job, that a size counts in thousands where it used to be a power of 1024.
void say_size_is_decimal(const Options& options);

// Before the recorder is preloaded, which then comes in front. Returns null, or why the program runs without it.
const char* set_up_io_cache(const Options& options);

}  // namespace clearway::launcher
