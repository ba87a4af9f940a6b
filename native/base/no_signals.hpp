// Sections of code that no signal handler interrupts.
#pragma once

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace clearway {

// While it exists no signal handler runs on this thread: one that left by a jump would leave behind what the section
// has locked, and whoever comes next would wait for ever. Two system calls: for what is rare.
class NoSignals {
public:
    NoSignals() {
        const std::uint64_t all = ~std::uint64_t{0};
        masked_ = syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before_, sizeof before_) == 0;
    }
    ~NoSignals() {
        if (masked_) syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr, sizeof before_);
    }
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;

private:
    std::uint64_t before_ = 0;
    bool masked_ = false;
};

}  // namespace clearway
