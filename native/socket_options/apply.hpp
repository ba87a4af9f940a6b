// Puts settings on one connection.
#pragma once

#include <sys/socket.h>

#include "socket_options/settings.hpp"

namespace clearway::socket_options {

// Whether `fd` is a TCP socket, and `peer` an address of another host.
bool is_between_hosts(int fd, const sockaddr* peer, socklen_t length);

// What cannot be set (an older kernel, a congestion control that is not allowed) stays as it was. Keeps errno.
void apply_socket_settings(int fd, const SocketSettings& settings);

}  // namespace clearway::socket_options
