// The memory behind a Program's slots during one call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/exchange.hpp"
#include "schedule/schedule.hpp"

namespace clearway::collectives {

// Where the bytes of some slots lie.
struct Stretch {
    std::byte* data = nullptr;  // null where they do not follow one another, and where there are none
    std::uint64_t bytes = 0;
};

class SlotMemory {
public:
    SlotMemory(const schedule::Program& program, const Exchange& exchange, std::byte* scratch);

    Stretch stretch_of(schedule::Range slots) const;

    // To and from one stretch of memory.
    void gather(schedule::Range slots, std::byte* into) const;
    void scatter(const Stretch& from, schedule::Range slots) const;

    // Between slots, as many bytes as both ranges have. `between` has room for those of `from`; it is not wanted where
    // one of them is in one stretch.
    void copy(schedule::Range from, schedule::Range into, std::byte* between) const;

    // Bytes of the scratch buffer.
    static std::uint64_t scratch_bytes(const schedule::Program& program, const Exchange& exchange);

private:
    const Blocks& blocks_of(schedule::Buffer buffer) const;
    template <class Visit>
    void each_block(schedule::Range slots, Visit visit) const;

    const schedule::Program& program_;
    const Exchange exchange_;  // copied: in a call it is a temporary
    Blocks scratch_;
};

}  // namespace clearway::collectives
