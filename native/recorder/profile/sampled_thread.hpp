// The instructions at which one thread of this process is found, by perf_event_open(2): the kernel notes where a thread
// is, each time that it has used so much processor time. The thread itself does nothing for it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clearway::recorder {

// Not a divisor of a millisecond, in which timers and steps of programs come.
inline constexpr std::uint32_t kSample_us = 9973;

class SampledThread {
public:
    // 0, or an errno where the kernel does not allow it. The descriptor is of the calling thread's table.
    int begin(unsigned tid);
    void end();

    bool is_on() const { return ring_ != nullptr; }

    // Calls `visit(address)` for each sample since the last time.
    template <class Visit>
    void drain(Visit visit) {
        std::uint64_t addresses[64];
        for (std::size_t number = 64; number == 64;) {
            number = take(addresses, 64);
            for (std::size_t i = 0; i < number; ++i) visit(addresses[i]);
        }
    }

private:
    std::size_t take(std::uint64_t* addresses, std::size_t most);

    int fd_ = -1;
    void* ring_ = nullptr;
};

}  // namespace clearway::recorder
