// Memory kept for the moment when there is none. All ranks believe that a call is done our way, so one that has no
// memory for it must find some; only where the sizes of a call are known to all can they agree to do without.
#pragma once

#include <cstddef>
#include <new>

namespace clearway::collectives {

// At least so much from now on. False where there is no memory.
bool keep_reserve(std::size_t bytes);

// Gives the reserve back to the allocator; until it is kept again there is none.
void spend_reserve();

// Calls `make`, which may throw std::bad_alloc and then is called once more. False where it threw again.
template <class Make>
bool with_reserve(Make make) {
    try {
        make();
        return true;
    } catch (const std::bad_alloc&) {
    }
    spend_reserve();
    bool done = true;
    try {
        make();
    } catch (const std::bad_alloc&) {
        done = false;
    }
    keep_reserve(0);
    return done;
}

}  // namespace clearway::collectives
