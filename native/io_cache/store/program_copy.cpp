#include "io_cache/store/program_copy.hpp"

#include <atomic>
#include <cstring>

namespace clearway::io_cache {

namespace {

// The compiler's own jump: libc's is the recorder's sign that the program leaves a call.
constinit thread_local void* way_out[5] [[gnu::tls_model("initial-exec")]] = {};
constinit thread_local volatile bool is_copying [[gnu::tls_model("initial-exec")]] = false;

}  // namespace

[[gnu::noinline]] bool copy_with_program(void* to, const void* from, std::size_t bytes) {
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

bool is_copying_with_program() { return is_copying; }

[[gnu::noinline]] void leave_program_copy() { __builtin_longjmp(way_out, 1); }

}  // namespace clearway::io_cache
