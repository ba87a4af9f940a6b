#include "bench/hosts.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>

namespace clearway::bench {

namespace {

// The name alone is not enough where containers or network namespaces share one.
std::uint64_t host_token() {
    char name[256] = "", network[256] = "";
    gethostname(name, sizeof name - 1);
    if (readlink("/proc/self/ns/net", network, sizeof network - 1) < 0) network[0] = '\0';
    return std::hash<std::string>()(std::string(name) + '\n' + network);
}

// /proc/net/snmp and netstat are pairs of lines: "Tcp: NAME NAME ..." and "Tcp: VALUE VALUE ...".
std::uint64_t read_counter(const char* path, const char* group, const char* name) {
    std::FILE* const file = std::fopen(path, "re");
    if (file == nullptr) return 0;
    static char names[16384], values[16384];
    std::uint64_t value = 0;
    while (std::fgets(names, sizeof names, file) != nullptr && std::fgets(values, sizeof values, file) != nullptr) {
        char *name_rest = nullptr, *value_rest = nullptr;
        const char* one_name = strtok_r(names, " \n", &name_rest);
        const char* one_value = strtok_r(values, " \n", &value_rest);
        if (one_name == nullptr || std::strcmp(one_name, group) != 0) continue;
        while (one_name != nullptr && one_value != nullptr && std::strcmp(one_name, name) != 0) {
            one_name = strtok_r(nullptr, " \n", &name_rest);
            one_value = strtok_r(nullptr, " \n", &value_rest);
        }
        if (one_name != nullptr && one_value != nullptr) value = std::strtoull(one_value, nullptr, 10);
        break;
    }
    std::fclose(file);
    return value;
}

std::uint64_t sum_over_hosts(const World& world, const Hosts& hosts, std::uint64_t value) {
    const std::vector<std::uint64_t> values = gather_all(world, hosts.speaks_for_host ? value : 0);
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

}  // namespace

Hosts find_hosts(const World& world) {
    const std::vector<std::uint64_t> tokens = gather_all(world, host_token());
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
