// What each file descriptor of the process stands for: a file with a cell, or something else (sockets, pipes,
// terminals, devices), which the doors let pass in a few nanoseconds. Standard output and error have cells of their
// own, whatever they lead to.
//
// A descriptor that no door has opened (inherited, made by mkstemp, passed over a socket) is looked up at its
// first transfer. Descriptors of one open file description share their offset in the kernel; here each has
// its own idea of it, so the sequential share of files used through dup'ed descriptors is approximate.
#pragma once

#include <atomic>
#include <cstdint>

#include "recorder/io/files.hpp"

namespace clearway::recorder {

inline constexpr int kMostDescriptors = 16384;  // higher ones are not watched

struct Descriptor {
    std::atomic<FileCell*> cell;          // null: not looked up yet
    std::atomic<std::uint64_t> position;  // where the next read or write without an offset begins
    std::atomic<std::uint64_t> next;      // where the previous transfer ended
    std::atomic<std::uint16_t> index;     // the cell's
    std::atomic<bool> append;             // writes go to the end, wherever `position` is
    std::atomic<int> socket_type;         // where `cell` is not_a_file: SOCK_STREAM…; 0: not known, or no socket
};

extern Descriptor descriptors [[gnu::visibility("hidden")]][kMostDescriptors];
extern FileCell not_a_file [[gnu::visibility("hidden")]];  // stands in `cell` for everything that is none

// Finds out what `fd` is. Null if it is not a file.
Descriptor* look_up(int fd);

// The file behind `fd`, null where there is none.
[[gnu::always_inline]] inline Descriptor* tracked(int fd) {
    if (static_cast<unsigned>(fd) >= kMostDescriptors) return nullptr;
    Descriptor& descriptor = descriptors[fd];
    FileCell* cell = descriptor.cell.load(std::memory_order_relaxed);
    if (cell == &not_a_file) return nullptr;
    return cell != nullptr ? &descriptor : look_up(fd);
}

// What socket() was asked for, without its flags; 0 where that is not known.
inline int known_socket_type(int fd) {
    if (static_cast<unsigned>(fd) >= kMostDescriptors) return 0;
    const Descriptor& descriptor = descriptors[fd];
    if (descriptor.cell.load(std::memory_order_relaxed) != &not_a_file) return 0;
    return descriptor.socket_type.load(std::memory_order_relaxed);
}

// `fd` was just opened with `open_flags` (O_CREAT…); `began_ns` is CLOCK_REALTIME_COARSE before that, from
// which follows whether the file was there before. `flags` are FileFlags to set. Null if it is no file.
Descriptor* track_opened(int fd, int open_flags, std::uint64_t began_ns, std::uint64_t flags);

void mark_not_a_file(int fd, int socket_type = 0);
void forget_descriptor(int fd);
void forget_descriptors(unsigned first, unsigned last);
void copy_descriptor(int from, int to);

// False in a vfork child, which runs in our memory until it executes another program.
bool in_own_process();

}  // namespace clearway::recorder
