#include "io_cache/files/memory.hpp"

#include <cstdlib>

#include "io_cache/files/budget.hpp"
#include "io_cache/files/host.hpp"
#include "io_cache/files/table.hpp"
#include "io_cache/store/headroom.hpp"

namespace clearway::io_cache {

namespace {

Settings settings;
bool has_failed = false;

// Half of what there is, for the program needs memory, too.
std::uint64_t spare_bytes() {
    constexpr std::uint64_t kUnknown = UINT64_MAX, kModest = 1 << 28;
    const std::uint64_t headroom = headroom_bytes();
    return headroom == kUnknown ? kModest : headroom / 2;
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
