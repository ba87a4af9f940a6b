#include "collectives/flow_record.hpp"

#include <sys/utsname.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "run_record/record_file.hpp"

namespace clearway {

namespace {

constexpr std::uint32_t kFirstCells = 64, kMostCells = 1 << 16;  // 9 MB

constinit RecordFile file;
constinit Table<FlowCell> cells(SegmentKind::flow, kFirstCells, kMostCells);

template <std::size_t Size>
void copy_text(char (&to)[Size], const char* from) {
    const std::size_t length = strnlen(from, Size - 1);
    std::memcpy(to, from, length);
    to[length] = '\0';
}

// A file name must not leave the directory, whatever a host calls itself.
void safe_host_name(char (&host)[64]) {
    utsname names{};
    uname(&names);
    copy_text(host, names.nodename);
    for (char* c = host; *c != '\0'; ++c) {
        const bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        if (!plain && std::strchr(".-_", *c) == nullptr) *c = '_';
    }
}

std::uint64_t read_clock_ns(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
}

// Where the recorder writes, too. A process may execute another program and keep its id: then the name is taken.
bool create_file() {
    const char* directory = std::getenv("CLEARWAY_DIR");
    if (directory == nullptr || directory[0] != '/') return false;
    char host[64], path[4096];
    safe_host_name(host);
    int error = EEXIST;
    for (int number = 1; number <= 100 && error == EEXIST; ++number) {
        char suffix[16] = "";
        if (number > 1) std::snprintf(suffix, sizeof suffix, ".%d", number);
        const int length = std::snprintf(path, sizeof path, "%s/flow.%s.%d%s.cwr", directory, host, getpid(), suffix);
        if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) return false;
        error = file.create(path, FileKind::flow);
    }
    if (error != 0) return false;
    FileHeader* header = file.header();
    // Nothing here is placed in time; one reading of the clocks says when it began.
    header->start.monotonic_ns = read_clock_ns(CLOCK_MONOTONIC);
    header->start.realtime_ns = read_clock_ns(CLOCK_REALTIME);
    header->start.ticks = header->start.monotonic_ns;
    header->heartbeat[0] = header->start;
    header->state = State::running;
    copy_text(header->host, host);
    const char* job = std::getenv("CLEARWAY_JOB");
    copy_text(header->job, job != nullptr ? job : "");
    return true;
}

}  // namespace

FlowCell* add_flow_cell(const FlowCell& cell) {
    static const bool is_open = create_file();
    return is_open ? cells.add(file, cell) : nullptr;
}

}  // namespace clearway
