// Doors at which connections are made. Their time is the MPI library's, and is not measured.
#include <sys/socket.h>

#include "recorder/io/descriptors.hpp"
#include "recorder/io/door.hpp"
#include "recorder/sockets/sockets.hpp"

namespace clearway::recorder {
namespace {

int connected(int fd, int result) {
    if (!recording || fd < 0 || !in_own_process()) return result;
    mark_not_a_file(fd);
    notice_socket(fd);
    return result;
}

}  // namespace
}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

// A non-blocking connect fails with EINPROGRESS: the connection is followed all the same, and read once it stands.
CLEARWAY_DOOR(int, connect, int fd, const sockaddr* address, socklen_t length) {
    static constinit Door<int(int, const sockaddr*, socklen_t)> door{"connect"};
    return connected(fd, door.real()(fd, address, length));
}

CLEARWAY_DOOR(int, accept, int fd, sockaddr* address, socklen_t* length) {
    static constinit Door<int(int, sockaddr*, socklen_t*)> door{"accept"};
    const int accepted = door.real()(fd, address, length);
    return connected(accepted, accepted);
}

CLEARWAY_DOOR(int, accept4, int fd, sockaddr* address, socklen_t* length, int flags) {
    static constinit Door<int(int, sockaddr*, socklen_t*, int)> door{"accept4"};
    const int accepted = door.real()(fd, address, length, flags);
    return connected(accepted, accepted);
}
