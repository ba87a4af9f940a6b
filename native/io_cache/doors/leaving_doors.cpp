// Doors behind which somebody else reads or writes the file: the kernel on our behalf, stdio below its own doors,
// another process. What is in the cache leaves it first.
#include <aio.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "io_cache/doors/door.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/locks.hpp"
#include "io_cache/files/stop_caching.hpp"
#include "io_cache/files/stream_numbers.hpp"
#include "io_cache/files/write_back.hpp"
#include "preload/program_memory.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::size_t kMostControl_bytes = 4096;  // 253 descriptors, the kernel's limit, are 1,032
constexpr unsigned kMostMessages = 1024;          // likewise

// Descriptors that go to another process. Nothing is read that the kernel could not read, and no length is believed.
void leave_passed(const msghdr* message) {
    if (message == nullptr || file_count.load(std::memory_order_relaxed) == 0) return;
    msghdr head;
    if (!copy_from_program(&head, message, sizeof head) || head.msg_controllen < sizeof(cmsghdr)) return;
    if (head.msg_controllen > kMostControl_bytes) return stop_caching_all();
    alignas(cmsghdr) unsigned char control[kMostControl_bytes];
    if (!copy_from_program(control, head.msg_control, head.msg_controllen)) return;
    head.msg_control = control;
    for (cmsghdr* part = CMSG_FIRSTHDR(&head); part != nullptr; part = CMSG_NXTHDR(&head, part)) {
        const auto left =
            static_cast<std::size_t>(control + head.msg_controllen - reinterpret_cast<unsigned char*>(part));
        if (part->cmsg_len < CMSG_LEN(0) || part->cmsg_len > left) return;  // the kernel refuses it, too
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd;
            std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
            stop_caching_descriptor(fd);
        }
    }
}

void leave_passed(const mmsghdr* messages, unsigned count) {
    if (file_count.load(std::memory_order_relaxed) == 0) return;
    for (unsigned i = 0; i < std::min(count, kMostMessages); ++i) leave_passed(&messages[i].msg_hdr);
}

// Some requests name another file's descriptor as well: it is what they copy from.
void leave_controlled(int fd, unsigned long request, const void* argument) {
    stop_caching_descriptor(fd);
    if (file_count.load(std::memory_order_relaxed) == 0) return;
    constexpr unsigned long kMoveExtents = _IOWR('f', 15, std::uint64_t[5]);  // EXT4_IOC_MOVE_EXT
    file_clone_range range{};
    switch (request) {
        case FICLONE:
            return stop_caching_descriptor(static_cast<int>(reinterpret_cast<std::intptr_t>(argument)));
        case FICLONERANGE:
            if (copy_from_program(&range, argument, sizeof range))
                stop_caching_descriptor(static_cast<int>(range.src_fd));
            return;
        case FIDEDUPERANGE:
        case LOOP_SET_FD:
        case LOOP_CHANGE_FD:
        case LOOP_CONFIGURE:
        case kMoveExtents:
            return stop_caching_all();
        default:
            return;
    }
}

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

CLEARWAY_DOOR_AFTER(mmap, stop_caching_descriptor(fd))
CLEARWAY_DOOR_AFTER(sendfile, stop_caching_descriptor(to), stop_caching_descriptor(from))
CLEARWAY_DOOR_AFTER(copy_file_range, stop_caching_descriptor(to), stop_caching_descriptor(from))
CLEARWAY_DOOR_AFTER(splice, stop_caching_descriptor(to), stop_caching_descriptor(from))
CLEARWAY_DOOR_AFTER(ioctl, leave_controlled(fd, request, argument))
CLEARWAY_DOOR_AFTER(flock, serve_flock(fd))
CLEARWAY_DOOR_AFTER(lockf, note_posix_lock(fd), write_back_before(Event::is_locked, fd))
CLEARWAY_DOOR_AFTER(sendmsg, leave_passed(message))
CLEARWAY_DOOR_AFTER(sendmmsg, leave_passed(messages, count))

CLEARWAY_DOOR_AFTER(setrlimit, before_limit(resource, limit))
CLEARWAY_DOOR_AFTER(prlimit, before_limit(resource, limit))

// stdio and all that libc does below its own names.
CLEARWAY_DOOR(fdopen) {
    stop_caching_descriptor(fd);
    FILE* stream = CLEARWAY_REAL(fdopen);
    note_stream(stream);
    return stream;
}
CLEARWAY_DOOR(freopen) {
    stop_caching_named(AT_FDCWD, path);
    forget_stream(stream);
    FILE* again = CLEARWAY_REAL(freopen);
    note_stream(again);
    return again;
}
CLEARWAY_DOOR_AFTER(fclose, forget_stream(stream))
CLEARWAY_DOOR_AFTER(vdprintf, stop_caching_descriptor(fd))
CLEARWAY_DOOR_AFTER(__vdprintf_chk, stop_caching_descriptor(fd))
CLEARWAY_DOOR_AFTER(truncate, stop_caching_named(AT_FDCWD, path))

// Asynchronous requests, of POSIX and of the kernel.
CLEARWAY_DOOR_AFTER(aio_read, stop_caching_descriptor(request->aio_fildes))
CLEARWAY_DOOR_AFTER(aio_write, stop_caching_descriptor(request->aio_fildes))
CLEARWAY_DOOR_AFTER(aio_fsync, stop_caching_descriptor(request->aio_fildes))
CLEARWAY_DOOR_AFTER(lio_listio, stop_caching_all())
CLEARWAY_DOOR_AFTER(io_setup, stop_serving())
CLEARWAY_DOOR_AFTER(io_uring_setup, stop_serving())
CLEARWAY_DOOR_AFTER(io_uring_queue_init, stop_serving())
CLEARWAY_DOOR_AFTER(io_uring_queue_init_params, stop_serving())
CLEARWAY_DOOR_AFTER(io_uring_queue_init_mem, stop_serving())
