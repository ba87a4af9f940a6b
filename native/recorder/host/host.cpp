#include "recorder/host/host.hpp"

#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/small_file.hpp"
#include "recorder/host/counter_set.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constinit CounterSet counters{process.host_counters, process.host_file};
std::atomic_flag sampling;  // the sampler and the thread that leaves may meet here: one of them suffices

void add_number(const char* name, std::uint64_t number) {
    char text[32];
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(number));
    add_host_fact(name, text);
}

// The widest vectors that a first processor's line of flags tells of; none where it has no such line.
const char* widest_vectors(const char* cpuinfo) {
    for (const char* flag : {" avx512f ", " avx2 ", " avx "})
        if (std::strstr(cpuinfo, flag) != nullptr) return flag;
    return nullptr;
}

void add_vectors(const char* cpuinfo) {
    const char* flag = widest_vectors(cpuinfo);
    if (flag == nullptr) return;
    char name[16] = "";
    std::sscanf(flag, "%15s", name);
    add_host_fact("host.vectors", name);
}

void describe_processor() {
    add_number("host.cores", static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))));
    char text[4096];
    if (!read_text("/proc/cpuinfo", text, sizeof text)) return;
    add_host_fact("host.virtual", std::strstr(text, " hypervisor") != nullptr ? "yes" : "no");
    add_vectors(text);
    char* model = std::strstr(text, "model name");
    model = model != nullptr ? std::strchr(model, ':') : nullptr;
    if (model == nullptr) return;
    model[std::strcspn(model, "\n")] = '\0';
    add_host_fact("host.model", model + std::min<std::size_t>(2, std::strlen(model)));
}

void describe_memory() {
    char text[4096];
    std::uint64_t kib = 0;
    if (read_text("/proc/meminfo", text, sizeof text) && number_after(text, "MemTotal:", kib))
        add_number("host.memory_bytes", kib * 1024);
    struct statvfs shm {};
    if (statvfs("/dev/shm", &shm) != 0) return;
    add_number("shm.size_bytes", std::uint64_t{shm.f_blocks} * shm.f_frsize);
    add_number("shm.free_bytes", std::uint64_t{shm.f_bavail} * shm.f_frsize);
}

// "cpu  user nice system idle iowait irq softirq steal …", in clock ticks (proc(5)).
void sample_processor() {
    char text[512];
    if (!read_line("/proc/stat", text, sizeof text) || std::strncmp(text, "cpu ", 4) != 0) return;
    std::uint64_t ms[8] = {};
    char* at = text + 4;
    const auto ms_per_tick = static_cast<std::uint64_t>(1000 / std::max(1L, sysconf(_SC_CLK_TCK)));
    for (auto& value : ms) value = std::strtoull(at, &at, 10) * ms_per_tick;
    counters.set("cpu.user_ms", ms[0] + ms[1]);
    counters.set("cpu.system_ms", ms[2] + ms[5]);
    counters.set("cpu.idle_ms", ms[3]);
    counters.set("cpu.iowait_ms", ms[4]);
    counters.set("cpu.softirq_ms", ms[6]);
    counters.set("cpu.steal_ms", ms[7]);
}

void sample_memory() {
    char text[4096];
    if (!read_text("/proc/meminfo", text, sizeof text)) return;
    std::uint64_t kib = 0, total = 0, free = 0;
    if (number_after(text, "MemAvailable:", kib)) counters.set("memory.available_bytes", kib * 1024);
    if (number_after(text, "Dirty:", kib)) counters.set("memory.dirty_bytes", kib * 1024);
    if (number_after(text, "SwapTotal:", total) && number_after(text, "SwapFree:", free))
        counters.set("swap.used_bytes", (total - free) * 1024);
    static char statistics[16384];  // of /proc/vmstat, by one thread at a time
    if (!read_text("/proc/vmstat", statistics, sizeof statistics)) return;
    if (number_after(statistics, "\noom_kill ", kib)) counters.set("memory.oom_kills", kib);
    if (number_after(statistics, "\npswpin ", kib)) counters.set("memory.swapped_in_pages", kib);
    if (number_after(statistics, "\npswpout ", kib)) counters.set("memory.swapped_out_pages", kib);
}

// Pressure stall information (Documentation/accounting/psi.rst): "some avg10=… total=…", microseconds.
void sample_pressure() {
    for (const char* resource : {"cpu", "io", "memory"}) {
        char path[64], name[64], text[256];
        std::snprintf(path, sizeof path, "/proc/pressure/%s", resource);
        std::snprintf(name, sizeof name, "%s_us", resource);
        std::uint64_t us = 0;
        if (read_line(path, text, sizeof text) && number_after(text, "total=", us)) counters.set("pressure", name, us);
    }
}

}  // namespace

void describe_host() {
    const int saved_errno = errno;
    utsname names{};
    if (uname(&names) == 0) add_host_fact("host.kernel", names.release);
    describe_batch();
    describe_other_jobs();
    describe_processor();
    describe_memory();
    describe_topology();
    describe_mounts();
    describe_page_faults();
    describe_tcp();
    describe_interfaces();
    describe_rdma();
    sample_host();
    errno = saved_errno;
}

void sample_host() {
    if (sampling.test_and_set(std::memory_order_acquire)) return;
    const int saved_errno = errno;
    sample_processor();
    sample_launcher(counters);
    sample_helpers(counters);
    sample_other_jobs(counters);
    sample_frequency(counters);
    sample_memory();
    sample_pressure();
    sample_tcp(counters);
    sample_interfaces(counters);
    errno = saved_errno;
    sampling.clear(std::memory_order_release);
}

}  // namespace clearway::recorder
