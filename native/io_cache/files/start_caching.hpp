// A file enters the cache at the program's open of it; and another open of one that is in it already.
#pragma once

#include <optional>

#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

// What was opened in the kernel. Its access may be wider than the program's: records that the program writes only a
// part of must be read.
struct Opened {
    int fd;
    int flags;         // the program's
    int kernel_flags;  // ours
    bool created;      // by this very open
    Privacy privacy;   // by its name
};

// Since when this job runs, CLOCK_REALTIME, and whether it has a host of its own. Once, before the first file.
void read_job();

// Flags of open that the cache does not serve: such a file is the kernel's.
bool is_servable(int flags);

// False: it stays the kernel's.
bool start_caching(const Opened& opened);

enum class Named { nothing, file, kernels };

// For a file that is in the cache: a descriptor. Nothing: the kernel is to open it. `named` tells what has the name: a
// file that may enter, or what is not for us: no file, or one that this process has locked.
std::optional<int> open_cached(int directory, const char* path, int flags, Named& named);

}  // namespace clearway::io_cache
