#include "io_cache/store/program_copy.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace clearway::io_cache {

namespace {

// The compiler's own jump: libc's is the recorder's sign that the program leaves a call.
constinit thread_local void* way_out[5] [[gnu::tls_model("initial-exec")]] = {};
constinit thread_local volatile bool is_copying [[gnu::tls_model("initial-exec")]] = false;

// False where a fault ended it; some bytes may have been copied, in any order.
[[gnu::noinline]] bool copy(void* to, const void* from, std::size_t bytes) {
    if (__builtin_setjmp(way_out) != 0) {
        is_copying = false;
        return false;
    }
    is_copying = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    std::memcpy(to, from, bytes);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    is_copying = false;
    return true;
}

// A page of the program's at a time, which is there whole or not at all.
std::size_t copy_pages(void* to, const void* from, std::size_t bytes, const void* programs) {
    constexpr std::size_t kPage_bytes = 4096;  // or a part of one
    std::size_t done = 0;
    while (done < bytes) {
        const std::size_t in_page = (reinterpret_cast<std::uintptr_t>(programs) + done) % kPage_bytes;
        const std::size_t piece = std::min(bytes - done, kPage_bytes - in_page);
        if (!copy(static_cast<std::byte*>(to) + done, static_cast<const std::byte*>(from) + done, piece)) break;
        done += piece;
    }
    return done;
}

}  // namespace

std::size_t take_from_program(void* to, const void* from, std::size_t bytes) {
    return copy_pages(to, from, bytes, from);
}

std::size_t give_to_program(void* to, const void* from, std::size_t bytes) {
    return copy(to, from, bytes) ? bytes : copy_pages(to, from, bytes, to);
}

bool is_copying_with_program() { return is_copying; }

[[gnu::noinline]] void leave_program_copy() { __builtin_longjmp(way_out, 1); }

}  // namespace clearway::io_cache
