#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/text.hpp"
#include "recorder/activity/found.hpp"

namespace clearway::recorder {
namespace {

// A line of /proc/self/maps: "7f00-7f01 rw-s 00000000 00:1a 12 /dev/shm/sem.name". Whether it is that address's; then
// the name of the file, where the memory is shared with other processes.
bool is_line_of(std::uint64_t address, const char* line, char* path, std::size_t size) {
    char* rest = nullptr;
    const std::uint64_t begin = std::strtoull(line, &rest, 16);
    if (*rest != '-' || address < begin) return false;
    const std::uint64_t end = std::strtoull(rest + 1, &rest, 16);
    if (address >= end) return false;
    const char* name = std::strchr(rest, '/');
    if (std::strlen(rest) > 4 && rest[4] == 's' && name != nullptr) std::snprintf(path, size, "%s", name);
    return true;
}

// The file of the shared memory that the address is in; empty where it is in none. By pieces: a program may have
// thousands of mappings, and the sampler's stack is small.
void shared_file(std::uint64_t address, char* path, std::size_t size) {
    path[0] = '\0';
    const int fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0));
    if (fd < 0) return;
    char text[4096];
    std::size_t used = 0;
    bool found = false;
    for (long count = 1; count > 0 && !found;) {
        count = syscall(SYS_read, fd, text + used, sizeof text - 1 - used);
        used += static_cast<std::size_t>(count > 0 ? count : 0);
        text[used] = '\0';
        char* line = text;
        for (char* end = nullptr; !found && (end = std::strchr(line, '\n')) != nullptr; line = end + 1) {
            *end = '\0';
            found = is_line_of(address, line, path, size);
        }
        used = static_cast<std::size_t>(text + used - line);
        if (used >= sizeof text - 1) used = 0;  // a line longer than that names nothing
        std::memmove(text, line, used);
    }
    syscall(SYS_close, fd);
}

}  // namespace

Found found_at_word(std::uint64_t address, std::uint64_t operation) {
    Found found;
    found.activity = Activity::other_thread;
    if ((operation & FUTEX_PRIVATE_FLAG) != 0) return found;
    char path[sizeof found.object];
    shared_file(address, path, sizeof path);
    if (path[0] == '\0') return found;  // joining a thread is such a wait as well
    found.activity = Activity::lock;
    copy_text(found.object, path);
    return found;
}

}  // namespace clearway::recorder
