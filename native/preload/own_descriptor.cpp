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

RaisedLimit::RaisedLimit(rlim_t highest) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    pthread_mutex_lock(&clearway_descriptor_turn);
    change_limit(nullptr, &limit_);
    const rlimit wanted{std::min<rlim_t>(limit_.rlim_max, highest), limit_.rlim_max};
    if (wanted.rlim_cur > limit_.rlim_cur && change_limit(&wanted, nullptr)) raised_ = wanted.rlim_cur;
}

// Another thread of the program may have set its own meanwhile: that stays.
RaisedLimit::~RaisedLimit() {
    rlimit now{};
    if (is_raised() && change_limit(nullptr, &now) && now.rlim_cur == raised_) change_limit(&limit_, nullptr);
    pthread_mutex_unlock(&clearway_descriptor_turn);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

// The limit is one of numbers: beyond the soft one, as far as the hard one goes, ours take none of the program's. Where
// that cannot be, they have the last quarter of its table at most.
int copy_out_of_the_way(int fd, unsigned long most, unsigned long highest) {
    const RaisedLimit limit(highest + 2 * most);
    int own = -1;
    if (limit.is_raised() && limit.soft() <= highest) own = copy_from(fd, limit.soft());
    const rlim_t end = std::min<rlim_t>(limit.soft(), highest);
    return own >= 0 ? own : copy_from(fd, end - std::min<rlim_t>(end / 4, most));
}

void forget_turn() { pthread_mutex_init(&clearway_descriptor_turn, nullptr); }

}  // namespace clearway
