// What keeps the phases of a Schedule apart. It is chosen apart from the algorithm, since the best choice depends on
// the message size and the network's buffers, both known only where the job runs. An executor interprets it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace clearway::schedule {

// What a rank waits for, besides its own steps, before it goes on to the next phase.
enum class Gate : std::uint8_t {
    none,     // nothing: ranks may drift apart by as many phases as their messages allow
    token,    // the word of the next receiver that what it still expects of the phase before is at most `window_bytes`
    barrier,  // every rank's end of the phase before (Kutzner et al. 2007, Fig. 6)
    credits,  // the receiver's leave for each `window_bytes` of the message
};

inline constexpr Gate kGates[] = {Gate::none, Gate::token, Gate::barrier, Gate::credits};

std::string_view name_of(Gate gate);

struct Separation {
    Gate gate = Gate::none;
    std::uint64_t window_bytes = 0;      // token, credits
    std::uint64_t chunk_bytes = 0;       // messages are cut into pieces of this size; 0: they go whole
    std::uint64_t pace_bytes_per_s = 0;  // upper limit of what a rank puts on the network; 0: none

    bool operator==(const Separation&) const = default;
};

// Why the choice makes no sense, as a sentence; empty where it does.
std::string fault_of(const Separation& separation);

}  // namespace clearway::schedule
