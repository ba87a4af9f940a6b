// RDMA as it is set up on the hosts' cards.
#pragma once

#include <cstdint>

#include "simulator/rdma/dcqcn.hpp"

namespace clearway::simulator {

struct RdmaSettings {
    std::uint32_t mtu_bytes = 0;          // payload of a full packet; 0: hosts have TCP, not RDMA
    std::uint64_t most_copied_bytes = 0;  // a message up to so long is copied when it is sent, and then its sender's
    bool has_dcqcn = false;
    DcqcnSettings dcqcn{};
};

}  // namespace clearway::simulator
