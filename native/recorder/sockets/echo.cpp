#include "recorder/sockets/echo.hpp"

#include <netinet/in.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace clearway::recorder {
namespace {

constexpr std::uint16_t kPort = 33434;  // the first of traceroute's
constexpr std::uint64_t kAnswer_ns = 200'000'000;
// Kernels send one such answer a second to a host, and six at once after a pause (icmp_ratelimit).
constexpr std::uint64_t kPause_ns = 300'000'000;
constexpr int kHeaders4 = 28, kHeaders6 = 48;  // of IP and UDP
constexpr int kPathMtuProbe = 3;               // IP_PMTUDISC_PROBE: do not cut packets, whatever MTU was learnt
constexpr std::uint16_t kMostBytes = 9216;     // the largest frames that Ethernet has

char nothing[kMostBytes];  // what is sent

void set_port(sockaddr_storage& address, std::uint16_t port) {
    if (address.ss_family == AF_INET)
        reinterpret_cast<sockaddr_in&>(address).sin_port = htons(port);
    else
        reinterpret_cast<sockaddr_in6&>(address).sin6_port = htons(port);
}

socklen_t length_of(const sockaddr_storage& address) {
    return address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

bool is_mapped(const sockaddr_storage& address) {
    return address.ss_family == AF_INET6 &&
           IN6_IS_ADDR_V4MAPPED(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

long connect_to(int fd, sockaddr_storage address, long call, std::uint16_t port) {
    set_port(address, port);
    return syscall(call, fd, &address, length_of(address));
}

}  // namespace

Echo::Echo(const sockaddr_storage& local, const sockaddr_storage& peer, std::uint16_t full)
    : search_(std::min(full, kMostBytes)),
      headers_(peer.ss_family == AF_INET || is_mapped(peer) ? kHeaders4 : kHeaders6) {
    if (peer.ss_family != AF_INET && peer.ss_family != AF_INET6) return;
    fd_ = static_cast<int>(syscall(SYS_socket, peer.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (fd_ < 0) return;
    const int whole = kPathMtuProbe;
    syscall(SYS_setsockopt, fd_, IPPROTO_IP, IP_MTU_DISCOVER, &whole, sizeof whole);
    if (peer.ss_family == AF_INET6) syscall(SYS_setsockopt, fd_, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &whole, sizeof whole);
    if (connect_to(fd_, local, SYS_bind, 0) == 0 && connect_to(fd_, peer, SYS_connect, kPort) == 0) return;
    syscall(SYS_close, fd_);
    fd_ = -1;
}

Echo::~Echo() {
    if (fd_ >= 0) syscall(SYS_close, fd_);
}

void Echo::look(std::uint64_t now_ns) {
    if (fd_ < 0) return;
    if (asked_ns_ != 0) {
        char byte = 0;
        const bool came = syscall(SYS_recvfrom, fd_, &byte, sizeof byte, MSG_DONTWAIT, nullptr, nullptr) >= 0 ||
                          errno == ECONNREFUSED;
        if (!came && now_ns - asked_ns_ < kAnswer_ns) return;
        search_.answer(came);
        asked_ns_ = 0;
        if (came) not_before_ns_ = now_ns + kPause_ns;
    }
    if (search_.next() != 0 && now_ns >= not_before_ns_) ask(now_ns);
}

void Echo::ask(std::uint64_t now_ns) {
    const int data = search_.next() - headers_;
    if (data > 0 && syscall(SYS_sendto, fd_, nothing, data, MSG_DONTWAIT, nullptr, 0) == data)
        asked_ns_ = now_ns;
    else
        not_before_ns_ = now_ns + kPause_ns;  // no route, or no room: later perhaps
}

}  // namespace clearway::recorder
