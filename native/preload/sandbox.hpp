// A program that forbids itself system calls (seccomp(2)) knows which it makes; not which we make. A filter may end it
// for one of ours, or refuse one that was to write back what it wrote. So all that we do ends before.
#pragma once

#include <linux/seccomp.h>
#include <sys/prctl.h>

namespace clearway {

// Whether a call of prctl(2) does so; or is what libraries of filters (libseccomp) ask for just before.
constexpr bool begins_sandbox(int option) { return option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP; }

// A call of seccomp(2).
constexpr bool sets_filter(unsigned operation) {
    return operation == SECCOMP_SET_MODE_STRICT || operation == SECCOMP_SET_MODE_FILTER;
}

}  // namespace clearway
