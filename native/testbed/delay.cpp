// clearway-testbed-delay DELAY_US PORT:TAP...: gives the cables of a switch a length.
//
// What comes in by PORT leaves by TAP after DELAY_US; what comes in by TAP leaves by PORT at once. TAP is made here and
// is to be put into the bridge in PORT's place. So each packet between two hosts is late by DELAY_US once, on its way
// into the switch, and the queue of the port by which it leaves is that of PORT, as without us. Goes into the
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
#include <unistd.h>

#include "base/clock.hpp"

namespace {

constexpr std::size_t FRAME_BYTES = 2048;  // more than an Ethernet frame; the testbed's cards do not merge any
constexpr int QUEUE_BYTES = 1 << 30;       // of our sockets: packets are to be lost at the port's own queue alone
constexpr int FRAMES_AT_ONCE = 64;         // from one descriptor, before the others have their turn
constexpr std::int64_t NS_PER_S = 1'000'000'000;

struct Cable {
    int port;
    int tap;
};

struct Frame {
    std::int64_t due_ns;
    int destination;
    std::size_t size_bytes;
    std::array<unsigned char, FRAME_BYTES> data;
};

std::int64_t now_ns() { return static_cast<std::int64_t>(clearway::clock_ns(CLOCK_MONOTONIC)); }

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
    setsockopt(port, SOL_SOCKET, SO_SNDBUFFORCE, &QUEUE_BYTES, sizeof QUEUE_BYTES);
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

// What a full queue refuses is lost, as on any port.
void pass(int destination, const unsigned char* data, std::size_t size_bytes) {
    [[maybe_unused]] const ssize_t written = write(destination, data, size_bytes);
}

void take_in(const Cable& cable, std::int64_t delay_ns, std::deque<Frame>& late) {
    for (int i = 0; i < FRAMES_AT_ONCE; ++i) {
        Frame& frame = late.emplace_back();
        const ssize_t size_bytes = read(cable.port, frame.data.data(), FRAME_BYTES);
        if (size_bytes <= 0) {
            late.pop_back();
            return;
        }
        frame.due_ns = now_ns() + delay_ns;
        frame.destination = cable.tap;
        frame.size_bytes = static_cast<std::size_t>(size_bytes);
    }
}

void let_out(const Cable& cable) {
    std::array<unsigned char, FRAME_BYTES> data;
    for (int i = 0; i < FRAMES_AT_ONCE; ++i) {
        const ssize_t size_bytes = read(cable.tap, data.data(), data.size());
        if (size_bytes <= 0) return;
        pass(cable.port, data.data(), static_cast<std::size_t>(size_bytes));
    }
}

// All are late by the same time, so they are due in the order in which they came.
void let_due_ones_go(std::deque<Frame>& late) {
    while (!late.empty() && late.front().due_ns <= now_ns()) {
        pass(late.front().destination, late.front().data.data(), late.front().size_bytes);
        late.pop_front();
    }
}

[[noreturn]] void run(const std::vector<Cable>& cables, std::int64_t delay_ns) {
    std::deque<Frame> late;
    std::vector<pollfd> watched;
    for (const Cable& cable : cables) {
        watched.push_back({cable.port, POLLIN, 0});
        watched.push_back({cable.tap, POLLIN, 0});
    }
    for (;;) {
        const std::int64_t left_ns =
            late.empty() ? NS_PER_S : std::max<std::int64_t>(0, late.front().due_ns - now_ns());
        const timespec patience{left_ns / NS_PER_S, left_ns % NS_PER_S};
        ppoll(watched.data(), watched.size(), &patience, nullptr);
        let_due_ones_go(late);
        for (std::size_t i = 0; i < cables.size(); ++i) {
            if (watched[2 * i].revents != 0) take_in(cables[i], delay_ns, late);
            if (watched[2 * i + 1].revents != 0) let_out(cables[i]);
        }
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
        cables.push_back({open_port(pair.substr(0, colon)), make_tap(tap)});
    }
    if (daemon(0, 0) != 0) fail("cannot run in the background", "");
    be_prompt();
    run(cables, delay_us * 1000);
}
