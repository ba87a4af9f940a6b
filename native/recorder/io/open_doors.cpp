// Doors that make descriptors of files: open, openat, creat, mkstemp and their checked and 64-bit names.
#include <fcntl.h>

#include <ctime>

#include "recorder/io/operations.hpp"

namespace clearway::recorder {
namespace {

// What could not be opened was looked for: a loop that waits for a file does nothing else.
void book_looked_for(ThreadState& thread, const char* path, std::uint64_t ticks) {
    const int saved_errno = errno;
    {
        const InRecorder inside(thread);
        book<FileOperation::metadata>(asked_file(path, -1).cell, ticks);
    }
    errno = saved_errno;
}

template <class Call>
int open_file(RealName& function, int flags, const char* path, Call call) {
    ThreadState* thread = recordable_thread();
    if (thread == nullptr || !in_own_process()) return call();
    const std::uint64_t began_ns = clock_ns(CLOCK_REALTIME_COARSE);
    const std::uint64_t entry = enter_door(*thread);
    const int fd = call();
    const std::uint64_t exit = leave_door(*thread, entry);
    Descriptor* descriptor = fd >= 0 ? track_opened(fd, flags, began_ns, 0) : nullptr;
    if (descriptor != nullptr) book<FileOperation::open>(&cell_of(*descriptor), exit - entry);
    if (fd < 0) book_looked_for(*thread, path, exit - entry);
    show_on_timeline(function, descriptor != nullptr ? descriptor->index.load(std::memory_order_relaxed) : kNoFile,
                     entry, exit, 0);
    return fd;
}

}  // namespace
}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

#define CLEARWAY_OPENING_DOOR(name, flags)                                              \
    CLEARWAY_DOOR(name) {                                                               \
        return open_file(real::name, flags, path, [&] { return CLEARWAY_REAL(name); }); \
    }

CLEARWAY_OPENING_DOOR(open, flags)
CLEARWAY_OPENING_DOOR(openat, flags)
CLEARWAY_OPENING_DOOR(creat, O_CREAT | O_WRONLY | O_TRUNC)
CLEARWAY_OPENING_DOOR(__open_2, flags)  // what _FORTIFY_SOURCE makes of open without a mode
CLEARWAY_OPENING_DOOR(__openat_2, flags)

// Libc finds a name for a new file.
constexpr int kAnew = O_RDWR | O_CREAT | O_EXCL;
CLEARWAY_OPENING_DOOR(mkstemp, kAnew)
CLEARWAY_OPENING_DOOR(mkostemp, kAnew | flags)
CLEARWAY_OPENING_DOOR(mkstemps, kAnew)
CLEARWAY_OPENING_DOOR(mkostemps, kAnew | flags)
