#include "io_cache/files/counts.hpp"

#include <climits>

#include <cstring>

#include "io_cache/files/kernel.hpp"
#include "preload/standard_error.hpp"

namespace clearway::io_cache {

constinit Counts counts{};

namespace {

// `form` has a place for the file's name, and one for `why`.
void say_of_file(const char* form, int fd, const char* why) {
    char link[64], path[PATH_MAX] = {}, line[PATH_MAX + 160];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    const int length = std::snprintf(line, sizeof line, form, path, why);
    if (length > 0) say_on_standard_error(line, static_cast<std::size_t>(length));
}

}  // namespace

void reset_counts() {
    for (auto* count : {&counts.files, &counts.deleted_files, &counts.left_files, &counts.lost_writes,
                        &counts.read_bytes, &counts.written_bytes, &counts.fetches, &counts.fetched_bytes,
                        &counts.fetch_ns, &counts.stores, &counts.stored_bytes, &counts.store_ns})
        count->store(0, std::memory_order_relaxed);
}

void count_lost_write(int fd, int error) {
    if (counts.lost_writes.fetch_add(1, std::memory_order_relaxed) != 0) return;
    say_of_file("clearway: cannot write '%s' back to its file system: %s; the file is incomplete\n", fd,
                std::strerror(error));
}

void say_others_wrote(int fd, bool unsure) {
    static constinit std::atomic<bool> said{false};
    if (said.exchange(true, std::memory_order_relaxed)) return;
    say_of_file("clearway: another program wrote to '%s' while this one was stopped; where both wrote, %s\n", fd,
                unsure ? "its bytes stay as far as they can be told from older ones" : "its bytes stay");
}

}  // namespace clearway::io_cache
