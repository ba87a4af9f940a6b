// The network interfaces of this namespace: what they carried, and what their drivers count.
#include <linux/ethtool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/small_file.hpp"
#include "recorder/clock.hpp"
#include "recorder/host/interface_facts.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr std::size_t kMostInterfaces = 64;
// Asking a card's firmware for its statistics can take a millisecond.
constexpr std::uint64_t kDriverPeriod_ns = 5'000'000'000;

// Calls `visit(name, sixteen_counters)` for each line of /proc/net/dev.
template <class Visit>
void visit_interfaces(Visit visit) {
    char text[16384];
    if (!read_text("/proc/thread-self/net/dev", text, sizeof text)) return;
    for_each_line(text, [&](char* line) {
        char* colon = std::strrchr(line, ':');
        if (colon == nullptr) return;
        *colon = '\0';
        while (*line == ' ') ++line;
        std::uint64_t values[16] = {};
        char* at = colon + 1;
        for (auto& value : values) value = std::strtoull(at, &at, 10);
        visit(line, values);
    });
}

struct Driver {
    std::uint32_t statistics;  // how many it has
    char* names;               // ETH_GSTRING_LEN bytes each
    ethtool_stats* values;
};

// Room for a driver's table of names and values, or nothing. Not from the job's allocator.
bool read_driver(const ControlSocket& socket, const char* interface, Driver& driver, void*& room,
                 std::size_t& room_bytes) {
    ethtool_drvinfo about{};
    about.cmd = ETHTOOL_GDRVINFO;
    constexpr std::uint32_t kMostStatistics = 16384;
    if (!socket.ethtool(interface, &about) || about.n_stats == 0 || about.n_stats > kMostStatistics) return false;
    const std::size_t names_bytes = sizeof(ethtool_gstrings) + std::size_t{about.n_stats} * ETH_GSTRING_LEN;
    const std::size_t names_room = (names_bytes + 63) / 64 * 64;
    room_bytes = names_room + sizeof(ethtool_stats) + about.n_stats * sizeof(std::uint64_t);
    room = reinterpret_cast<void*>(
        syscall(SYS_mmap, nullptr, room_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L));
    if (room == MAP_FAILED) return false;
    auto* names = static_cast<ethtool_gstrings*>(room);
    names->cmd = ETHTOOL_GSTRINGS;
    names->string_set = ETH_SS_STATS;
    names->len = about.n_stats;
    auto* values = reinterpret_cast<ethtool_stats*>(static_cast<char*>(room) + names_room);
    values->cmd = ETHTOOL_GSTATS;
    values->n_stats = about.n_stats;
    driver = {about.n_stats, reinterpret_cast<char*>(names->data), values};
    return socket.ethtool(interface, names) && socket.ethtool(interface, values);
}

bool contains_pause(const char* name) { return strcasestr(name, "pause") != nullptr; }

void sample_driver(const ControlSocket& socket, const char* interface, CounterSet& counters) {
    Driver driver{};
    void* room = MAP_FAILED;
    std::size_t room_bytes = 0;
    if (read_driver(socket, interface, driver, room, room_bytes)) {
        for (std::uint32_t i = 0; i < driver.statistics; ++i) {
            char name[ETH_GSTRING_LEN + 1] = {};
            std::memcpy(name, driver.names + std::size_t{i} * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
            if (!contains_pause(name)) continue;
            char prefix[sizeof Counter::name];
            dotted(prefix, "net", interface);
            counters.set(prefix, name, driver.values->data[i]);
        }
    }
    if (room != MAP_FAILED) syscall(SYS_munmap, room, room_bytes);
}

}  // namespace

void describe_interfaces() {
    const ControlSocket socket;
    ifaddrs* addresses = nullptr;
    if (getifaddrs(&addresses) != 0) addresses = nullptr;
    std::size_t seen = 0;
    visit_interfaces([&](const char* interface, const std::uint64_t(&)[16]) {
        if (++seen > kMostInterfaces) return;
        describe_link(socket, interface);
        describe_addresses(addresses, interface);
    });
    if (addresses != nullptr) freeifaddrs(addresses);
    describe_shaping(socket);
}

void sample_interfaces(CounterSet& counters) {
    static std::uint64_t next_driver_ns = 0;
    const std::uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    const bool ask_drivers = now_ns >= next_driver_ns;
    if (ask_drivers) next_driver_ns = now_ns + kDriverPeriod_ns;
    const ControlSocket socket;
    std::size_t seen = 0;
    visit_interfaces([&](const char* interface, const std::uint64_t(&values)[16]) {
        if (++seen > kMostInterfaces) return;
        char prefix[sizeof Counter::name];
        dotted(prefix, "net", interface);
        counters.set(prefix, "rx_bytes", values[0]);
        counters.set(prefix, "rx_packets", values[1]);
        counters.set(prefix, "rx_errors", values[2]);
        counters.set(prefix, "rx_dropped", values[3]);
        counters.set(prefix, "tx_bytes", values[8]);
        counters.set(prefix, "tx_packets", values[9]);
        counters.set(prefix, "tx_errors", values[10]);
        counters.set(prefix, "tx_dropped", values[11]);
        if (ask_drivers) sample_driver(socket, interface, counters);
    });
}

}  // namespace clearway::recorder
