// Room for what is too large for the program's stack: a thread may have 16 KiB of it, and a signal handler on a stack
// of its own 8 KiB, of which the kernel has filled up to half. For a moment, from a handful of places, without a lock:
// in signal handlers, too. Where all are taken (handlers that left by a jump keep theirs) the kernel gives some memory.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace clearway {

template <class T>
class Borrowed {
    static_assert(std::is_trivially_copyable_v<T>, "nobody constructs or destroys it");

public:
    Borrowed() {
        const auto first = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(this) >> 16);  // threads differ
        for (unsigned i = 0; i < kPlaces; ++i) {
            Place& place = places[(first + i) % kPlaces];
            if (place.taken.load(std::memory_order_relaxed) || place.taken.exchange(true, std::memory_order_acquire))
                continue;
            place_ = &place;
            memory_ = reinterpret_cast<T*>(place.memory);
            return;
        }
        const int saved_errno = errno;
        const long mapped =
            syscall(SYS_mmap, nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
        errno = saved_errno;
        if (mapped != -1) memory_ = reinterpret_cast<T*>(mapped);
    }
    ~Borrowed() {
        if (place_ != nullptr)
            place_->taken.store(false, std::memory_order_release);
        else if (memory_ != nullptr)
            syscall(SYS_munmap, memory_, sizeof(T));
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    // False where the kernel has no memory.
    explicit operator bool() const { return memory_ != nullptr; }
    T& operator*() { return *memory_; }
    T* operator->() { return memory_; }

private:
    static constexpr unsigned kPlaces = 16;
    struct Place {
        std::atomic<bool> taken;
        alignas(T) std::byte memory[sizeof(T)];
    };
    inline static constinit Place places[kPlaces]{};

    Place* place_ = nullptr;
    T* memory_ = nullptr;
};

}  // namespace clearway
