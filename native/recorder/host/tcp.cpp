// TCP as this network namespace is set up, and what it counted.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/small_file.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

struct Setting {
    const char* name;
    const char* path;
};

constexpr Setting kSettings[] = {
    {"tcp.congestion_control", "/proc/sys/net/ipv4/tcp_congestion_control"},
    {"tcp.rmem_max", "/proc/sys/net/core/rmem_max"},
    {"tcp.wmem_max", "/proc/sys/net/core/wmem_max"},
    {"tcp.rmem", "/proc/sys/net/ipv4/tcp_rmem"},
    {"tcp.wmem", "/proc/sys/net/ipv4/tcp_wmem"},
    {"tcp.rto_min_us", "/proc/sys/net/ipv4/tcp_rto_min_us"},
    {"tcp.ecn", "/proc/sys/net/ipv4/tcp_ecn"},
    {"tcp.mtu_probing", "/proc/sys/net/ipv4/tcp_mtu_probing"},
    {"tcp.slow_start_after_idle", "/proc/sys/net/ipv4/tcp_slow_start_after_idle"},
    {"tcp.sack", "/proc/sys/net/ipv4/tcp_sack"},
    {"tcp.window_scaling", "/proc/sys/net/ipv4/tcp_window_scaling"},
    {"tcp.timestamps", "/proc/sys/net/ipv4/tcp_timestamps"},
};

constexpr const char* kTcp[] = {"InSegs", "OutSegs", "RetransSegs", "InErrs"};

// Losses and what found them; buffers that overflowed; connections refused.
constexpr const char* kTcpExt[] = {
    "TCPTimeouts",         "TCPLossProbes",     "TCPLossProbeRecovery", "TCPFastRetrans",
    "TCPSlowStartRetrans", "TCPLostRetransmit", "TCPSackRecovery",      "TCPSpuriousRTOs",
    "TCPSynRetrans",       "TCPRetransFail",    "TCPBacklogDrop",       "TCPRcvQDrop",
    "RcvPruned",           "PruneCalled",       "TCPDSACKRecv",         "TCPFromZeroWindowAdv",
    "TCPToZeroWindowAdv",  "ListenDrops",       "ListenOverflows",
};

template <std::size_t count>
bool contains(const char* const (&names)[count], const char* name) {
    return std::any_of(names, names + count, [name](const char* each) { return std::strcmp(each, name) == 0; });
}

// Pairs of lines: "Tcp: InSegs OutSegs …" and "Tcp: 12 34 …".
template <std::size_t count>
void sample_table(CounterSet& counters, const char* path, const char* label, const char* prefix,
                  const char* const (&wanted)[count]) {
    char text[16384];
    if (!read_text(path, text, sizeof text)) return;
    for_each_pair(text, label, [&](const char* name, const char* value) {
        if (contains(wanted, name)) counters.set(prefix, name, std::strtoull(value, nullptr, 10));
    });
}

}  // namespace

void describe_tcp() {
    for (const auto& [name, path] : kSettings) {
        char text[256];
        if (!read_line(path, text, sizeof text)) continue;
        std::replace(text, text + std::strlen(text), '\t', ' ');
        add_host_fact(name, text);
    }
}

void sample_tcp(CounterSet& counters) {
    sample_table(counters, "/proc/thread-self/net/snmp", "Tcp:", "tcp", kTcp);
    sample_table(counters, "/proc/thread-self/net/netstat", "TcpExt:", "tcpext", kTcpExt);
}

}  // namespace clearway::recorder
