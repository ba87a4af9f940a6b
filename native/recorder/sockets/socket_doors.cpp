// Doors at which connections are made. Their time is the MPI library's, and is not measured.
#include <sys/socket.h>

#include <cerrno>

#include "recorder/io/descriptors.hpp"
#include "recorder/io/recorded.hpp"
#include "recorder/sockets/connecting.hpp"
#include "recorder/sockets/sockets.hpp"

namespace clearway::recorder {
namespace {

// The kernel is asked only of a socket that this process did not make itself: that takes longer than the whole connect
// of a socket for single packets.
[[gnu::noinline]] int asked_type(int fd) {
    const int saved_errno = errno;
    int type = 0;
    socklen_t length = sizeof type;
    const bool known = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
    errno = saved_errno;
    return known ? type : 0;
}

bool is_stream(int fd) {
    const int known = known_socket_type(fd);
    return (known != 0 ? known : asked_type(fd)) == SOCK_STREAM;
}

// Of sockets of other kinds nothing is recorded: without a look at the table of connections.
bool may_be_tcp(int fd, const sockaddr* address, socklen_t length) {
    if (address == nullptr || length < sizeof address->sa_family) return false;
    return (address->sa_family == AF_INET || address->sa_family == AF_INET6) && is_stream(fd);
}

int connected(int fd, int result) {
    if (!recording || fd < 0 || !in_own_process()) return result;
    mark_not_a_file(fd, known_socket_type(fd));
    notice_socket(fd);
    return result;
}

}  // namespace
}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

// A non-blocking connect fails with EINPROGRESS: the connection is followed all the same, and read once it stands.
[[gnu::noinline]] static int follow(int fd, const sockaddr* address, socklen_t length) {
    note_connecting(fd, address, length);
    return connected(fd, CLEARWAY_REAL(connect));
}

CLEARWAY_DOOR(connect) {
    const bool followed = recording && fd >= 0 && may_be_tcp(fd, address, length);
    return followed ? follow(fd, address, length) : CLEARWAY_REAL(connect);
}

CLEARWAY_DOOR(accept) {
    const int accepted = CLEARWAY_REAL(accept);
    return connected(accepted, accepted);
}

CLEARWAY_DOOR(accept4) {
    const int accepted = CLEARWAY_REAL(accept4);
    return connected(accepted, accepted);
}
