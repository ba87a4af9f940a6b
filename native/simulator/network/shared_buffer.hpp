// Memory that a switch's ports share. A port may hold `alpha` times what is still free (dynamic thresholds: Choudhury
// and Hahne 1998, IEEE/ACM Trans Netw 6:130), so that a few busy ports get much and many get equal shares.
#pragma once

#include <cstdint>

namespace clearway::simulator {

struct SharedBuffer {
    std::uint64_t bytes = 0;
    double alpha = 1.0;
    std::uint64_t used_bytes = 0;

    bool has_room(std::uint64_t waiting_at_port, std::uint32_t packet_bytes) const {
        if (used_bytes + packet_bytes > bytes) return false;
        const double threshold = alpha * static_cast<double>(bytes - used_bytes);
        return static_cast<double>(waiting_at_port + packet_bytes) <= threshold;
    }
};

}  // namespace clearway::simulator
