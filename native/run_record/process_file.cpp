#include "run_record/process_file.hpp"

#include <sys/utsname.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace clearway {

namespace {

template <std::size_t Size>
void copy_text(char (&to)[Size], const char* from) {
    const std::size_t length = strnlen(from, Size - 1);
    std::memcpy(to, from, length);
    to[length] = '\0';
}

std::uint64_t read_clock_ns(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
}

// A process may execute another program and keep its id: then the name is taken.
int create_numbered(RecordFile& file, const char* directory, const char* kind_name, const char* host, FileKind kind) {
    char path[4096];
    int error = EEXIST;
    for (int number = 1; number <= 100 && error == EEXIST; ++number) {
        char suffix[16] = "";
        if (number > 1) std::snprintf(suffix, sizeof suffix, ".%d", number);
        const int length =
            std::snprintf(path, sizeof path, "%s/%s.%s.%d%s.cwr", directory, kind_name, host, getpid(), suffix);
        if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) return ENAMETOOLONG;
        error = file.create(path, kind);
    }
    return error;
}

}  // namespace

void safe_host_name(char (&host)[64]) {
    utsname names{};
    uname(&names);
    copy_text(host, names.nodename);
    for (char* c = host; *c != '\0'; ++c) {
        const bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        if (!plain && std::strchr(".-_", *c) == nullptr) *c = '_';
    }
}

bool create_process_file(RecordFile& file, const char* kind_name, FileKind kind) {
    const char* directory = std::getenv("CLEARWAY_DIR");
    if (directory == nullptr || directory[0] != '/') return false;
    char host[64];
    safe_host_name(host);
    if (create_numbered(file, directory, kind_name, host, kind) != 0) return false;
    FileHeader* header = file.header();
    // Nothing in it is placed in time; one reading of the clocks says when it began.
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

}  // namespace clearway
