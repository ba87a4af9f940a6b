// The neighbours' word between phases (schedule/neighbour_leaves.hpp), as this rank sees it during a call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/schedule.hpp"

namespace clearway::schedule {

class TokenGate {
public:
    // `window_bytes`: what may still be missing when leave is given. `bytes_in_phase`: what this rank receives in each.
    TokenGate(const Program& program, std::uint64_t window_bytes, std::vector<std::uint64_t> bytes_in_phase);

    // Leaves to wait for until the end of `phase`, each handed out once.
    std::span<const Leave> to_await(std::uint32_t phase);

    // Leaves to give now, each handed out once.
    std::span<const Leave> to_give();

    void received(std::uint32_t phase, std::uint64_t bytes);
    void given_by_peer(std::uint32_t phase) { --missing_leaves_[phase]; }

    // Whether the messages of `phase` may be sent.
    bool is_open(std::uint32_t phase);

private:
    const Program& program_;
    std::uint64_t window_bytes_;
    std::vector<std::uint64_t> missing_bytes_;   // by phase
    std::vector<std::uint32_t> missing_leaves_;  // by phase
    std::uint64_t missing_until_giving_ = 0;     // bytes of the phases up to giving_
    std::uint32_t giving_ = 0;                   // the first phase whose leaves were not given
    std::uint32_t open_ = 0;                     // the last phase known to be open
    std::size_t next_give_ = 0, next_await_ = 0;
};

}  // namespace clearway::schedule
