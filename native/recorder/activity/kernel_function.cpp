#include <cstdio>
#include <cstring>

#include "base/small_file.hpp"
#include "base/text.hpp"
#include "recorder/activity/found.hpp"

namespace clearway::recorder {
namespace {

struct Meaning {
    const char* part;  // of the function's name
    Activity activity;
};

// Functions of kernels from 3.10 to 6.18: parts of their names that have stayed.
constexpr Meaning kMeanings[] = {
    {"nanosleep", Activity::sleeping},
    {"futex", Activity::other_thread},
    {"do_wait", Activity::child},
    {"pipe_write", Activity::full_pipe},
    {"pipe_read", Activity::empty_pipe},
    {"lock_inode_wait", Activity::lock},
    {"fcntl_setlk", Activity::lock},
    {"inet_stream_connect", Activity::receiving},
    {"wait_for_connect", Activity::receiving},
    {"sk_wait_data", Activity::receiving},
    {"wait_data", Activity::receiving},
    {"sk_stream_wait_memory", Activity::sending},
    {"do_sys_poll", Activity::input},
    {"do_select", Activity::input},
    {"ep_poll", Activity::input},
    {"sigtimedwait", Activity::signal},
    {"sigsuspend", Activity::signal},
    {"sys_pause", Activity::signal},
};

}  // namespace

void kernel_function(unsigned thread, char* name, std::size_t size) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%u/wchan", thread);
    if (!read_line(path, name, size) || std::strcmp(name, "0") == 0) name[0] = '\0';
}

Found found_in_kernel(unsigned thread) {
    Found found;
    char name[64];
    kernel_function(thread, name, sizeof name);
    for (const Meaning& meaning : kMeanings)
        if (std::strstr(name, meaning.part) != nullptr) {
            found.activity = meaning.activity;
            return found;
        }
    copy_text(found.object, name);
    return found;
}

}  // namespace clearway::recorder
