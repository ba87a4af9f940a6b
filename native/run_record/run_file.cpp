#include "run_record/run_file.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
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

bool name_file(char* path, std::size_t size, FileKind kind, const char* directory, const char* host, const char* id) {
    const char* dot = id[0] != '\0' ? "." : "";
    const int length = std::snprintf(path, size, "%s/%s.%s%s%s.cwr", directory, name_of(kind), host, dot, id);
    return length >= 0 && static_cast<std::size_t>(length) < size;
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
    if (!name_file(*path, sizeof *path, kind, directory, host, id)) return ENAMETOOLONG;
    return file.create(*path, kind);
}

// Raw system calls, as record_file.cpp makes: libc's names are ours to watch.
bool remove_of_earlier_program(FileKind kind, const char* directory, const char* host, const char* id,
                               std::uint64_t process_start_monotonic_ns) {
    Borrowed<char[4096]> path;
    if (!path || !name_file(*path, sizeof *path, kind, directory, host, id)) return false;
    FileHeader header;
    const auto fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, *path, O_RDONLY | O_CLOEXEC));
    if (fd < 0) return false;
    const bool is_whole = syscall(SYS_pread64, fd, &header, sizeof header, 0) == static_cast<long>(sizeof header);
    syscall(SYS_close, fd);
    // Pids are used again: the same process is one that also began at the same time, which the kernel tells in ticks.
    constexpr std::uint64_t kTick_ns = 10'000'000;
    const std::uint64_t began_ns = header.process_start_monotonic_ns;
    const std::uint64_t apart_ns =
        std::max(began_ns, process_start_monotonic_ns) - std::min(began_ns, process_start_monotonic_ns);
    return is_whole && header.pid == getpid() && apart_ns < kTick_ns && syscall(SYS_unlinkat, AT_FDCWD, *path, 0) == 0;
}

int create_own_file(RecordFile& file, FileKind kind, const char* directory, const char* host, int* number) {
    constexpr int kMostOfOnePid = 1000;
    char id[32];
    std::snprintf(id, sizeof id, "%d", getpid());
    int error = create_run_file(file, kind, directory, host, id), tried = 1;
    while (error == EEXIST && tried < kMostOfOnePid) {
        std::snprintf(id, sizeof id, "%d.%d", getpid(), ++tried);
        error = create_run_file(file, kind, directory, host, id);
    }
    if (number != nullptr) *number = tried;
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
