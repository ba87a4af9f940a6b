#include "collectives/reserve.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>

namespace clearway::collectives {

namespace {

constinit std::mutex reserve_mutex;
constinit void* reserve = nullptr;
constinit std::size_t kept_bytes = 0, wanted_bytes = 0;

}  // namespace

// The pages of a large allocation cost nothing until somebody writes there.
bool keep_reserve(std::size_t bytes) {
    const std::lock_guard lock(reserve_mutex);
    wanted_bytes = std::max(wanted_bytes, bytes);
    if (reserve != nullptr && kept_bytes >= wanted_bytes) return true;
    void* larger = std::malloc(wanted_bytes);
    if (larger == nullptr) return false;
    std::free(reserve);
    reserve = larger;
    kept_bytes = wanted_bytes;
    return true;
}

void spend_reserve() {
    const std::lock_guard lock(reserve_mutex);
    std::free(reserve);
    reserve = nullptr;
    kept_bytes = 0;
}

}  // namespace clearway::collectives
