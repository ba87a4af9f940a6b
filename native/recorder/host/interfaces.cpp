// The network interfaces of this namespace: what they are, what they carried, what their drivers count.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "recorder/clock.hpp"
#include "recorder/host/proc_text.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway {
namespace {

constexpr std::size_t kMostInterfaces = 64;
// Asking a card's firmware for its statistics can take a millisecond.
constexpr std::uint64_t kDriverPeriod_ns = 5'000'000'000;

// Any socket will do to ask the kernel about interfaces.
class ControlSocket {
public:
    ControlSocket() : fd_(static_cast<int>(syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))) {}
    ~ControlSocket() {
        if (fd_ >= 0) syscall(SYS_close, fd_);
    }
    ControlSocket(const ControlSocket&) = delete;
    ControlSocket& operator=(const ControlSocket&) = delete;

    bool ask(const char* interface, unsigned long what, void* command, ifreq& request) const {
        std::memset(&request, 0, sizeof request);
        append_text(request.ifr_name, interface);
        request.ifr_data = static_cast<char*>(command);
        return fd_ >= 0 && syscall(SYS_ioctl, fd_, what, &request) == 0;
    }

    bool ethtool(const char* interface, void* command) const {
        ifreq request;
        return ask(interface, SIOCETHTOOL, command, request);
    }

private:
    int fd_;
};

void add_fact(const char* interface, const char* name, const char* text) {
    char whole[sizeof Fact::name];
    char prefix[sizeof whole];
    dotted(prefix, "net", interface);
    dotted(whole, prefix, name);
    add_host_fact(whole, text);
}

void add_number(const char* interface, const char* name, std::uint64_t number) {
    char text[32];
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(number));
    add_fact(interface, name, text);
}

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

void describe_link(const ControlSocket& socket, const char* interface) {
    ethtool_cmd link{};
    link.cmd = ETHTOOL_GSET;
    if (socket.ethtool(interface, &link)) {
        const std::uint32_t speed_mbit = ethtool_cmd_speed(&link);
        if (speed_mbit != 0 && speed_mbit != static_cast<std::uint32_t>(SPEED_UNKNOWN))
            add_number(interface, "speed_mbit", speed_mbit);
        if (link.duplex == DUPLEX_FULL) add_fact(interface, "duplex", "full");
        if (link.duplex == DUPLEX_HALF) add_fact(interface, "duplex", "half");
    }
    ethtool_pauseparam pause{};
    pause.cmd = ETHTOOL_GPAUSEPARAM;
    if (socket.ethtool(interface, &pause)) {
        add_fact(interface, "pause_autoneg", pause.autoneg != 0 ? "on" : "off");
        add_fact(interface, "rx_pause", pause.rx_pause != 0 ? "on" : "off");
        add_fact(interface, "tx_pause", pause.tx_pause != 0 ? "on" : "off");
    }
    ifreq request;
    if (socket.ask(interface, SIOCGIFMTU, nullptr, request))
        add_number(interface, "mtu", static_cast<std::uint64_t>(request.ifr_mtu));
}

void describe_addresses(const ifaddrs* all, const char* interface) {
    char text[sizeof Fact::text] = "";
    for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
        if (each->ifa_addr == nullptr || std::strcmp(each->ifa_name, interface) != 0) continue;
        const int family = each->ifa_addr->sa_family;
        const void* address = nullptr;
        if (family == AF_INET) address = &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr;
        if (family == AF_INET6) address = &reinterpret_cast<const sockaddr_in6*>(each->ifa_addr)->sin6_addr;
        char one[INET6_ADDRSTRLEN];
        if (address == nullptr || inet_ntop(family, address, one, sizeof one) == nullptr) continue;
        if (text[0] != '\0') append_text(text, " ");
        append_text(text, one);
    }
    if (text[0] != '\0') add_fact(interface, "addresses", text);
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
}

void sample_interfaces(CounterSet& counters) {
    static std::uint64_t next_driver_ns = 0;
    const std::uint64_t now_ns = read_clock_ns(CLOCK_MONOTONIC);
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

}  // namespace clearway
