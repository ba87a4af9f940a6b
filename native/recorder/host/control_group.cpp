#include "recorder/host/control_group.hpp"

#include <cstdio>
#include <cstring>

#include "base/small_file.hpp"
#include "base/text.hpp"

namespace clearway::recorder {

// "4:memory:/a/b" gives version 1's mount point and /a/b; "0::/a/b" version 2's.
bool find_group(const char* controller, Group& group) {
    char text[4096];
    bool found = false, found_v1 = false;
    if (!read_text("/proc/self/cgroup", text, sizeof text)) return false;
    for_each_line(text, [&](char* line) {
        char* controllers = std::strchr(line, ':');
        char* path = controllers != nullptr ? std::strchr(controllers + 1, ':') : nullptr;
        if (path == nullptr || found_v1) return;
        *path++ = '\0';
        ++controllers;
        char name[64];
        std::snprintf(name, sizeof name, ",%s,", controller);
        char listed[256];
        std::snprintf(listed, sizeof listed, ",%s,", controllers);
        found_v1 = std::strstr(listed, name) != nullptr;
        if (!found_v1 && *controllers != '\0') return;
        std::snprintf(group.path, sizeof group.path, "/sys/fs/cgroup%s%s%s", found_v1 ? "/" : "",
                      found_v1 ? controllers : "", path);
        found = true;
    });
    return found;
}

bool read_of(const Group& group, const char* file, char* text, std::size_t size) {
    char path[1200];
    std::snprintf(path, sizeof path, "%s/%s", group.path, file);
    return read_line(path, text, size);
}

bool rise(Group& group) {
    char* slash = std::strrchr(group.path, '/');
    if (slash == nullptr || slash - group.path < static_cast<long>(std::strlen("/sys/fs/cgroup"))) return false;
    *slash = '\0';
    return true;
}

}  // namespace clearway::recorder
