#include "recorder/process.hpp"

#include <atomic>
#include <cstdio>
#include <cstring>

#include "base/text.hpp"
#include "preload/standard_error.hpp"
#include "recorder/clock.hpp"
#include "run_record/run_file.hpp"

namespace clearway::recorder {

constinit Process process;
constinit RecordingPage recording_page{};

namespace {

// The sampler and the job's threads come here: the newest instant has two places, and each writes into the older one.
// Who finds another at it need not: that one is writing the present instant.
constinit std::atomic_flag beating;

void beat(FileHeader* header) {
    const std::uint64_t next = header->heartbeat_index + 1;
    header->heartbeat[next & 1] = now();
    __atomic_store_n(&header->heartbeat_index, next, __ATOMIC_RELEASE);
}

}  // namespace

void heartbeat() {
    if (beating.test_and_set(std::memory_order_acquire)) return;
    if (process.file.header() != nullptr) beat(process.file.header());
    if (process.host_file.header() != nullptr) beat(process.host_file.header());
    beating.clear(std::memory_order_release);
}

std::uint16_t name_function(const char* name, FunctionClass function_class) {
    static std::uint16_t next = kFirstDynamicFunction;
    const std::uint16_t id = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
    name_function(id, name, function_class);
    return id;
}

void name_function(std::uint16_t id, const char* name, FunctionClass function_class) {
    process.functions.add(process.file, function_of(id, name, function_class));
}

void add_fact(const char* name, const char* text) { process.facts.add(process.file, fact_of(name, text)); }
void add_host_fact(const char* name, const char* text) {
    process.host_facts.add(process.host_file, fact_of(name, text));
}

void warn_once(const char* message, int error) {
    static bool warned = false;
    if (__atomic_exchange_n(&warned, true, __ATOMIC_RELAXED)) return;
    char line[4400];
    const int length = std::snprintf(line, sizeof line, "clearway: %s%s%s; the job continues unrecorded\n", message,
                                     error != 0 ? ": " : "", error != 0 ? std::strerror(error) : "");
    if (length > 0) say_on_standard_error(line, static_cast<std::size_t>(length));
}

}  // namespace clearway::recorder
