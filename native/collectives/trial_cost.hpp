// When a trial may look at another way, and what it has cost so far.
#pragma once

#include <cstdint>
#include <optional>

#include "collectives/trial.hpp"

namespace clearway::collectives {

// Faster calls are cheap to repeat, and noisier.
inline constexpr std::uint64_t kSlow_ns = 1'000'000;

struct NextLook {
    std::uint32_t index;
    std::uint64_t calls;  // with the leader, before it can be paid for
};

// Whether every way has had its looks.
bool is_over(const Trial& trial);

// The look that the trial can pay for first; nothing once it is over. The leader's time is known.
std::optional<NextLook> next_look(const Trial& trial);

// What the calls before it was over took above the time of the way that leads now, as far as is known.
std::uint64_t regret_ns(const Trial& trial);

// Those that went another way than the one that leads now.
std::uint64_t calls_elsewhere(const Trial& trial);

}  // namespace clearway::collectives
