#include "io_cache/files/lease_list.hpp"

#include <cstdio>
#include <cstring>

#include "io_cache/files/kernel.hpp"

namespace clearway::io_cache {

namespace {

// "3: LEASE  ACTIVE    WRITE 4711 08:01:131074 0 EOF". Locks of other kinds have other words there.
bool is_lease(const char* line, Leased& lease) {
    char state[16];
    if (std::sscanf(line, "%*d: LEASE %15s %*s %d %*x:%*x:%lu", state, &lease.process, &lease.inode) != 3) return false;
    lease.is_breaking = std::strcmp(state, "BREAKING") == 0;
    return true;
}

}  // namespace

void for_each_lease(VisitLease visit, void* context) {
    const int fd = kernel::open("/proc/locks", O_RDONLY);
    if (fd < 0) return;
    char text[1024];
    std::size_t used = 0;
    for (long count; (count = syscall(SYS_read, fd, text + used, sizeof text - 1 - used)) > 0;) {
        used += static_cast<std::size_t>(count);
        text[used] = '\0';
        const char* line = text;
        for (const char* end; (end = std::strchr(line, '\n')) != nullptr; line = end + 1) {
            Leased lease;
            if (is_lease(line, lease)) visit(context, lease);
        }
        used -= static_cast<std::size_t>(line - text);
        std::memmove(text, line, used);
    }
    kernel::close(fd);
}

}  // namespace clearway::io_cache
