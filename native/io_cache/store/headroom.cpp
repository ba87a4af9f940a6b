#include "io_cache/store/headroom.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/borrowed.hpp"
#include "base/small_file.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint64_t kUnknown = UINT64_MAX;
using Text = char[8192];

// The number that follows `name`, at the begin of a line or of the text.
std::uint64_t number_on_line(const char* text, const char* name) {
    const std::size_t length = std::strlen(name);
    for (const char* line = text; line != nullptr; line = std::strchr(line, '\n')) {
        line += *line == '\n' ? 1 : 0;
        if (std::strncmp(line, name, length) != 0) continue;
        const char* number = line + length + std::strspn(line + length, " \t");
        return *number >= '0' && *number <= '9' ? std::strtoull(number, nullptr, 10) : kUnknown;
    }
    return kUnknown;
}

// "max" in a file of version 2 means no limit: it is no number.
std::uint64_t number_in(const char* folder, const char* file, const char* name = "") {
    Borrowed<char[4352]> path;
    Borrowed<Text> text;
    if (!path || !text) return kUnknown;
    std::snprintf(*path, sizeof *path, "%s/%s", folder, file);
    return read_small_file(*path, *text, sizeof *text) < 0 ? kUnknown : number_on_line(*text, name);
}

struct Names {
    const char *mounted, *limit, *usage, *inactive, *active, *dirty, *writeback;
};
constexpr Names kVersion1{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                          "total_inactive_file",   "total_active_file",     "total_dirty",
                          "total_writeback"};
constexpr Names kVersion2{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file",
                          "active_file",    "file_dirty", "file_writeback"};

Headroom headroom_of_group(const Names& names, const char* group) {
    Borrowed<char[4096]> text;
    if (!text) return {};
    char(&folder)[4096] = *text;
    std::snprintf(folder, sizeof folder, "%s%.*s", names.mounted, static_cast<int>(std::strcspn(group, "\n")), group);
    const std::uint64_t limit = number_in(folder, names.limit), usage = number_in(folder, names.usage);
    if (limit == kUnknown || usage == kUnknown) return {};
    // What is on its way to the disk cannot be had: the kernel would rather kill than wait for it.
    const auto said = [&](const char* name) {
        const std::uint64_t bytes = number_in(folder, "memory.stat", name);
        return bytes == kUnknown ? 0 : bytes;
    };
    const std::uint64_t cached = said(names.inactive) + said(names.active);
    const std::uint64_t clean = cached - std::min(cached, said(names.dirty) + said(names.writeback));
    const auto left = [&](std::uint64_t free) { return limit - std::min(limit, usage - std::min(usage, free)); };
    return {.bytes = left(clean), .soon_bytes = left(cached), .of_bytes = limit};
}

Headroom headroom_of_host() {
    Borrowed<Text> memory;
    if (!memory || !read_text("/proc/meminfo", *memory, sizeof *memory)) return {};
    const auto said = [&](const char* name) {
        const std::uint64_t kilobytes = number_on_line(*memory, name);
        return kilobytes == kUnknown ? kUnknown : kilobytes * 1024;
    };
    const std::uint64_t available = said("MemAvailable:");
    return {.bytes = available, .soon_bytes = available, .of_bytes = said("MemTotal:")};
}

Headroom least(const Headroom& a, const Headroom& b) { return b.bytes < a.bytes ? b : a; }

Headroom headroom_of_groups() {
    Borrowed<Text> text;
    if (!text || !read_text("/proc/self/cgroup", *text, sizeof *text)) return {};
    Headroom found;
    if (const char* group = std::strstr(*text, ":memory:"))
        found = headroom_of_group(kVersion1, group + std::strlen(":memory:"));
    if (const char* group = std::strstr(*text, "0::"))
        found = least(found, headroom_of_group(kVersion2, group + std::strlen("0::")));
    return found;
}

}  // namespace

Headroom headroom() {
    const int saved_errno = errno;
    const Headroom found = least(headroom_of_host(), headroom_of_groups());
    errno = saved_errno;
    return found;
}

}  // namespace clearway::io_cache
