// A process in one number: its id, which another may have later, and when it began.
#pragma once

#include <cstdint>

namespace clearway::io_cache {

using ProcessMark = std::uint64_t;
inline constexpr ProcessMark kNoProcess = 0;

// kNoProcess: the kernel does not say.
ProcessMark own_process_mark();

// True also where the kernel does not say.
bool is_running(ProcessMark mark);

}  // namespace clearway::io_cache
