// Where a connection is being made to: the kernel tells the other end of a socket only once it is connected.
#pragma once

#include <sys/socket.h>

namespace clearway::recorder {

// `fd` is about to be connected. A few nanoseconds; IPv4 only.
void note_connecting(int fd, const sockaddr* address, socklen_t length);

// The address that was last asked for with `fd`. False: none, or it has been forgotten.
bool connecting_to(int fd, sockaddr_storage& address);

}  // namespace clearway::recorder
