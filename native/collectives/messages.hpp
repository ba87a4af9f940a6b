// The messages of a call: each one's bytes in one stretch of memory, cut into chunks that are posted a few at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/memory.hpp"
#include "schedule/schedule.hpp"

namespace clearway::collectives {

// So that a message shorter than its room is known by its end, its last chunk is shorter than the others: empty where
// they fill it.
struct Message {
    std::byte* data = nullptr;
    std::uint64_t bytes = 0;
    std::uint64_t chunks = 0;  // the last one too
    std::uint64_t chunks_posted = 0;
    std::uint64_t chunks_ended = 0;
    std::uint64_t bytes_ended = 0;
    std::uint32_t under_way = 0;       // chunks posted that have not ended
    std::uint64_t chunks_granted = 0;  // that may be posted; fewer than all where the receiver gives leave for each
    bool is_staged = false;            // the slots do not follow one another: `data` is room for them

    bool is_posted() const { return chunks_posted == chunks; }
};

// Bytes of a step's message where it has to be staged, else 0.
std::uint64_t staged_bytes(const Memory& memory, const schedule::Step& step);

// Opens a step's message; a send's slots are read now. `staging` has room for the step's staged bytes.
Message open_message(const Memory& memory, const schedule::Step& step, std::byte* staging);

// Writes what came, where it could not be received in place.
void close_message(const Memory& memory, const schedule::Step& step, const Message& message);

}  // namespace clearway::collectives
