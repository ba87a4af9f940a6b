// The memory behind a Program's slots during one call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/exchange.hpp"
#include "schedule/schedule.hpp"

namespace clearway {

class Memory {
public:
    Memory(const schedule::Program& program, const Exchange& exchange);

    std::uint64_t bytes_of(schedule::Range slots) const;

    // Where the slots begin, if their bytes follow one another; else null.
    std::byte* contiguous(schedule::Range slots) const;

    // To and from one stretch of memory.
    void gather(schedule::Range slots, std::byte* into) const;
    void scatter(const std::byte* from, schedule::Range slots) const;

    // Between slots: both ranges have the same bytes in all.
    void copy(schedule::Range from, schedule::Range into) const;

private:
    const Blocks& blocks_of(schedule::Buffer buffer) const;
    template <class Visit>
    void each_block(schedule::Range slots, Visit visit) const;

    const schedule::Program& program_;
    const Exchange& exchange_;
    std::vector<std::byte> scratch_room_;
    Blocks scratch_;
};

}  // namespace clearway
