// What the main thread does when it is not computing: in each period, at a random moment of it, the kernel is asked in
// which system call the thread is, and what that waits for. No instant of the program is met more often than another,
// however regular its steps are; so the share of the samples is the share of the time. At first there are four looks in
// a period; after 200 of them half are forgotten, and from then on half as many are taken, until there is one in a
// period.
#pragma once

#include <cstdint>

namespace clearway::recorder {

// One turn of the sampler: a look, if its moment has come. Returns in how many nanoseconds the next one is due.
std::uint64_t sample_activity(std::uint64_t period_ns);

// All threads of the process had been stopped for so long, the sampler's too: the looks that it missed count as if they
// had found that.
void count_as_stopped(std::uint64_t stopped_ns, std::uint64_t period_ns);

}  // namespace clearway::recorder
