// Doors behind which somebody else reads or writes the file: the kernel on our behalf, stdio below its own doors,
// another process. What is in the cache leaves it first.
#include <aio.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "io_cache/doors/door.hpp"
#include "io_cache/files/locks.hpp"
#include "io_cache/files/stop_caching.hpp"
#include "io_cache/files/write_back.hpp"

namespace clearway::io_cache {

namespace {

// Descriptors that go to another process.
void leave_passed(const msghdr* message) {
    if (message == nullptr || message->msg_controllen == 0 || file_count.load(std::memory_order_relaxed) == 0) return;
    for (cmsghdr* part = CMSG_FIRSTHDR(message); part != nullptr;
         part = CMSG_NXTHDR(const_cast<msghdr*>(message), part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd;
            std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
            stop_caching_descriptor(fd);
        }
    }
}

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

#define IO_UNWRAP(...) __VA_ARGS__
#define IO_LEAVING_DOOR(result, name, parameters, arguments, leaving) \
    IO_DOOR(result, name, IO_UNWRAP parameters) {                     \
        static constinit Real<result parameters> real{#name};         \
        leaving;                                                      \
        return real arguments;                                        \
    }

IO_LEAVING_DOOR(void*, mmap, (void* address, std::size_t bytes, int protection, int flags, int fd, off_t offset),
                (address, bytes, protection, flags, fd, offset), stop_caching_descriptor(fd))
IO_SAME_DOOR(mmap64, mmap);
IO_LEAVING_DOOR(ssize_t, sendfile, (int to, int from, off_t* offset, std::size_t bytes), (to, from, offset, bytes),
                (stop_caching_descriptor(to), stop_caching_descriptor(from)))
IO_SAME_DOOR(sendfile64, sendfile);
IO_LEAVING_DOOR(ssize_t, copy_file_range,
                (int from, off_t* from_offset, int to, off_t* to_offset, std::size_t bytes, unsigned flags),
                (from, from_offset, to, to_offset, bytes, flags),
                (stop_caching_descriptor(to), stop_caching_descriptor(from)))
IO_LEAVING_DOOR(ssize_t, splice,
                (int from, off_t* from_offset, int to, off_t* to_offset, std::size_t bytes, unsigned flags),
                (from, from_offset, to, to_offset, bytes, flags),
                (stop_caching_descriptor(to), stop_caching_descriptor(from)))
IO_LEAVING_DOOR(int, ioctl, (int fd, unsigned long request, void* argument), (fd, request, argument),
                stop_caching_descriptor(fd))
IO_LEAVING_DOOR(int, flock, (int fd, int operation), (fd, operation), serve_flock(fd))
IO_LEAVING_DOOR(int, lockf, (int fd, int command, off_t bytes), (fd, command, bytes),
                (note_posix_lock(fd), write_back_before(Event::is_locked, fd)))
IO_SAME_DOOR(lockf64, lockf);
IO_LEAVING_DOOR(ssize_t, sendmsg, (int fd, const msghdr* message, int flags), (fd, message, flags),
                leave_passed(message))

IO_LEAVING_DOOR(int, setrlimit, (int resource, const rlimit* limit), (resource, limit),
                before_size_limit(resource, limit))
IO_SAME_DOOR(setrlimit64, setrlimit);
IO_LEAVING_DOOR(int, prlimit, (pid_t process, int resource, const rlimit* limit, rlimit* old),
                (process, resource, limit, old), before_size_limit(resource, limit))
IO_SAME_DOOR(prlimit64, prlimit);

// stdio and all that libc does below its own names.
IO_LEAVING_DOOR(FILE*, fdopen, (int fd, const char* mode), (fd, mode), stop_caching_descriptor(fd))
IO_LEAVING_DOOR(int, vdprintf, (int fd, const char* format, va_list arguments), (fd, format, arguments),
                stop_caching_descriptor(fd))
IO_LEAVING_DOOR(FILE*, fopen, (const char* path, const char* mode), (path, mode), stop_caching_named(AT_FDCWD, path))
IO_SAME_DOOR(fopen64, fopen);
IO_LEAVING_DOOR(FILE*, freopen, (const char* path, const char* mode, FILE* stream), (path, mode, stream),
                stop_caching_named(AT_FDCWD, path))
IO_SAME_DOOR(freopen64, freopen);
IO_LEAVING_DOOR(int, truncate, (const char* path, off_t bytes), (path, bytes), stop_caching_named(AT_FDCWD, path))
IO_SAME_DOOR(truncate64, truncate);

IO_DOOR(int, dprintf, int fd, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = io_door_vdprintf(fd, format, arguments);
    va_end(arguments);
    return result;
}

// Asynchronous requests, of POSIX and of the kernel.
IO_LEAVING_DOOR(int, aio_read, (aiocb * request), (request), stop_caching_descriptor(request->aio_fildes))
IO_SAME_DOOR(aio_read64, aio_read);
IO_LEAVING_DOOR(int, aio_write, (aiocb * request), (request), stop_caching_descriptor(request->aio_fildes))
IO_SAME_DOOR(aio_write64, aio_write);
IO_LEAVING_DOOR(int, aio_fsync, (int operation, aiocb* request), (operation, request),
                stop_caching_descriptor(request->aio_fildes))
IO_SAME_DOOR(aio_fsync64, aio_fsync);
IO_LEAVING_DOOR(int, lio_listio, (int mode, aiocb* const* requests, int count, sigevent* event),
                (mode, requests, count, event), stop_caching_all())
IO_SAME_DOOR(lio_listio64, lio_listio);
IO_LEAVING_DOOR(int, io_setup, (unsigned requests, void* context), (requests, context), stop_serving())
IO_LEAVING_DOOR(int, io_uring_setup, (unsigned entries, void* parameters), (entries, parameters), stop_serving())
IO_LEAVING_DOOR(int, io_uring_queue_init, (unsigned entries, void* ring, unsigned flags), (entries, ring, flags),
                stop_serving())
IO_LEAVING_DOOR(int, io_uring_queue_init_params, (unsigned entries, void* ring, void* parameters),
                (entries, ring, parameters), stop_serving())
IO_LEAVING_DOOR(int, io_uring_queue_init_mem,
                (unsigned entries, void* ring, void* parameters, void* memory, std::size_t bytes),
                (entries, ring, parameters, memory, bytes), stop_serving())
