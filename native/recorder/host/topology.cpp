// What the cores of this host are: sockets, cores and their hardware threads, memory nodes, frequencies (sysfs).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/small_file.hpp"
#include "base/text.hpp"
#include "recorder/host/cpu_list.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr int kMostProcessors = 4096;
constexpr int kMostNodes = 64;
constexpr char kCpu0[] = "/sys/devices/system/cpu/cpu0";

void add_number(const char* name, std::uint64_t number) {
    char text[32];
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(number));
    add_host_fact(name, text);
}

bool read_of_processor(int cpu, const char* what, char* text, std::size_t size) {
    char path[128];
    std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, what);
    return read_line(path, text, size);
}

// Words such as the hardware threads of each core, "0,64 1,65 2,66", in as many numbered facts as that takes.
class Words {
public:
    explicit Words(const char* name) : name_(name) {}

    void add(const char* word) {
        if (std::strlen(text_) + std::strlen(word) + 2 > sizeof text_) flush();
        if (text_[0] != '\0') append_text(text_, " ");
        append_text(text_, word);
    }

    void flush() {
        if (text_[0] == '\0') return;
        char name[sizeof Fact::name];
        std::snprintf(name, sizeof name, "%s.%d", name_, facts_++);
        add_host_fact(name, text_);
        text_[0] = '\0';
    }

private:
    const char* name_;
    char text_[sizeof Fact::text] = "";
    int facts_ = 0;
};

// The highest frequency of the processors of each kind, "0-15:5200000 16-23:3900000". Nothing where all are of one
// kind: the favoured ones among them, which may run a few percent faster, are none.
class Kinds {
public:
    void add(int cpu, std::uint64_t khz) {
        if (first_ >= 0 && (cpu != last_ + 1 || !alike(khz, khz_))) write();
        if (first_ < 0) {
            first_ = cpu;
            khz_ = khz;
        }
        last_ = cpu;
        slowest_khz_ = std::min(slowest_khz_, khz);
        fastest_khz_ = std::max(fastest_khz_, khz);
    }

    void flush() {
        if (first_ < 0 || alike(slowest_khz_, fastest_khz_)) return;
        write();
        words_.flush();
    }

private:
    static bool alike(std::uint64_t khz, std::uint64_t other_khz) {
        return std::max(khz, other_khz) - std::min(khz, other_khz) <= std::max(khz, other_khz) / 10;
    }

    void write() {
        char word[64];
        std::snprintf(word, sizeof word, "%d-%d:%llu", first_, last_, static_cast<unsigned long long>(khz_));
        words_.add(word);
        first_ = -1;
    }

    Words words_{"cpufreq.highest_khz"};
    int first_ = -1, last_ = -1;
    std::uint64_t khz_ = 0, slowest_khz_ = ~std::uint64_t{0}, fastest_khz_ = 0;
};

void describe_cores() {
    int cores = 0, processors = 0, last_socket = -1;
    Words siblings("topology.siblings");
    Kinds kinds;
    char online[4096];
    if (!read_line("/sys/devices/system/cpu/online", online, sizeof online)) return;
    for_each_cpu(online, kMostProcessors, [&](int cpu) {
        char text[256];
        if (!read_of_processor(cpu, "topology/physical_package_id", text, sizeof text)) return;
        last_socket = std::max(last_socket, std::atoi(text));
        ++processors;
        if (read_of_processor(cpu, "cpufreq/cpuinfo_max_freq", text, sizeof text))
            kinds.add(cpu, std::strtoull(text, nullptr, 10));
        if (!read_of_processor(cpu, "topology/thread_siblings_list", text, sizeof text)) return;
        if (std::atoi(text) != cpu) return;  // not the first of its core
        ++cores;
        if (std::strpbrk(text, ",-") != nullptr) siblings.add(text);
    });
    siblings.flush();
    kinds.flush();
    if (cores == 0) return;
    const int sockets = std::max(1, last_socket + 1);
    add_number("topology.sockets", static_cast<std::uint64_t>(sockets));
    add_number("topology.cores", static_cast<std::uint64_t>(cores));
    add_number("topology.cores_per_socket", static_cast<std::uint64_t>(cores / sockets));
    add_number("topology.threads_per_core", static_cast<std::uint64_t>(processors / cores));
}

void describe_node(int node) {
    char path[96], prefix[32], name[sizeof Fact::name], text[4096];
    std::snprintf(prefix, sizeof prefix, "numa.%d", node);
    std::snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
    if (!read_line(path, text, sizeof text)) return;  // also where a node has memory only
    dotted(name, prefix, "cpus");
    add_host_fact(name, text);
    std::snprintf(path, sizeof path, "/sys/devices/system/node/node%d/meminfo", node);
    std::uint64_t kib = 0;
    if (read_text(path, text, sizeof text) && number_after(text, "MemTotal:", kib)) {
        dotted(name, prefix, "memory_bytes");
        add_number(name, kib * 1024);
    }
    std::snprintf(path, sizeof path, "/sys/devices/system/node/node%d/distance", node);
    if (!read_line(path, text, sizeof text)) return;
    dotted(name, prefix, "distances");
    add_host_fact(name, text);
}

void describe_frequencies() {
    for (const char* what : {"cpuinfo_min_freq", "cpuinfo_max_freq", "scaling_max_freq", "scaling_governor"}) {
        char path[128], name[sizeof Fact::name], text[256];
        std::snprintf(path, sizeof path, "%s/cpufreq/%s", kCpu0, what);
        if (!read_line(path, text, sizeof text)) continue;
        dotted(name, "cpufreq", what);
        append_text(name, std::strstr(what, "freq") != nullptr ? "_khz" : "");
        add_host_fact(name, text);
    }
}

}  // namespace

void describe_topology() {
    describe_cores();
    char nodes[256];
    if (read_line("/sys/devices/system/node/has_memory", nodes, sizeof nodes))
        for_each_cpu(nodes, kMostNodes, describe_node);
    describe_frequencies();
}

// One core stands for all: asking each of hundreds can take the kernel milliseconds.
void sample_frequency(CounterSet& counters) {
    char path[128], text[64];
    std::snprintf(path, sizeof path, "%s/cpufreq/scaling_cur_freq", kCpu0);
    if (read_line(path, text, sizeof text)) {
        static std::uint64_t sum_khz = 0, samples = 0;  // the host file has one writer at a time
        const std::uint64_t khz = std::strtoull(text, nullptr, 10);
        counters.set("cpufreq.current_khz", khz);
        counters.set("cpufreq.sum_khz", sum_khz += khz);
        counters.set("cpufreq.samples", ++samples);
    }
    for (const auto& [file, name] : {std::pair{"package_throttle_count", "cpu.package_throttles"},
                                     std::pair{"package_throttle_total_time_ms", "cpu.package_throttled_ms"}}) {
        std::snprintf(path, sizeof path, "%s/thermal_throttle/%s", kCpu0, file);
        if (read_line(path, text, sizeof text)) counters.set(name, std::strtoull(text, nullptr, 10));
    }
}

}  // namespace clearway::recorder
