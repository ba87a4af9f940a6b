#include "io_cache/files/counts.hpp"

#include <climits>

#include <cstring>

#include "io_cache/files/kernel.hpp"
#include "preload/standard_error.hpp"

namespace clearway::io_cache {

constinit Counts counts{};

void reset_counts() {
    for (auto* count : {&counts.files, &counts.deleted_files, &counts.left_files, &counts.lost_writes,
                        &counts.read_bytes, &counts.written_bytes, &counts.fetches, &counts.fetched_bytes,
                        &counts.fetch_ns, &counts.stores, &counts.stored_bytes, &counts.store_ns})
        count->store(0, std::memory_order_relaxed);
}

void count_lost_write(int fd, int error) {
    if (counts.lost_writes.fetch_add(1, std::memory_order_relaxed) != 0) return;
    char link[64], path[PATH_MAX] = {}, line[PATH_MAX + 128];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    const int length = std::snprintf(line, sizeof line,
                                     "clearway: cannot write '%s' back to its file system: %s; the file is "
                                     "incomplete\n",
                                     path, std::strerror(error));
    if (length > 0) say_on_standard_error(line, static_cast<std::size_t>(length));
}

}  // namespace clearway::io_cache
