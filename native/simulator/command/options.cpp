#include "simulator/command/options.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "simulator/command/wish.hpp"

namespace clearway::simulator {

namespace {

constexpr char kHelp[] =
    "usage: clearway-simulate [OPTIONS]\n"
    "\n"
    "Simulates calls of a collective operation, or a job, packet by packet, and prints what happened as JSON.\n"
    "`clearway predict` shows the same to people. The same options print the same bytes.\n"
    "\n"
    "  --operation NAME   alltoall (default), allgather\n"
    "  --candidate TEXT   ALGORITHM[+GATE[:WINDOW]][,chunk:BYTES] (default ordered)\n"
    "\n"
    "  --script FILE      a job instead: what its ranks do (docs/workloads.md)\n"
    "  --run DIR          leave a Run of it, as if it had been recorded\n"
    "  --alltoall TEXT    candidate for its MPI_Alltoall (default ordered)\n"
    "  --alltoallv TEXT   candidate for its MPI_Alltoallv (default: as its MPI_Alltoall)\n"
    "  --allgather TEXT   candidate for its MPI_Allgather(v) (default ring)\n"
    "  --places H,H,...   host of each of its ranks (default: hosts are filled in order)\n"
    "\n"
    "Each of these takes a number:\n";

Parsed complain(const std::string& message) {
    std::fprintf(stderr, "error: %s\n\nhint: clearway-simulate --help\n", message.c_str());
    return Parsed::wrong;
}

struct Number {
    std::string_view name;
    std::string_view meaning;
    std::uint64_t* value = nullptr;
    std::uint32_t* small = nullptr;
    bool* flag = nullptr;
};

std::vector<Number> numbers_of(Wish& wish) {
    const auto wide = [](std::string_view name, std::uint64_t& value, std::string_view meaning) {
        return Number{.name = name, .meaning = meaning, .value = &value};
    };
    const auto small = [](std::string_view name, std::uint32_t& value, std::string_view meaning) {
        return Number{.name = name, .meaning = meaning, .small = &value};
    };
    const auto flag = [](std::string_view name, bool& value, std::string_view meaning) {
        return Number{.name = name, .meaning = meaning, .flag = &value};
    };
    return {
        wide("--bytes", wish.block_bytes, "of a block"),
        wide("--hosts", wish.hosts, "hosts"),
        wide("--ranks-per-host", wish.ranks_per_host, "ranks on each"),
        wide("--calls", wish.calls, "one after another, on the same connections"),
        wide("--pause-ns", wish.pause_ns, "between calls"),
        flag("--barrier-before", wish.meets_before_calls, "1: ranks meet before each call, and each times its own"),
        wide("--seed", wish.seed, "of everything that chance decides"),
        wide("--rate-bps", wish.link.rate_bps, "of each link, in each direction"),
        wide("--latency-ns", wish.link.latency_ns, "of each link; a packet through a switch takes two"),
        wide("--buffer-bytes", wish.buffer_bytes, "of each switch port; 0: deep"),
        wide("--burst-bytes", wish.link.burst_bytes, "that a link passes at once after a rest (tbf)"),
        wide("--mark-bytes", wish.link.mark_bytes, "waiting at a port from which packets are marked (ECN)"),
        wide("--shared-bytes", wish.shared_bytes, "of one buffer for all ports, with dynamic thresholds"),
        wide("--shared-percent", wish.shared_percent, "of what is free that one port may hold"),
        wide("--crossover", wish.is_crossover, "1: two hosts and a cable"),
        small("--leaf-hosts", wish.leaf_hosts, "on each leaf, which have one uplink to each spine; 0: no leaves"),
        small("--spines", wish.spines, "that join the leaves"),
        small("--fat-tree-ports", wish.fat_tree_ports, "of each switch of a fat tree; 0: no fat tree"),
        wide("--uplink-bps", wish.uplink_bps, "between switches"),
        wide("--uplink-latency-ns", wish.uplink_latency_ns, "of each uplink"),
        wide("--uplink-buffer-bytes", wish.uplink_buffer_bytes, "of each uplink; 0: deep"),
        flag("--arrivals-first", wish.arrivals_first, "1: what comes as a packet leaves a queue finds it there"),
        flag("--cut-through", wish.cuts_through, "1: switches send a packet on when its head has come"),
        small("--header-bytes", wish.framing.header_bytes, "IP and TCP"),
        small("--frame-bytes", wish.framing.frame_bytes, "around each packet, counted in buffers"),
        small("--least-frame-bytes", wish.framing.least_frame_bytes, "that a frame is padded to"),
        small("--gap-bytes", wish.framing.gap_bytes, "around each frame on the wire alone"),
        small("--segment-bytes", wish.tcp.segment_bytes, "of payload in a full packet"),
        small("--initial-window", wish.tcp.initial_window, "segments"),
        wide("--send-buffer-bytes", wish.tcp.send_buffer_bytes, "of each connection"),
        wide("--receive-buffer-bytes", wish.tcp.receive_buffer_bytes, "of each connection"),
        wide("--least-timeout-ns", wish.tcp.least_timeout_ns, "TCP's minimum RTO"),
        wide("--tick-ns", wish.tcp.tick_ns, "of the kernel's timers; 0: exact"),
        wide("--delayed-ack-ns", wish.tcp.delayed_ack_ns, "how long acknowledgements may wait"),
        small("--ack-segments", wish.tcp.ack_segments,
              "of any length are acknowledged together; 0: more than a full one, as Linux"),
        small("--quick-acks", wish.tcp.quick_acks, "segments acknowledged at once on a young connection"),
        wide("--card-queue-bytes", wish.tcp.card_queue_bytes, "kernel memory of a connection before its card; 0: any"),
        wide("--pace-bytes-per-s", wish.tcp.most_bytes_per_s, "of a connection, which paces itself; 0: it does not"),
        flag("--restart-after-idle", wish.tcp.restarts_after_idle, "1: slow start after idleness"),
        flag("--probe-tails", wish.tcp.probes_tails, "1: tail loss probes and RACK, as Linux since 2013 and 2017"),
        flag("--hystart", wish.tcp.has_hystart, "1: slow start of CUBIC ends before it loses packets"),
        flag("--ecn", wish.tcp.has_ecn, "1: heed marks"),
        wide("--eager-bytes", wish.mpi.eager_bytes, "up to which a message is sent unasked"),
        wide("--message-header-bytes", wish.mpi.header_bytes, "of MPI, before each message"),
        wide("--message-ns", wish.mpi.message_ns, "of a core for each message sent or received"),
        wide("--kilobyte-ns", wish.mpi.kilobyte_ns, "of a core for each 1,000 bytes"),
        wide("--memory-latency-ns", wish.mpi.memory_latency_ns, "inside a host"),
        wide("--memory-kilobyte-ns", wish.mpi.memory_kilobyte_ns, "inside a host, for each 1,000 bytes"),
        wide("--skew-ns", wish.noise.skew_ns, "ranks begin a call up to so much late"),
        wide("--noise-period-ns", wish.noise.period_ns, "mean time between a core's detours; 0: none"),
        wide("--noise-detour-ns", wish.noise.detour_ns, "their mean length"),
        wide("--wakeup-ns", wish.noise.wakeup_ns, "until a rank that waits notices something, on average"),
        small("--shared-cores", wish.noise.cores, "that all ranks share; 0: each has its own"),
        flag("--share-computing", wish.noise.shares_computing,
             "1: on those cores; 0: its times hold the waiting already"),
    };
}

void print_help(Wish& wish) {
    std::fputs(kHelp, stdout);
    for (const Number& number : numbers_of(wish)) {
        const std::uint64_t standard = number.value != nullptr   ? *number.value
                                       : number.small != nullptr ? *number.small
                                                                 : std::uint64_t{*number.flag};
        std::printf("  %-23s %s", number.name.data(), number.meaning.data());
        if (standard == kUnlimited) {
            std::puts("");
        } else {
            std::printf(" (default %llu)\n", static_cast<unsigned long long>(standard));
        }
    }
    std::fputs(
        "\nAnd:\n"
        "  --sub-switches S,S,...  the sub-switch that each host is plugged into, numbered from 0\n"
        "  --uplinks-bps R,R,...   of each sub-switch, where they differ; --uplink-buffers-bytes B,B,... likewise\n"
        "  --flow-control NAME     off (default), pause, pfc: ports stop whoever sends more than they pass on\n"
        "  --congestion NAME       cubic (default), reno, dctcp\n"
        "  --timeout-rule NAME     linux (default): SRTT + minimum; rfc6298: the larger of both\n"
        "  -h, --help              print this\n"
        "  -V, --version           print the version\n",
        stdout);
}

bool to_number(std::string_view text, std::uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

bool set(const Number& number, std::string_view text) {
    std::uint64_t value = 0;
    if (!to_number(text, value)) return false;
    if (number.value != nullptr) *number.value = value;
    if (number.small != nullptr) *number.small = static_cast<std::uint32_t>(value);
    if (number.flag != nullptr) *number.flag = value != 0;
    return number.small == nullptr || value <= 0xFFFFFFFF;
}

template <class Value>
bool set_list(std::vector<Value>& values, std::string_view text, std::uint64_t most) {
    for (;;) {
        const std::size_t comma = text.find(',');
        std::uint64_t number = 0;
        if (!to_number(text.substr(0, comma), number) || number > most) return false;
        values.push_back(static_cast<Value>(number));
        if (comma == std::string_view::npos) return true;
        text.remove_prefix(comma + 1);
    }
}

bool set_lists(Wish& wish, std::string_view option, std::string_view value) {
    if (option == "--sub-switches") return set_list(wish.sub_switch_of_host, value, 0xFFFF);
    if (option == "--uplinks-bps") return set_list(wish.uplinks_bps, value, ~std::uint64_t{0});
    if (option == "--uplink-buffers-bytes") return set_list(wish.uplink_buffers_bytes, value, ~std::uint64_t{0});
    return false;
}

bool set_text(Wish& wish, std::string_view option, std::string_view value) {
    if (option == "--operation") return wish.operation = value, true;
    if (option == "--candidate") return wish.candidate = value, true;
    if (option == "--flow-control") return wish.flow_control = value, true;
    if (option == "--congestion") return wish.congestion = value, true;
    if (option == "--timeout-rule") return wish.timeout_rule = value, true;
    return false;
}

}  // namespace

Parsed parse_options(char** arguments, Scenario& scenario) {
    Wish wish;
    const std::vector<Number> numbers = numbers_of(wish);
    for (char** argument = arguments + 1; *argument != nullptr; ++argument) {
        const std::string option = *argument;
        if (option == "-h" || option == "--help") return print_help(wish), Parsed::done;
        if (option == "-V" || option == "--version")
            return std::puts("clearway-simulate " CLEARWAY_VERSION), Parsed::done;
        const char* value = argument[1];
        bool is_right = value != nullptr && set_text(wish, option, value);
        if (!is_right && value != nullptr) is_right = set_lists(wish, option, value);
        for (const Number& number : numbers)
            if (!is_right && value != nullptr && number.name == option) is_right = set(number, value);
        if (!is_right)
            return complain("'" + option + (value == nullptr ? "'" : " " + std::string(value) + "'") +
                            " makes no sense");
        ++argument;
    }
    if (const std::string fault = make_scenario(wish, scenario); !fault.empty()) return complain(fault);
    return Parsed::simulate;
}

}  // namespace clearway::simulator
