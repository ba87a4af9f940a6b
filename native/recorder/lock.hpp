// A lock for sections of a few instructions. Never held across a call into MPI that could block, and never
// taken by a signal handler. A handler may leave such a section by a jump, though: what its thread holds is known, and
// let go then (abandon_call in thread.hpp).
#pragma once

#include <atomic>

namespace clearway::recorder {

class SpinLock {
public:
    void lock() {
        while (flag_.test_and_set(std::memory_order_acquire)) {
        }
    }
    void unlock() { flag_.clear(std::memory_order_release); }

private:
    std::atomic_flag flag_;
};

// Of a thread, one inside another.
struct HeldLocks {
    static constexpr unsigned kMost = 4;
    SpinLock* locks[kMost];
    unsigned count;

    void add(SpinLock& lock) {
        if (count < kMost) locks[count] = &lock;
        ++count;
    }
    void remove() { --count; }
    void let_go() {
        for (unsigned i = 0; i < count && i < kMost; ++i) locks[i]->unlock();
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
        lock_->lock();
        held_locks.add(*lock_);
    }
    ~SpinGuard() {
        if (lock_ == nullptr) return;
        lock_->unlock();
        held_locks.remove();
    }
    SpinGuard(const SpinGuard&) = delete;
    SpinGuard& operator=(const SpinGuard&) = delete;

private:
    SpinLock* lock_;
};

}  // namespace clearway::recorder
