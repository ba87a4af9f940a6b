// clearway-testbed-delay DELAY_US PORT:TAP...: gives the cables of a switch a length.
//
// What comes in by PORT enters the switch by TAP, DELAY_US after it has come. PORT is to drop what comes in, TAP to be
// put into the bridge beside it: so each packet between two hosts is late by DELAY_US once, on its way into the switch,
// and the queue of the port by which it leaves is that of PORT, as without us. TAP is made here. Goes into the
// background when all is in place, and stays until it is killed.
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <limits>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.hpp"

namespace {

constexpr std::size_t FRAME_BYTES = 2048;  // more than an Ethernet frame; the testbed's cards do not merge any
constexpr int QUEUE_BYTES = 1 << 30;       // of our sockets: packets are to be lost at the port's own queue alone
constexpr int FRAMES_AT_ONCE = 64;         // from one descriptor, before the others have their turn
constexpr std::int64_t NS_PER_S = 1'000'000'000;
constexpr std::int64_t LONGEST_UNREAD_NS = NS_PER_S;  // more is a step of the clock
constexpr std::int64_t WAKING_NS = 20'000;            // a sleep lasts so much longer than it should

struct Frame {
    std::int64_t due_ns;
    std::size_t size_bytes;
    std::array<unsigned char, FRAME_BYTES> data;
};

struct Cable {
    int port;
    int tap;
    std::deque<Frame> late;  // all by the same time: they are due in the order in which they came
};

std::int64_t now_ns(clockid_t clock) { return static_cast<std::int64_t>(clearway::clock_ns(clock)); }
std::int64_t now_ns() { return now_ns(CLOCK_MONOTONIC); }

[[noreturn]] void fail(const char* what, std::string_view device) {
    std::fprintf(stderr, "error: %s %.*s: %s\n", what, static_cast<int>(device.size()), device.data(), strerror(errno));
    std::exit(1);
}

bool set_name(ifreq& request, std::string_view device) {
    if (device.empty() || device.size() >= sizeof request.ifr_name) return false;
    std::memcpy(request.ifr_name, device.data(), device.size());
    return true;
}

int open_port(std::string_view device) {
    const int port = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);
    ifreq request{};
    if (port < 0 || !set_name(request, device) || ioctl(port, SIOCGIFINDEX, &request) != 0)
        fail("cannot find the port", device);
    const int on = 1;
    setsockopt(port, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on);
    setsockopt(port, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    setsockopt(port, SOL_SOCKET, SO_RCVBUFFORCE, &QUEUE_BYTES, sizeof QUEUE_BYTES);
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = request.ifr_ifindex;
    if (bind(port, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        fail("cannot listen to the port", device);
    return port;
}

int make_tap(std::string_view device) {
    const int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    ifreq request{};
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    if (tap < 0 || !set_name(request, device) || ioctl(tap, TUNSETIFF, &request) != 0) fail("cannot make", device);
    return tap;
}

// How long what `header` tells of has lain unread.
std::int64_t unread_ns(msghdr& header) {
    const cmsghdr* const control = CMSG_FIRSTHDR(&header);
    if (control == nullptr || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_TIMESTAMPNS) return 0;
    timespec come;
    std::memcpy(&come, CMSG_DATA(control), sizeof come);
    const std::int64_t passed_ns = now_ns(CLOCK_REALTIME) - (come.tv_sec * NS_PER_S + come.tv_nsec);
    return passed_ns < 0 || passed_ns > LONGEST_UNREAD_NS ? 0 : passed_ns;
}

void take_in(Cable& cable, std::int64_t delay_ns) {
    for (int i = 0; i < FRAMES_AT_ONCE; ++i) {
        Frame& frame = cable.late.emplace_back();
        iovec data{frame.data.data(), FRAME_BYTES};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(timespec))> control;
        msghdr header{};
        header.msg_iov = &data;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        const ssize_t size_bytes = recvmsg(cable.port, &header, 0);
        if (size_bytes <= 0) {
            cable.late.pop_back();
            return;
        }
        frame.due_ns = now_ns() - unread_ns(header) + delay_ns;
        frame.size_bytes = static_cast<std::size_t>(size_bytes);
    }
}

std::int64_t next_due_ns(const Cable& cable) {
    return cable.late.empty() ? std::numeric_limits<std::int64_t>::max() : cable.late.front().due_ns;
}

Cable& soonest(std::vector<Cable>& cables) { return *std::ranges::min_element(cables, {}, next_due_ns); }

void let_due_ones_go(std::vector<Cable>& cables) {
    for (;;) {
        Cable& cable = soonest(cables);
        if (next_due_ns(cable) > now_ns()) return;
        const Frame& frame = cable.late.front();
        [[maybe_unused]] const ssize_t written = write(cable.tap, frame.data.data(), frame.size_bytes);
        cable.late.pop_front();
    }
}

[[noreturn]] void run(std::vector<Cable>& cables, std::int64_t delay_ns) {
    std::vector<pollfd> watched;
    watched.reserve(cables.size());
    for (const Cable& cable : cables) watched.push_back({cable.port, POLLIN, 0});
    for (;;) {
        const std::int64_t due_ns = next_due_ns(soonest(cables));
        const std::int64_t left_ns = std::clamp<std::int64_t>(due_ns - now_ns() - WAKING_NS, 0, NS_PER_S);
        const timespec patience{left_ns / NS_PER_S, left_ns % NS_PER_S};
        ppoll(watched.data(), watched.size(), &patience, nullptr);
        let_due_ones_go(cables);
        for (std::size_t i = 0; i < cables.size(); ++i)
            if (watched[i].revents != 0) take_in(cables[i], delay_ns);
    }
}

// Ahead of the ranks that share the cores with us: what a switch does takes no turn of theirs.
void be_prompt() {
    prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
    const sched_param priority{1};
    sched_setscheduler(0, SCHED_FIFO, &priority);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view delay_text = argc > 2 ? argv[1] : "";
    std::int64_t delay_us = -1;
    std::from_chars(delay_text.data(), delay_text.data() + delay_text.size(), delay_us);
    if (delay_us < 0) {
        std::fputs("usage: clearway-testbed-delay DELAY_US PORT:TAP...\n", stderr);
        return 2;
    }
    std::vector<Cable> cables;
    for (int i = 2; i < argc; ++i) {
        const std::string_view pair = argv[i];
        const std::size_t colon = std::min(pair.find(':'), pair.size());
        const std::string_view tap = pair.substr(std::min(colon + 1, pair.size()));
        cables.push_back({open_port(pair.substr(0, colon)), make_tap(tap), {}});
    }
    if (daemon(0, 0) != 0) fail("cannot run in the background", "");
    be_prompt();
    run(cables, delay_us * 1000);
}
