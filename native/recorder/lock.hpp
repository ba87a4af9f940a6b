// A lock for sections of a few instructions. Never held across a call into MPI that could block, and never
// taken by a signal handler. A handler may leave such a section by a jump, though: what its thread holds is known, and
// let go then (abandon_call in thread.hpp).
#pragma once

#include <atomic>

namespace clearway::recorder {

class SpinLock {
public:
    void lock(const void* owner) {
        for (const void* nobody = nullptr;
             !owner_.compare_exchange_weak(nobody, owner, std::memory_order_acquire, std::memory_order_relaxed);)
            nobody = nullptr;
    }
    void unlock() { owner_.store(nullptr, std::memory_order_release); }
    bool held_by(const void* owner) const { return owner_.load(std::memory_order_relaxed) == owner; }

private:
    std::atomic<const void*> owner_{nullptr};
};

// Of a thread, one inside another: what it holds, or is about to. A jump may come between any two instructions, so a
// lock stands here before it is taken, and until after it is let go.
struct HeldLocks {
    static constexpr unsigned kMost = 4;
    SpinLock* locks[kMost];
    unsigned count;

    void add(SpinLock& lock) {
        if (count < kMost) locks[count] = &lock;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        ++count;
    }
    void remove() { --count; }
    void let_go() {
        for (unsigned i = 0; i < count && i < kMost; ++i)
            if (locks[i]->held_by(this)) locks[i]->unlock();
        count = 0;
    }
};
extern constinit thread_local HeldLocks held_locks [[gnu::tls_model("initial-exec")]];

class SpinGuard {
public:
    explicit SpinGuard(SpinLock& lock) : SpinGuard(&lock) {}
    // Null: there is nobody to be kept out.
    explicit SpinGuard(SpinLock* lock) : lock_(lock) {
        if (lock_ == nullptr) return;
        held_locks.add(*lock_);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        lock_->lock(&held_locks);
    }
    ~SpinGuard() {
        if (lock_ == nullptr) return;
        lock_->unlock();
        std::atomic_signal_fence(std::memory_order_seq_cst);
        held_locks.remove();
    }
    SpinGuard(const SpinGuard&) = delete;
    SpinGuard& operator=(const SpinGuard&) = delete;

private:
    SpinLock* lock_;
};

}  // namespace clearway::recorder
