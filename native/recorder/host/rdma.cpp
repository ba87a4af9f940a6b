// Fabrics that carry data past the kernel's TCP: the ports that /sys/class/infiniband lists (InfiniBand, RoCE, iWARP,
// Omni-Path).
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/folder.hpp"
#include "base/small_file.hpp"
#include "base/text.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr const char* kDevices = "/sys/class/infiniband";
constexpr int kMostPorts = 16;

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
    int seen = 0;
    for_each_name(kDevices, [&seen](const char* device) {
        char ports[160];
        std::snprintf(ports, sizeof ports, "%s/%.63s/ports", kDevices, device);
        for_each_name(ports, [&seen, device](const char* port) {
            describe_port(device, port);
            return ++seen < kMostPorts;
        });
        return seen < kMostPorts;
    });
}

}  // namespace clearway::recorder
