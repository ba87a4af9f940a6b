// A cached file's own descriptor, as the Cache reads and writes through it.
#pragma once

#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

Backing backing_of(CachedFile& file, off_t size_bytes);

}  // namespace clearway::io_cache
