// libc's names at which connections are made. A call's outcome is libc's, whatever becomes of our settings.
#include "preload/before_main.hpp"
#include "preload/standard_error.hpp"
#include "socket_options/apply.hpp"
#include "sockets_doors.hpp"

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

[[gnu::constructor]] void on_load() {
    const BeforeMain before_main;
    look_for_standard_error();
    find_real_functions();
}

}  // namespace
}  // namespace clearway::socket_options

using namespace clearway;
using namespace clearway::socket_options;

// Before the connection is made, for its window scale follows from the buffer.
CLEARWAY_DOOR(connect) {
    if (socket_settings().any() && is_between_hosts(fd, address, length)) apply_socket_settings(fd, socket_settings());
    return CLEARWAY_REAL(connect);
}

CLEARWAY_DOOR(accept) { return accepted(CLEARWAY_REAL(accept)); }
CLEARWAY_DOOR(accept4) { return accepted(CLEARWAY_REAL(accept4)); }

CLEARWAY_DOOR(setsockopt) {
    if (is_settled(level, option) && is_connected_between_hosts(fd)) return 0;
    return CLEARWAY_REAL(setsockopt);
}
