#include "recorder/sockets/connecting.hpp"

#include <netinet/in.h>

#include <atomic>
#include <cstdint>
#include <cstring>

namespace clearway::recorder {
namespace {

constexpr unsigned kPlaces = 64;  // by the lower bits of the descriptor; the latest stays

// Descriptor, port and address in one word, so that no reader finds halves of two.
std::atomic<std::uint64_t> places[kPlaces];

std::uint64_t packed(int fd, std::uint16_t port, std::uint32_t address) {
    return std::uint64_t{static_cast<std::uint16_t>(fd)} << 48U | std::uint64_t{port} << 32U | address;
}

}  // namespace

void note_connecting(int fd, const sockaddr* address, socklen_t length) {
    if (address == nullptr || length < sizeof(sockaddr_in) || address->sa_family != AF_INET) return;
    sockaddr_in v4;
    std::memcpy(&v4, address, sizeof v4);
    places[static_cast<unsigned>(fd) % kPlaces].store(packed(fd, v4.sin_port, v4.sin_addr.s_addr),
                                                      std::memory_order_relaxed);
}

bool connecting_to(int fd, sockaddr_storage& address) {
    const std::uint64_t place = places[static_cast<unsigned>(fd) % kPlaces].load(std::memory_order_relaxed);
    if (place == 0 || place >> 48U != static_cast<std::uint16_t>(fd)) return false;
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = static_cast<std::uint16_t>(place >> 32U);
    v4.sin_addr.s_addr = static_cast<std::uint32_t>(place);
    address = {};
    std::memcpy(&address, &v4, sizeof v4);
    return true;
}

}  // namespace clearway::recorder
