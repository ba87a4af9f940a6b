// What a rank may put on the network in a second: when its next chunk may be sent.
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedule/separation.hpp"

namespace clearway::schedule {

class Pace {
public:
    explicit Pace(const Separation& separation) : bytes_per_s_(separation.pace_bytes_per_s) {}

    bool is_kept() const { return bytes_per_s_ != 0; }
    bool allows(std::uint64_t now_ns) const { return now_ns >= next_ns_; }
    std::uint64_t next_ns() const { return next_ns_; }

    void sent(std::uint64_t now_ns, std::uint64_t bytes) {
        if (is_kept())
            next_ns_ = std::max(now_ns, next_ns_) +
                       static_cast<std::uint64_t>(1e9 * static_cast<double>(bytes) / static_cast<double>(bytes_per_s_));
    }

private:
    std::uint64_t bytes_per_s_;  // 0: any
    std::uint64_t next_ns_ = 0;
};

}  // namespace clearway::schedule
