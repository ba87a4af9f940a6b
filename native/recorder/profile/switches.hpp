// How often a thread gets a processor anew. While a thread is sampled, each time costs a microsecond more (its timer is
// set again), and a rank that shares its core with another may do so a hundred thousand times a second.
#pragma once

#include <cstdint>

#include "recorder/kept_file.hpp"

namespace clearway::recorder {

class Switches {
public:
    // Whether the thread may be sampled by now: not before its rate is known, and for ever longer pauses not after it
    // was high.
    bool are_few(unsigned tid);

    void forget();

private:
    bool has_hardly_run(unsigned tid);
    void count(unsigned tid, std::uint64_t now_ns);

    KeptFile schedstat_;
    std::uint64_t number_ = 0, counted_ns_ = 0;  // 0: not counted yet
    std::uint64_t cpu_ns_ = 0;                   // of the thread, when it was counted
    std::uint64_t pause_ns_ = 0, pause_ends_ns_ = 0;
    bool few_ = false;
};

}  // namespace clearway::recorder
