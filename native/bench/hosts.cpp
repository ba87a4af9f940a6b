#include "bench/hosts.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>

#include "base/host.hpp"
#include "base/small_file.hpp"

namespace clearway::bench {

namespace {

// /proc/net/snmp and netstat are pairs of lines: "Tcp: NAME NAME ..." and "Tcp: VALUE VALUE ...".
std::uint64_t read_counter(const char* path, const char* group, const char* wanted) {
    std::uint64_t found = 0;
    static char text[16384];
    read_text(path, text, sizeof text);
    for_each_pair(text, group, [&](const char* name, const char* value) {
        if (std::strcmp(name, wanted) == 0) found = std::strtoull(value, nullptr, 10);
    });
    return found;
}

std::uint64_t sum_over_hosts(const World& world, const Hosts& hosts, std::uint64_t value) {
    const std::vector<std::uint64_t> values = gather_all(world, hosts.speaks_for_host ? value : 0);
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

}  // namespace

Hosts find_hosts(const World& world) {
    const std::vector<std::uint64_t> tokens = gather_all(world, host_identity());
    std::map<std::uint64_t, std::uint32_t> ranks_of;
    for (const std::uint64_t token : tokens) ++ranks_of[token];
    Hosts hosts;
    hosts.count = static_cast<std::uint32_t>(ranks_of.size());
    for (const auto& [token, ranks] : ranks_of) hosts.most_ranks = std::max(hosts.most_ranks, ranks);
    const auto lowest = std::find(tokens.begin(), tokens.end(), tokens[world.rank]);
    hosts.speaks_for_host = lowest - tokens.begin() == static_cast<std::ptrdiff_t>(world.rank);
    return hosts;
}

TcpCounters count_tcp(const World& world, const Hosts& hosts) {
    const std::uint64_t retransmits = read_counter("/proc/self/net/snmp", "Tcp:", "RetransSegs");
    const std::uint64_t timeouts = read_counter("/proc/self/net/netstat", "TcpExt:", "TCPTimeouts");
    return {sum_over_hosts(world, hosts, retransmits), sum_over_hosts(world, hosts, timeouts)};
}

}  // namespace clearway::bench
