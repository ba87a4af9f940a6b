// The messages of a call: each one's bytes in one stretch of memory, cut into chunks that are posted a few at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/memory.hpp"
#include "schedule/schedule.hpp"

namespace clearway {

struct Message {
    std::byte* data = nullptr;
    std::uint64_t bytes = 0;
    std::uint64_t posted_bytes = 0;
    std::uint64_t ended_bytes = 0;
    std::uint32_t under_way = 0;           // chunks posted that have not ended
    std::uint64_t chunks_granted = 0;      // that may be posted; fewer than all where the receiver gives leave for each
    std::unique_ptr<std::byte[]> staging;  // where the slots do not follow one another
};

// Opens a step's message; a send's slots are read now.
Message open_message(const Memory& memory, const schedule::Step& step);

// Writes what came, where it could not be received in place.
void close_message(const Memory& memory, const schedule::Step& step, Message& message);

}  // namespace clearway
