// Fabrics that carry data past the kernel's TCP: the ports that /sys/class/infiniband lists (InfiniBand, RoCE, iWARP,
// Omni-Path).
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/small_file.hpp"
#include "base/text.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr const char* kDevices = "/sys/class/infiniband";
constexpr int kMostPorts = 16;

// Calls `visit(name)` for what a directory lists, at most kMostPorts times.
template <class Visit>
void visit_names(const char* path, Visit visit) {
    const int directory = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
    if (directory < 0) return;
    alignas(dirent64) char entries[4096];
    int seen = 0;
    for (long length; (length = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0;) {
        for (long at = 0; at < length;) {
            const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
            at += entry->d_reclen;
            if (entry->d_name[0] != '.' && ++seen <= kMostPorts) visit(entry->d_name);
        }
    }
    syscall(SYS_close, directory);
}

bool read_port(const char* device, const char* port, const char* what, char (&text)[64]) {
    char path[160];
    std::snprintf(path, sizeof path, "%s/%.63s/ports/%.15s/%s", kDevices, device, port, what);
    return read_line(path, text, sizeof text);
}

// "100 Gb/sec (4X EDR)", "2.5 Gb/sec (1X SDR)"
unsigned long long as_mbit(const char* rate) {
    char* rest = nullptr;
    const unsigned long long gbit = std::strtoull(rate, &rest, 10);
    const bool tenths = rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9';
    return 1000 * gbit + (tenths ? 100ULL * static_cast<unsigned>(rest[1] - '0') : 0);
}

// state "4: ACTIVE", rate as above, link_layer "InfiniBand" or "Ethernet".
void describe_port(const char* device, const char* port) {
    char state[64], rate[64], layer[64], name[sizeof Fact::name], text[64];
    if (!read_port(device, port, "state", state) || std::strstr(state, "ACTIVE") == nullptr) return;
    if (!read_port(device, port, "rate", rate)) return;
    std::snprintf(name, sizeof name, "rdma.%.40s.%.8s.mbit", device, port);
    std::snprintf(text, sizeof text, "%llu", as_mbit(rate));
    add_host_fact(name, text);
    if (!read_port(device, port, "link_layer", layer)) return;
    std::snprintf(name, sizeof name, "rdma.%.40s.%.8s.layer", device, port);
    add_host_fact(name, layer);
}

}  // namespace

void describe_rdma() {
    visit_names(kDevices, [](const char* device) {
        char ports[160];
        std::snprintf(ports, sizeof ports, "%s/%.63s/ports", kDevices, device);
        visit_names(ports, [device](const char* port) { describe_port(device, port); });
    });
}

}  // namespace clearway::recorder
