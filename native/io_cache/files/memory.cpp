#include "io_cache/files/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "io_cache/files/budget.hpp"
#include "io_cache/files/host.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

namespace {

Settings settings;
bool has_failed = false;

// The number behind `name` in a file of the kernel's, or `otherwise`.
std::uint64_t number_in(const char* path, const char* name, std::uint64_t otherwise) {
    char text[4096];
    const int fd = kernel::open(path, O_RDONLY);
    if (fd < 0) return otherwise;
    const long length = syscall(SYS_read, fd, text, sizeof text - 1);
    kernel::close(fd);
    text[std::max(length, 0L)] = '\0';
    const char* at = std::strstr(text, name);
    if (at == nullptr) return otherwise;
    at += std::strlen(name);
    at += std::strspn(at, " \t");
    return *at >= '0' && *at <= '9' ? std::strtoull(at, nullptr, 10) : otherwise;
}

// Half of what the host can spare, for the program needs memory, too.
std::uint64_t spare_bytes() {
    constexpr std::uint64_t kNoLimit = UINT64_MAX;
    const std::uint64_t host = number_in("/proc/meminfo", "MemAvailable:", 0) * 1024;
    const std::uint64_t limit = std::min(number_in("/sys/fs/cgroup/memory.max", "", kNoLimit),
                                         number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", "", kNoLimit));
    return std::min(host, limit) / 2;
}

}  // namespace

bool read_budget() {
    const char* text = std::getenv("CLEARWAY_IO_CACHE");
    std::uint64_t bytes = 0;
    if (text == nullptr || !parse_budget(text, bytes)) return false;
    settings.budget_bytes = (bytes == kBudgetAuto ? spare_bytes() : bytes) / local_ranks();
    return true;
}

bool make_cache() {
    if (cache != nullptr || has_failed) return cache != nullptr;
    cache = Cache::create(settings);
    has_failed = cache == nullptr;
    return !has_failed;
}

// Its memory is the parent's, shared until one of them writes; to free it would touch locks that another thread held.
void forget_cache() { cache = nullptr; }

}  // namespace clearway::io_cache
