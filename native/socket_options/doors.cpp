// libc's names at which connections are made. A call's outcome is libc's, whatever becomes of our settings.
#include "socket_options/apply.hpp"
#include "socket_options/real.hpp"

// Under another C++ name, so that the declarations in libc's headers do not stand in the way.
#define CLEARWAY_SOCKET_DOOR(result, name, ...)                                                      \
    extern "C" [[gnu::visibility("default")]] result socket_door_##name(__VA_ARGS__) __asm__(#name); \
    result socket_door_##name(__VA_ARGS__)

namespace clearway::socket_options {
namespace {

bool is_connected_between_hosts(int fd) {
    const int saved_errno = errno;
    sockaddr_storage peer;
    socklen_t length = sizeof peer;
    const bool connected = getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &length) == 0;
    errno = saved_errno;
    return connected && is_between_hosts(fd, reinterpret_cast<const sockaddr*>(&peer), length);
}

int accepted(int fd) {
    if (fd >= 0 && socket_settings().any() && is_connected_between_hosts(fd))
        apply_socket_settings(fd, socket_settings());
    return fd;
}

// MPI libraries set the sizes of buffers themselves; where settings say otherwise, they come too late.
bool is_settled(int level, int option) {
    if (level != SOL_SOCKET) return false;
    const SocketSettings& settings = socket_settings();
    return (option == SO_SNDBUF && settings.send_buffer_bytes != 0) ||
           (option == SO_RCVBUF && settings.receive_buffer_bytes != 0);
}

}  // namespace
}  // namespace clearway::socket_options

using namespace clearway;
using namespace clearway::socket_options;

// Before the connection is made, for its window scale follows from the buffer.
CLEARWAY_SOCKET_DOOR(int, connect, int fd, const sockaddr* address, socklen_t length) {
    static constinit Real<int(int, const sockaddr*, socklen_t)> real("connect");
    if (socket_settings().any() && is_between_hosts(fd, address, length)) apply_socket_settings(fd, socket_settings());
    return real(fd, address, length);
}

CLEARWAY_SOCKET_DOOR(int, accept, int fd, sockaddr* address, socklen_t* length) {
    static constinit Real<int(int, sockaddr*, socklen_t*)> real("accept");
    return accepted(real(fd, address, length));
}

CLEARWAY_SOCKET_DOOR(int, accept4, int fd, sockaddr* address, socklen_t* length, int flags) {
    static constinit Real<int(int, sockaddr*, socklen_t*, int)> real("accept4");
    return accepted(real(fd, address, length, flags));
}

CLEARWAY_SOCKET_DOOR(int, setsockopt, int fd, int level, int option, const void* value, socklen_t length) {
    if (is_settled(level, option) && is_connected_between_hosts(fd)) return 0;
    return real_setsockopt(fd, level, option, value, length);
}
