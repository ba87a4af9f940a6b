// Whether a call that we stood in is over without our having seen its end: an error handler or callback of the program
// may leave by longjmp or by an exception, past our frames.
#pragma once

#include <cstdint>

namespace clearway::collectives {

// `frame` and `here` are addresses in frames of one thread, noted at different times; stacks grow downwards.
inline bool has_ended(const void* frame, const void* here) {
    return reinterpret_cast<std::uintptr_t>(frame) <= reinterpret_cast<std::uintptr_t>(here);
}

}  // namespace clearway::collectives
