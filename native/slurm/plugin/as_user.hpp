// clearway-slurm, called by the plugin as the user whose records they are.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace clearway::slurm {

struct Owner {
    uid_t user;
    gid_t group;
    const gid_t* groups;
    std::size_t group_count;
};

// Calls `clearway-slurm VERB SPOOL RUN MORE` and waits for it, twenty seconds at most; RUN and MORE may be null. What
// it says goes into slurmd's log. Whether it did all, and said nothing.
bool run_as(const Owner& owner, const char* verb, const char* spool, const char* run, const char* more = nullptr);

}  // namespace clearway::slurm
