#include "collectives/host_name.hpp"

#include <cstdlib>

#include "base/host.hpp"

namespace clearway::collectives {

namespace {

std::uint32_t pretended_hosts() {
    const char* text = std::getenv("CLEARWAY_FLOW_HOSTS");
    const long hosts = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
    return hosts > 0 && hosts < 1 << 20 ? static_cast<std::uint32_t>(hosts) : 0;
}

}  // namespace

std::uint64_t host_identity(std::uint32_t rank, std::uint32_t ranks) {
    if (const std::uint32_t hosts = pretended_hosts(); hosts != 0) return std::uint64_t{rank} * hosts / ranks;
    return clearway::host_identity();
}

}  // namespace clearway::collectives
