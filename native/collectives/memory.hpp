// The memory behind a Program's slots during one call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/exchange.hpp"
#include "schedule/schedule.hpp"

namespace clearway::collectives {

class Memory {
public:
    Memory(const schedule::Program& program, const Exchange& exchange, std::byte* scratch);

    std::uint64_t bytes_of(schedule::Range slots) const;

    // Where the slots begin, if their bytes follow one another; else null.
    std::byte* contiguous(schedule::Range slots) const;

    // To and from one stretch of memory.
    void gather(schedule::Range slots, std::byte* into) const;
    void scatter(const std::byte* from, std::uint64_t bytes, schedule::Range slots) const;

    // Between slots, as many bytes as both ranges have. `between` has room for those of `from`; it is not wanted where
    // one of them is contiguous.
    void copy(schedule::Range from, schedule::Range into, std::byte* between) const;

    // Bytes of the scratch buffer.
    static std::uint64_t scratch_bytes(const schedule::Program& program, const Exchange& exchange);

private:
    const Blocks& blocks_of(schedule::Buffer buffer) const;
    template <class Visit>
    void each_block(schedule::Range slots, Visit visit) const;

    const schedule::Program& program_;
    const Exchange& exchange_;
    Blocks scratch_;
};

}  // namespace clearway::collectives
