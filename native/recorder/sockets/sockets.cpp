#include "recorder/sockets/sockets.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/no_signals.hpp"
#include "recorder/clock.hpp"
#include "recorder/process.hpp"
#include "recorder/sockets/connection.hpp"
#include "recorder/sockets/echo.hpp"
#include "recorder/sockets/job_descriptors.hpp"
#include "recorder/thread.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint32_t kMostConnections = 4096;  // at a time
constexpr std::uint64_t kCloseLook_ns = 10'000'000;

// Connections whose peer's host is asked at a time: of one that is cut off, a few tell of all.
constexpr std::uint32_t kMostAsked = 4;

struct Asked {
    const Connection* connection = nullptr;
    std::uint32_t index = 0;  // its place may be another connection's by now
    std::optional<Echo> echo;
};

constinit Connection connections[kMostConnections];
std::uint32_t connections_in_use = 0;  // all used ones are below
std::uint64_t next_round_ns = 0;
std::atomic_flag busy;
constinit Asked asked[kMostAsked];  // the sampler's own

// Shared by the sampler and the job's threads at connect and close. Yields instead of spinning: on a crowded core
// the holder may be waiting for it. Preserves errno, and marks the thread so that nothing here is recorded. No handler
// comes between, which might leave by a jump.
class Section {
public:
    Section() : saved_errno_(errno) {
        while (busy.test_and_set(std::memory_order_acquire)) syscall(SYS_sched_yield);
    }
    ~Section() {
        busy.clear(std::memory_order_release);
        errno = saved_errno_;
    }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

private:
    const NoSignals undisturbed_;
    const InRecorder inside_;
    int saved_errno_;
};

Connection* find(int fd) {
    for (std::uint32_t i = 0; i < connections_in_use; ++i)
        if (connections[i].fd() == fd) return &connections[i];
    return nullptr;
}

Connection* free_place() {
    for (std::uint32_t i = 0; i < connections_in_use; ++i)
        if (!connections[i].used()) return &connections[i];
    return connections_in_use < kMostConnections ? &connections[connections_in_use++] : nullptr;
}

void notice(int fd) {
    if (find(fd) != nullptr || !is_tcp(JobDescriptor(fd).get())) return;
    Connection* place = free_place();
    if (place == nullptr) return process.file.drop(SegmentKind::sockets);
    place->begin(fd);
    if (!place->sample()) place->forget();
}

void sample(Connection& connection) {
    if (connection.used() && !connection.sample()) connection.forget();
}

void ask_host_of(Connection& connection, std::uint64_t now_ns) {
    Asked* free = nullptr;
    for (Asked& each : asked) {
        if (each.echo && each.connection == &connection && each.index == connection.index()) {
            each.echo->look(now_ns);
            return connection.note(each.echo->found());
        }
        if (!each.echo) free = &each;
    }
    if (free == nullptr) return;
    free->connection = &connection;
    free->index = connection.index();
    connection.ask(free->echo);
}

void forget_answers() {
    for (Asked& each : asked)
        if (each.echo && !(each.connection->waits_long() && each.connection->index() == each.index)) each.echo.reset();
}

// `directory` is /proc/self/fd, where an entry is a link to "socket:[inode]", to a path, or the like.
bool is_socket(int directory, const char* name) {
    char target[8] = "";
    const long length = syscall(SYS_readlinkat, directory, name, target, sizeof target - 1);
    return length > 0 && std::strcmp(target, "socket:") == 0;
}

// Calls `visit(fd)` for each open descriptor that is a socket.
template <class Visit>
void visit_sockets(Visit visit) {
    const int directory =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
    if (directory < 0) return;
    alignas(dirent64) char entries[4096];
    for (;;) {
        const long length = syscall(SYS_getdents64, directory, entries, sizeof entries);
        if (length <= 0) break;
        for (long at = 0; at < length;) {
            const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
            at += entry->d_reclen;
            if (is_socket(directory, entry->d_name)) visit(std::atoi(entry->d_name));
        }
    }
    syscall(SYS_close, directory);
}

}  // namespace

void notice_socket(int fd) {
    if (!recording || thread_state.io_depth != 0) return;
    const Section section;
    notice(fd);
}

void socket_closing(int fd) {
    if (!recording || thread_state.io_depth != 0) return;
    const Section section;
    if (Connection* connection = find(fd)) connection->finish();
}

void sample_sockets_now() {
    if (!recording) return;
    const Section section;
    for (std::uint32_t i = 0; i < connections_in_use; ++i) sample(connections[i]);
}

std::uint64_t sample_sockets(std::uint64_t period_ns) {
    const Section section;
    const std::uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    const bool whole_round = now_ns >= next_round_ns;
    if (whole_round) next_round_ns = now_ns + period_ns;
    bool any = false, any_silent = false;
    for (std::uint32_t i = 0; i < connections_in_use; ++i) {
        any |= connections[i].used();
        if (whole_round || connections[i].silent()) sample(connections[i]);
        any_silent |= connections[i].silent();
        if (connections[i].waits_long() && process.settings.asks_hosts && has_own_descriptors())
            ask_host_of(connections[i], now_ns);
    }
    forget_answers();
    if (!any) return period_ns;  // nothing to get up for: those that begin meanwhile wait for the next look
    const std::uint64_t until_round_ns = next_round_ns - std::min(next_round_ns, clock_ns(CLOCK_MONOTONIC));
    return any_silent ? std::min(kCloseLook_ns, until_round_ns) : until_round_ns;
}

void scan_for_sockets() {
    const Section section;
    visit_sockets(notice);
}

}  // namespace clearway::recorder
