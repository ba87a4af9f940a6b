#include "recorder/sockets/job_descriptors.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace clearway::recorder {
namespace {

// Of Linux 5.3, 5.6 and 5.9, newer than the headers of some systems that this is built on; the same on all
// architectures.
constexpr long kPidfdOpen = 434, kCloseRange = 436, kPidfdGetfd = 438;
constexpr unsigned kCloseRangeUnshare = 2;

constinit thread_local int job [[gnu::tls_model("initial-exec")]] = -1;  // a pidfd; -1: this thread has the job's table

int borrow(int process, int fd) { return static_cast<int>(syscall(kPidfdGetfd, process, fd, 0)); }

int open_job() { return static_cast<int>(syscall(kPidfdOpen, getpid(), 0)); }

bool may_borrow() {
    const int process = open_job();
    if (process < 0) return false;
    const int copy = borrow(process, process);
    if (copy >= 0) syscall(SYS_close, copy);
    syscall(SYS_close, process);
    return copy >= 0;
}

}  // namespace

void leave_descriptor_table() {
    if (!may_borrow() || syscall(kCloseRange, 0U, ~0U, kCloseRangeUnshare) != 0) return;
    job = open_job();
}

JobDescriptor::JobDescriptor(int fd) : fd_(fd), borrowed_(job >= 0) {
    if (borrowed_) fd_ = borrow(job, fd);
}

JobDescriptor::~JobDescriptor() {
    if (borrowed_ && fd_ >= 0) syscall(SYS_close, fd_);
}

}  // namespace clearway::recorder
