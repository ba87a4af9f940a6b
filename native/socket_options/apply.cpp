#include "socket_options/apply.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "sockets_doors.hpp"

namespace clearway::socket_options {

namespace {

// Since Linux 6.15 (include/uapi/linux/tcp.h); the system's header often knows less than its kernel.
constexpr int kTcpRtoMinUs = 45, kTcpDelackMaxUs = 46;

bool is_tcp(int fd) {
    int protocol = 0;
    socklen_t length = sizeof protocol;
    return getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) == 0 && protocol == IPPROTO_TCP;
}

bool is_elsewhere(const in_addr& address) {
    const std::uint32_t number = ntohl(address.s_addr);
    return number >> 24 != 127 && number != INADDR_ANY;
}

bool is_elsewhere(const in6_addr& address) {
    if (IN6_IS_ADDR_V4MAPPED(&address)) {
        in_addr mapped;
        std::memcpy(&mapped, &address.s6_addr[12], sizeof mapped);
        return is_elsewhere(mapped);
    }
    return !IN6_IS_ADDR_LOOPBACK(&address) && !IN6_IS_ADDR_UNSPECIFIED(&address);
}

void set(int fd, int level, int option, std::uint32_t value) {
    const int number = static_cast<int>(std::min<std::uint32_t>(value, INT_MAX));
    if (value != 0) real::setsockopt(fd, level, option, &number, sizeof number);
}

}  // namespace

bool is_between_hosts(int fd, const sockaddr* peer, socklen_t length) {
    if (peer == nullptr || length < sizeof(sa_family_t)) return false;
    const int saved_errno = errno;
    bool elsewhere = false;
    if (peer->sa_family == AF_INET && length >= sizeof(sockaddr_in)) {
        sockaddr_in address;
        std::memcpy(&address, peer, sizeof address);
        elsewhere = is_elsewhere(address.sin_addr);
    } else if (peer->sa_family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
        sockaddr_in6 address;
        std::memcpy(&address, peer, sizeof address);
        elsewhere = is_elsewhere(address.sin6_addr);
    }
    const bool between_hosts = elsewhere && is_tcp(fd);
    errno = saved_errno;
    return between_hosts;
}

void apply_socket_settings(int fd, const SocketSettings& settings) {
    const int saved_errno = errno;
    set(fd, SOL_SOCKET, SO_SNDBUF, settings.send_buffer_bytes);
    set(fd, SOL_SOCKET, SO_RCVBUF, settings.receive_buffer_bytes);
    set(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, settings.notsent_lowat_bytes);
    set(fd, IPPROTO_TCP, kTcpRtoMinUs, settings.rto_min_us);
    set(fd, IPPROTO_TCP, kTcpDelackMaxUs, settings.delack_max_us);
    set(fd, IPPROTO_TCP, TCP_QUICKACK, settings.quickack);
    if (settings.pace_bytes_per_s != 0)
        real::setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &settings.pace_bytes_per_s,
                         sizeof settings.pace_bytes_per_s);
    if (settings.congestion[0] != '\0')
        real::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, settings.congestion,
                         static_cast<socklen_t>(std::strlen(settings.congestion)));
    errno = saved_errno;
}

}  // namespace clearway::socket_options
