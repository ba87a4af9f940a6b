#include "collectives/host_name.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <cstdlib>
#include <functional>
#include <string_view>

namespace clearway::collectives {

namespace {

std::uint64_t network_namespace() {
    struct stat status {};
    return stat("/proc/self/ns/net", &status) == 0 ? status.st_ino : 0;
}

std::uint32_t pretended_hosts() {
    const char* text = std::getenv("CLEARWAY_FLOW_HOSTS");
    const long hosts = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
    return hosts > 0 && hosts < 1 << 20 ? static_cast<std::uint32_t>(hosts) : 0;
}

}  // namespace

std::uint64_t host_identity(std::uint32_t rank, std::uint32_t ranks) {
    if (const std::uint32_t hosts = pretended_hosts(); hosts != 0) return std::uint64_t{rank} * hosts / ranks;
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
    return std::hash<std::string_view>{}(name)*kOdd ^ network_namespace();
}

}  // namespace clearway::collectives
