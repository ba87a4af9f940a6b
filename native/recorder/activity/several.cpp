#include <poll.h>
#include <sys/select.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/small_file.hpp"
#include "recorder/activity/found.hpp"

namespace clearway::recorder {
namespace {

constexpr unsigned kMostLookedAt = 16;  // descriptors of one call

// One of several descriptors is waited for: the first that has a name gives its own, a socket before others.
class Several {
public:
    explicit Several(unsigned thread) : thread_(thread) {}

    void add(int fd, bool reads) {
        if (fd < 0 || ++count_ > kMostLookedAt) return;
        const Found one = reads ? found_reading(thread_, fd) : found_writing(thread_, fd);
        if (count_ == 1 || (rank(one) > rank(first_))) first_ = one;
    }

    // Without descriptors such a call is a way to sleep.
    Found found() const {
        if (count_ > 0) return first_;
        Found sleeping;
        sleeping.activity = Activity::sleeping;
        return sleeping;
    }

private:
    static int rank(const Found& one) {
        const bool socket = one.activity == Activity::receiving || one.activity == Activity::sending;
        return (socket ? 2 : 0) + (one.object[0] != '\0' ? 1 : 0);
    }

    unsigned thread_;
    unsigned count_ = 0;
    Found first_;
};

}  // namespace

Found found_in_poll(const SystemCall& call) {
    Several several(call.thread);
    for (unsigned i = 0; i < std::min<std::uint64_t>(call.arguments[1], kMostLookedAt); ++i) {
        pollfd one{};
        if (!copy_from(call.arguments[0] + i * sizeof one, &one, sizeof one)) return found_in_kernel(call.thread);
        several.add(one.fd, (one.events & POLLIN) != 0);
    }
    return several.found();
}

Found found_in_select(const SystemCall& call) {
    Several several(call.thread);
    const int highest = static_cast<int>(std::min<std::uint64_t>(call.arguments[0], FD_SETSIZE));
    for (const unsigned set : {1U, 2U}) {  // those to read from, those to write to
        fd_set chosen;
        FD_ZERO(&chosen);
        constexpr unsigned kWordBits = 8 * sizeof(long);
        const std::size_t bytes = (static_cast<unsigned>(highest) + kWordBits - 1) / kWordBits * sizeof(long);
        if (call.arguments[set] == 0 || highest <= 0) continue;
        if (!copy_from(call.arguments[set], &chosen, bytes)) return found_in_kernel(call.thread);
        for (int fd = 0; fd < highest; ++fd)
            if (FD_ISSET(fd, &chosen)) several.add(fd, set == 1);
    }
    return several.found();
}

// /proc/self/fdinfo/FD: "tfd:        4 events:       19 …", a line each descriptor.
Found found_in_epoll(const SystemCall& call) {
    char path[64], text[4096];
    std::snprintf(path, sizeof path, "/proc/self/task/%u/fdinfo/%d", call.thread, static_cast<int>(call.arguments[0]));
    if (!read_text(path, text, sizeof text)) return found_in_kernel(call.thread);
    Several several(call.thread);
    constexpr char kLabel[] = "tfd:";
    for (const char* at = std::strstr(text, kLabel); at != nullptr; at = std::strstr(at + 1, kLabel))
        several.add(std::atoi(at + sizeof kLabel - 1), true);
    return several.found();
}

}  // namespace clearway::recorder
