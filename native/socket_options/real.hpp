// libc's functions behind our doors.
#pragma once

#include <sys/socket.h>

#include "preload/real.hpp"

namespace clearway::socket_options {

inline constinit Real<int(int, int, int, const void*, socklen_t)> real_setsockopt("setsockopt");

}  // namespace clearway::socket_options
