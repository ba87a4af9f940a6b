// Which file lies where in memory, of those that the program mapped last: msync names an address only.
#pragma once

#include <cstdint>

#include "recorder/io/files.hpp"

namespace clearway::recorder {

void note_mapping(const void* begin, std::uint64_t bytes, File file);

// The file that was mapped there last; none where it is not known any more.
File mapped_file(const void* address);

}  // namespace clearway::recorder
