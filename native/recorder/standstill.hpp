// Whether the whole process stood still while the sampler slept: stopped by SIGSTOP, a debugger, a frozen control
// group, a batch system that suspends jobs. No thread of a stopped process can notice that while it lasts. Afterwards
// the sampler finds that it slept far too long, though it never waited for a processor, and that nobody else ran,
// either.
#pragma once

#include <cstdint>

namespace clearway::recorder {

class Standstill {
public:
    // Made before the sleep.
    Standstill();

    // After it: for how long the process had been stopped, of a sleep that should have lasted `asked_ns`; mostly 0.
    std::uint64_t lasted_ns(std::uint64_t asked_ns) const;

private:
    std::uint64_t begin_ns_, run_delay_ns_, cpu_ns_;
    long page_faults_;
};

}  // namespace clearway::recorder
