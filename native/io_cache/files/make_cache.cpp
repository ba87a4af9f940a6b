#include "io_cache/files/make_cache.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/hash.hpp"
#include "base/host.hpp"
#include "base/small_file.hpp"
#include "io_cache/files/budget.hpp"
#include "io_cache/files/job_hosts.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/table.hpp"
#include "io_cache/store/headroom.hpp"

namespace clearway::io_cache {

namespace {

Settings settings;
bool has_failed = false;

// Half of what there is, for the program needs memory, too.
std::uint64_t spare_bytes() {
    constexpr std::uint64_t kUnknown = UINT64_MAX, kModest = 1 << 28;
    const std::uint64_t spare = headroom().bytes;
    return spare == kUnknown ? kModest : spare / 2;
}

std::uint64_t left_of(int resource, std::uint64_t used_bytes) {
    rlimit limit{};
    const bool is_limited =
        syscall(SYS_prlimit64, 0, resource, nullptr, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_limited ? limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used_bytes) : UINT64_MAX;
}

// Where addresses are limited (ulimit -v, h_vmem of Grid Engine) what the cache reserves is missing to the program,
// whose malloc fails. So it has a small part of what is left.
std::uint64_t spare_addresses() {
    constexpr std::uint64_t kPart = 8;
    char text[256];
    if (read_small_file("/proc/self/statm", text, sizeof text) < 0) return UINT64_MAX;
    const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    char* at = text;
    std::uint64_t pages[6] = {};  // all, resident, shared, text, 0, data
    for (std::uint64_t& number : pages) number = std::strtoull(at, &at, 10);
    return std::min(left_of(RLIMIT_AS, pages[0] * page_bytes), left_of(RLIMIT_DATA, pages[5] * page_bytes)) / kPart;
}

// One for all processes of the job on this host. False: nothing says which job this is.
bool name_shared_budget(char (&name)[80]) {
    const char *job = std::getenv("CLEARWAY_JOB"), *directory = std::getenv("CLEARWAY_DIR");
    if (job == nullptr || directory == nullptr) return false;
    char host[64];  // hosts of a testbed have their memory together
    safe_host_name(host);
    std::uint64_t all = kFnvBasis;
    for (const char* part : {job, directory, static_cast<const char*>(host)}) all = fnv1a(part, all);
    struct statx processes {};  // those with other process ids cannot tell whether ours are alive
    kernel::statx(AT_FDCWD, "/proc/self/ns/pid", 0, STATX_INO, processes);
    std::snprintf(name, sizeof name, "clearway-io.%u.%llu.%016llx", geteuid(),
                  static_cast<unsigned long long>(processes.stx_ino), static_cast<unsigned long long>(all));
    return true;
}

// Where nothing can be shared each has its part of it.
void share_budget() {
    static char name[80];
    settings.alone_bytes = settings.budget_bytes / local_ranks();
    if (name_shared_budget(name))
        settings.shared_budget = name;
    else
        settings.budget_bytes = settings.alone_bytes;
}

}  // namespace

bool read_budget() {
    const char* text = std::getenv("CLEARWAY_IO_CACHE");
    std::uint64_t bytes = 0;
    if (text == nullptr || !parse_budget(text, bytes)) return false;
    settings.budget_bytes = bytes == kBudgetAuto ? spare_bytes() : bytes;
    if (!is_of_each_rank(text)) share_budget();
    return true;
}

bool make_cache() {
    if (cache != nullptr || has_failed) return cache != nullptr;
    constexpr std::uint64_t kTables_bytes = 64 << 20;  // that stand beside the records, whatever the budget
    const std::uint64_t spare = spare_addresses();
    has_failed = spare < 2 * kTables_bytes;
    if (has_failed) return false;
    settings.budget_bytes = std::min(settings.budget_bytes, spare - kTables_bytes);
    settings.alone_bytes = std::min(settings.alone_bytes, spare - kTables_bytes);
    cache = Cache::create(settings);
    if (cache == nullptr &&
        settings.shared_budget != nullptr) {  // where not even addresses may be had for more than that
        settings.budget_bytes = settings.alone_bytes;
        cache = Cache::create(settings);
    }
    has_failed = cache == nullptr;
    return !has_failed;
}

void give_up_cache() {
    has_failed = true;
    delete cache;
    cache = nullptr;
}

// Its memory is the parent's, shared until one of them writes; to free it would touch locks that another thread held.
void forget_cache() { cache = nullptr; }

}  // namespace clearway::io_cache
