#include "recorder/profile/code_ranges.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "base/text.hpp"
#include "recorder/clock.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint64_t kBetweenLooks_ns = 1'000'000'000;  // a process may have a map of a megabyte
std::uint64_t next_look_ns = 0;

std::uint32_t find(std::uint64_t address) {
    for (std::uint32_t i = process.code_ranges.size(); i-- > 0;) {
        const CodeRange& range = *process.code_ranges.at(i);
        if (address >= range.begin && address < range.end) return i;
    }
    return kNoRange;
}

// Of a file that is still there, as the process sees it.
void describe_file(CodeRange& range, const char* path) {
    if (path[0] != '/') {
        copy_text(range.path, path[0] == '[' ? path : "[run time]");
        return;
    }
    if (std::strlen(path) >= sizeof range.path) return;
    copy_text(range.path, path);
    struct stat file {};
    if (syscall(SYS_newfstatat, AT_FDCWD, path, &file, 0) != 0) return;
    range.file_bytes = static_cast<std::uint64_t>(file.st_size);
    range.modified_s = file.st_mtim.tv_sec;
}

// A line of /proc/self/maps: "begin-end perms offset device inode   path". Puts it on record if `address` is in it.
bool take(const char* line, std::uint64_t address) {
    unsigned long begin = 0, end = 0, offset = 0;
    char permissions[8] = "";
    int path_at = 0;
    if (std::sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &begin, &end, permissions, &offset, &path_at) < 4) return false;
    if (address < begin || address >= end || permissions[2] != 'x') return false;
    CodeRange range{};
    range.begin = begin;
    range.end = end;
    range.file_offset = offset;
    describe_file(range, line + path_at);
    process.code_ranges.add(process.file, range);
    return true;
}

// Read in pieces, for it may be long; a line that is longer than the buffer has a path that is cut anyway.
void look_for(std::uint64_t address) {
    const long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    char text[8192];
    std::size_t used = 0;
    for (bool found = false; !found;) {
        const long count = syscall(SYS_read, fd, text + used, sizeof text - 1 - used);
        if (count <= 0) break;
        used += static_cast<std::size_t>(count);
        text[used] = '\0';
        char* line = text;
        for (char* end = std::strchr(line, '\n'); end != nullptr && !found; end = std::strchr(line, '\n')) {
            *end = '\0';
            found = take(line, address);
            line = end + 1;
        }
        used = static_cast<std::size_t>(text + used - line);
        if (used == sizeof text - 1) break;
        std::memmove(text, line, used);
    }
    syscall(SYS_close, fd);
}

}  // namespace

std::uint32_t code_range_of(std::uint64_t address) {
    const std::uint32_t known = find(address);
    if (known != kNoRange) return known;
    const std::uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    if (now_ns < next_look_ns) return kNoRange;
    const std::uint32_t before = process.code_ranges.size();
    look_for(address);
    if (process.code_ranges.size() == before) next_look_ns = now_ns + kBetweenLooks_ns;  // there is none, or no room
    return find(address);
}

}  // namespace clearway::recorder
