#include "preload/own_descriptor.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

// One for all of our libraries in a process: the limit is theirs together.
extern "C" {
[[gnu::visibility("default"), gnu::weak]] constinit pthread_mutex_t clearway_descriptor_turn =
    PTHREAD_MUTEX_INITIALIZER;
}

namespace clearway {
namespace {

bool change_limit(const rlimit* wanted, rlimit* before) {
    return syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, wanted, before) == 0;
}

int copy_from(int fd, rlim_t lowest) { return static_cast<int>(syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, lowest)); }

}  // namespace

// The limit is one of numbers: beyond the soft one, as far as the hard one goes, ours take none of the program's. Where
// that cannot be, they have the last quarter of its table at most.
int copy_out_of_the_way(int fd, unsigned long most, unsigned long highest) {
    sigset_t all, before;  // the program's handlers may open files
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&clearway_descriptor_turn);
    rlimit limit{};
    change_limit(nullptr, &limit);
    const rlim_t soft = limit.rlim_cur;
    int own = -1;
    if (soft < limit.rlim_max && soft <= highest) {
        const rlimit raised{std::min<rlim_t>(limit.rlim_max, soft + 2 * most), limit.rlim_max};
        if (change_limit(&raised, nullptr)) own = copy_from(fd, soft);
        rlimit now{};
        if (change_limit(nullptr, &now) && now.rlim_cur == raised.rlim_cur) change_limit(&limit, nullptr);
    }
    const rlim_t end = std::min<rlim_t>(soft, highest);
    if (own < 0) own = copy_from(fd, end - std::min<rlim_t>(end / 4, most));
    pthread_mutex_unlock(&clearway_descriptor_turn);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return own;
}

void forget_turn() { pthread_mutex_init(&clearway_descriptor_turn, nullptr); }

}  // namespace clearway
