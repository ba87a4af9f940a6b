#include "recorder/sockets/job_descriptors.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

// Of a library that Valgrind preloads.
extern "C" [[gnu::weak]] int _vgnU_freeres();  // NOLINT(bugprone-reserved-identifier): that is its name

namespace clearway::recorder {
namespace {

// Of Linux 5.3, 5.6 and 5.9, newer than the headers of some systems that this is built on; the same on all
// architectures.
constexpr long kPidfdOpen = 434, kCloseRange = 436, kPidfdGetfd = 438;
constexpr unsigned kCloseRangeUnshare = 2;

constinit thread_local bool has_left [[gnu::tls_model("initial-exec")]] = false;
constinit thread_local int job [[gnu::tls_model("initial-exec")]] = -1;  // a pidfd, in the table of our own

int borrow(int process, int fd) { return static_cast<int>(syscall(kPidfdGetfd, process, fd, 0)); }

// Valgrind 3.19 knows none of these calls, and says so in five lines on standard error, for each process.
bool is_in_valgrind() { return _vgnU_freeres != nullptr; }

// Whoever forbids these calls forbids them for any arguments. What they say to wrong ones takes no descriptor: it would
// be the lowest free one, in the middle of what the program does. A process may always look at its own.
bool may_borrow() { return syscall(kPidfdOpen, -1, 0) < 0 && errno == EINVAL && borrow(-1, 0) < 0 && errno == EBADF; }

}  // namespace

void leave_descriptor_table() {
    if (is_in_valgrind() || !may_borrow() || syscall(kCloseRange, 0U, ~0U, kCloseRangeUnshare) != 0) return;
    has_left = true;
    job = static_cast<int>(syscall(kPidfdOpen, getpid(), 0));
}

bool has_own_descriptors() { return has_left; }

JobDescriptor::JobDescriptor(int fd) : fd_(fd), borrowed_(has_left) {
    if (borrowed_) fd_ = borrow(job, fd);
}

JobDescriptor::~JobDescriptor() {
    if (borrowed_ && fd_ >= 0) syscall(SYS_close, fd_);
}

}  // namespace clearway::recorder
