#include "run_record/run_file.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "base/borrowed.hpp"
#include "base/clock.hpp"
#include "base/host.hpp"
#include "base/text.hpp"

namespace clearway {

namespace {

constexpr const char* name_of(FileKind kind) {
    switch (kind) {
        case FileKind::rank:
            return "rank";
        case FileKind::host:
            return "host";
        case FileKind::flow:
            return "flow";
        case FileKind::io_cache:
            break;
    }
    return "io";
}

void describe(FileHeader& header, const Origin& origin) {
    header.start = origin.start;
    header.process_start_monotonic_ns = origin.process_start_monotonic_ns;
    header.event_window_ms = origin.event_window_ms;
    copy_text(header.host, origin.host);
    copy_text(header.job, origin.job);
    copy_text(header.boot_id, origin.boot_id);
}

}  // namespace

const char* run_directory() {
    const char* directory = std::getenv("CLEARWAY_DIR");
    return directory != nullptr && directory[0] == '/' ? directory : nullptr;
}

const char* job_name() {
    const char* job = std::getenv("CLEARWAY_JOB");
    return job != nullptr ? job : "";
}

int create_run_file(RecordFile& file, FileKind kind, const char* directory, const char* host, const char* id) {
    Borrowed<char[4096]> path;
    if (!path) return ENOMEM;
    const char* dot = id[0] != '\0' ? "." : "";
    const int length = std::snprintf(*path, sizeof *path, "%s/%s.%s%s%s.cwr", directory, name_of(kind), host, dot, id);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof *path) return ENAMETOOLONG;
    return file.create(*path, kind);
}

int create_own_file(RecordFile& file, FileKind kind, const char* directory, const char* host) {
    constexpr int kMostOfOnePid = 1000;
    char id[32];
    std::snprintf(id, sizeof id, "%d", getpid());
    int error = create_run_file(file, kind, directory, host, id);
    for (int number = 2; number <= kMostOfOnePid && error == EEXIST; ++number) {
        std::snprintf(id, sizeof id, "%d.%d", getpid(), number);
        error = create_run_file(file, kind, directory, host, id);
    }
    return error;
}

void begin_header(FileHeader& header, const Origin& origin) {
    describe(header, origin);
    header.heartbeat[0] = origin.start;
}

void write_header(FileHeader& header, const Origin& origin, const Lifespan& lifespan) {
    describe(header, origin);
    header.mpi_begin = lifespan.mpi_begin;
    header.mpi_end = lifespan.mpi_end;
    header.heartbeat[1] = lifespan.end;
    header.heartbeat_index = 1;
    header.state = State::exited;
}

bool open_own_file(RecordFile& file, FileKind kind) {
    const char* directory = run_directory();
    if (directory == nullptr) return false;
    char host[64];
    safe_host_name(host);
    if (create_own_file(file, kind, directory, host) != 0) return false;
    const std::uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    begin_header(*file.header(),
                 {.host = host, .job = job_name(), .start = {now_ns, now_ns, clock_ns(CLOCK_REALTIME)}});
    file.header()->state = State::running;
    return true;
}

FunctionName function_of(std::uint16_t id, const char* name, FunctionClass function_class) {
    FunctionName made{};
    made.id = id;
    made.function_class = function_class;
    copy_text(made.name, name);
    return made;
}

Fact fact_of(const char* name, const char* text) {
    Fact made{};
    copy_text(made.name, name);
    copy_text(made.text, text);
    return made;
}

Counter counter_of(const char* name, std::uint64_t first, std::uint64_t last) {
    Counter made{};
    copy_text(made.name, name);
    made.first = first;
    made.last = last;
    return made;
}

}  // namespace clearway
