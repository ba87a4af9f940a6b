// Each message of a call in one stretch of memory: where its slots lie, or staged where they do not follow one another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/slot_memory.hpp"
#include "schedule/engine/runnable.hpp"

namespace clearway::collectives {

class Staging {
public:
    Staging(const schedule::Runnable& runnable, const SlotMemory& memory);

    // Room for what is staged, to be given before anything else. A phase begins when the one before the last has ended,
    // so two stretches, taken in turns, do for all.
    std::uint64_t room_bytes() const { return most_[0] + most_[1]; }
    void use(std::byte* room);

    std::byte* data_of(std::uint32_t step) const { return places_[step].data; }
    std::uint64_t bytes_of(std::uint32_t step) const { return places_[step].bytes; }

    // A send's slots are read, where they are staged; what came is written to a receive's.
    void open(std::uint32_t step) const;
    void close(std::uint32_t step) const;
    void copy(std::uint32_t step) const;

    // No more has come of a message.
    void cut(std::uint32_t step, std::uint64_t bytes) { places_[step].bytes = bytes; }

private:
    // Of a copy, only the memory that it needs between.
    struct Place : Stretch {
        std::uint64_t offset = 0;  // in the room
        bool is_staged = false;
    };
    static Place place_of(const schedule::Step& step, const SlotMemory& memory);

    const std::vector<schedule::Step>& steps_;
    const SlotMemory& memory_;
    std::vector<Place> places_;   // by step
    std::uint64_t most_[2] = {};  // staged in a phase, of the even ones and of the odd ones
};

}  // namespace clearway::collectives
