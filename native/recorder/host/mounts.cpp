// What is mounted where: a file's name then tells which file system it is on.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "base/small_file.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr int kMostMounts = 48;

// Kinds that hold no file of a job.
constexpr const char* kOfTheKernel[] = {
    "autofs",   "binfmt_misc", "bpf",        "cgroup",    "cgroup2", "configfs", "debugfs", "devpts",
    "devtmpfs", "efivarfs",    "fusectl",    "hugetlbfs", "mqueue",  "nsfs",     "proc",    "pstore",
    "ramfs",    "rpc_pipefs",  "securityfs", "selinuxfs", "sysfs",   "tracefs",
};

bool of_the_kernel(const char* type) {
    return std::any_of(std::begin(kOfTheKernel), std::end(kOfTheKernel),
                       [type](const char* each) { return std::strcmp(each, type) == 0; });
}

// proc(5): "36 35 98:0 /root /mount/point options [optional…] - type source super-options"
bool describe_mount(char* line, int number) {
    char* dash = std::strstr(line, " - ");
    if (dash == nullptr) return false;
    *dash = '\0';
    char *rest = nullptr, *kind = nullptr;
    const char* point = strtok_r(line, " ", &rest);
    for (int field = 0; field < 4 && point != nullptr; ++field) point = strtok_r(nullptr, " ", &rest);
    const char* type = strtok_r(dash + 3, " ", &kind);
    const char* source = strtok_r(nullptr, " ", &kind);
    if (point == nullptr || type == nullptr || source == nullptr || of_the_kernel(type)) return false;
    char name[sizeof Fact::name], text[sizeof Fact::text];
    std::snprintf(name, sizeof name, "mount.%d", number);
    if (std::snprintf(text, sizeof text, "%s %s %s", type, point, source) >= static_cast<int>(sizeof text))
        return false;
    add_host_fact(name, text);
    return true;
}

}  // namespace

void describe_mounts() {
    char text[32768];
    if (!read_text("/proc/self/mountinfo", text, sizeof text)) return;
    int mounts = 0;
    for_each_line(text, [&](char* line) {
        if (mounts < kMostMounts && describe_mount(line, mounts)) ++mounts;
    });
}

}  // namespace clearway::recorder
