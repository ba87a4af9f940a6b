// The process's TCP connections, as the kernel accounts for them (TCP_INFO).
//
// A connection is noticed when the program makes it (connect, accept) and, since some MPI libraries inherit
// or pass descriptors, by a look through /proc/self/fd every two seconds.
#pragma once

#include <cstdint>

namespace clearway::recorder {

// `fd` may be a TCP connection by now. Cheap to call twice.
void notice_socket(int fd);

// About to be closed: the last chance to read its figures. Does nothing for other descriptors.
void socket_closing(int fd);

// Reads every known connection. Called at milestones (entry of MPI_Finalize, exit).
void sample_sockets_now();

// One turn of the sampler: all connections every `period_ns`, in between only those that look silent.
// Returns in how many nanoseconds it wants the next turn.
std::uint64_t sample_sockets(std::uint64_t period_ns);

// Adds connections that no hook saw.
void scan_for_sockets();

}  // namespace clearway::recorder
