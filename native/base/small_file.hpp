// The small text files of /proc and /sys. By raw system calls, for libc's names may be entry points of our own; no
// allocation.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace clearway {

enum class Until { end, line };

// The start of a file, with a NUL behind it: how many bytes, or -errno and an empty text. Of files of one line the
// kernel gives that with the first reading, and no second need ask for more.
inline long read_small_file(const char* path, char* text, std::size_t size, Until until = Until::end) {
    const int saved_errno = errno;
    text[0] = '\0';
    const int fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0));
    long count = fd < 0 ? -errno : 0;
    std::size_t used = 0;
    while (fd >= 0 && used < size - 1) {
        count = syscall(SYS_read, fd, text + used, size - 1 - used);
        if (count < 0) count = -errno;
        if (count <= 0) break;
        used += static_cast<std::size_t>(count);
        if (until == Until::line && text[used - 1] == '\n') break;
    }
    if (fd >= 0) syscall(SYS_close, fd);
    errno = saved_errno;
    text[used] = '\0';
    return used > 0 || count >= 0 ? static_cast<long>(used) : count;
}

// Whether there was anything in it.
inline bool read_text(const char* path, char* text, std::size_t size) { return read_small_file(path, text, size) > 0; }

// Of a file of one line, but a name in it may have more: /proc/PID/stat.
inline bool read_record(const char* path, char* text, std::size_t size) {
    return read_small_file(path, text, size, Until::line) > 0;
}

// The first line, without its end, for files of one value.
inline bool read_line(const char* path, char* text, std::size_t size) {
    if (!read_record(path, text, size)) return false;
    text[std::strcspn(text, "\n")] = '\0';
    return text[0] != '\0';
}

// The number after `label` in `text`: number_after(meminfo, "MemTotal:"). False where the label is missing.
inline bool number_after(const char* text, const char* label, std::uint64_t& number) {
    const char* at = std::strstr(text, label);
    if (at == nullptr) return false;
    char* end = nullptr;
    const char* digits = at + std::strlen(label);
    number = std::strtoull(digits, &end, 10);
    return end != digits;
}

// Calls `visit(line)` for each line, cut into NUL-terminated pieces in place.
template <class Visit>
void for_each_line(char* text, Visit visit) {
    while (*text != '\0') {
        char* end = std::strchr(text, '\n');
        if (end != nullptr) *end = '\0';
        visit(text);
        if (end == nullptr) return;
        text = end + 1;
    }
}

// /proc/net/snmp and netstat: pairs of lines, "Tcp: InSegs OutSegs …" and "Tcp: 12 34 …". Calls `visit(name, value)`
// for what stands under `label`, here "Tcp:"; cuts the text in place.
template <class Visit>
void for_each_pair(char* text, const char* label, Visit visit) {
    char* names = nullptr;
    for_each_line(text, [&](char* line) {
        if (std::strncmp(line, label, std::strlen(label)) != 0) return;
        if (names == nullptr) {
            names = line;
            return;
        }
        char *name_rest = nullptr, *value_rest = nullptr;
        const char* name = strtok_r(names, " ", &name_rest);
        const char* value = strtok_r(line, " ", &value_rest);
        for (; name != nullptr && value != nullptr;
             name = strtok_r(nullptr, " ", &name_rest), value = strtok_r(nullptr, " ", &value_rest))
            visit(name, value);
    });
}

}  // namespace clearway
