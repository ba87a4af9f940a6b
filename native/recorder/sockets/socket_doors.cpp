// Doors at which connections are made. Their time is the MPI library's, and is not measured.
#include "recorder/io/descriptors.hpp"
#include "recorder/io/recorded.hpp"
#include "recorder/sockets/connecting.hpp"
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
CLEARWAY_DOOR(connect) {
    if (recording && fd >= 0) note_connecting(fd, address, length);
    return connected(fd, CLEARWAY_REAL(connect));
}

CLEARWAY_DOOR(accept) {
    const int accepted = CLEARWAY_REAL(accept);
    return connected(accepted, accepted);
}

CLEARWAY_DOOR(accept4) {
    const int accepted = CLEARWAY_REAL(accept4);
    return connected(accepted, accepted);
}
