// Where our own descriptors are in nobody's way.
#pragma once

#include <signal.h>
#include <sys/resource.h>

namespace clearway {

// For a scope the process may have descriptors beyond its soft limit, as many as the hard one allows: one for a moment
// where its table is full. The program's handlers, which may open files, wait.
class RaisedLimit {
public:
    explicit RaisedLimit(rlim_t highest);
    ~RaisedLimit();
    RaisedLimit(const RaisedLimit&) = delete;
    RaisedLimit& operator=(const RaisedLimit&) = delete;
    rlim_t soft() const { return limit_.rlim_cur; }  // as the program has it
    bool is_raised() const { return raised_ > limit_.rlim_cur; }

private:
    sigset_t before_;
    rlimit limit_{};
    rlim_t raised_ = 0;
};

// A copy of `fd`, closed on exec, beyond the program's soft limit; -1 where there is none. `most` is how many of them
// we have at a time, `highest` how far their numbers may go where the limit is no limit.
int copy_out_of_the_way(int fd, unsigned long most, unsigned long highest);

// In a forked child: another thread may have been about it.
void forget_turn();

}  // namespace clearway
