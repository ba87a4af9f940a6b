// A rate that the host itself gives an interface: a token-bucket filter at its root (tc-tbf(8)), as container
// networks and testbeds have it. The link may be faster, but the job will not see it.
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sys/time.h>

#include "recorder/host/interface_facts.hpp"

namespace clearway::recorder {
namespace {

constexpr int kMostReplies = 64;

class RouteSocket {
public:
    RouteSocket() : fd_(static_cast<int>(syscall(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE))) {
        const timeval longest{0, 100'000};
        syscall(SYS_setsockopt, fd_, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    }
    ~RouteSocket() {
        if (fd_ >= 0) syscall(SYS_close, fd_);
    }
    RouteSocket(const RouteSocket&) = delete;
    RouteSocket& operator=(const RouteSocket&) = delete;

    bool send(const void* request, std::size_t length) const {
        return syscall(SYS_sendto, fd_, request, length, 0, nullptr, 0) == static_cast<long>(length);
    }
    long receive(void* reply, std::size_t size) const {
        return syscall(SYS_recvfrom, fd_, reply, size, 0, nullptr, nullptr);
    }

private:
    int fd_;
};

// The attribute of that type among those at `first`, or null.
const rtattr* find(const rtattr* first, std::size_t length, unsigned short type) {
    auto left = static_cast<unsigned int>(length);
    for (const rtattr* each = first; RTA_OK(each, left); each = RTA_NEXT(each, left))
        if (each->rta_type == type) return each;
    return nullptr;
}

template <class Value>
bool read_value(const rtattr* attribute, Value& value) {
    if (attribute == nullptr || RTA_PAYLOAD(attribute) < sizeof value) return false;
    std::memcpy(&value, RTA_DATA(attribute), sizeof value);
    return true;
}

// Bytes a second; 0 where this queueing discipline is none that limits a whole interface.
std::uint64_t rate_of(const nlmsghdr* message) {
    const auto* head = static_cast<const tcmsg*>(NLMSG_DATA(message));
    if (message->nlmsg_len < NLMSG_LENGTH(sizeof *head) || head->tcm_parent != TC_H_ROOT) return 0;
    const auto* first =
        reinterpret_cast<const rtattr*>(reinterpret_cast<const char*>(head) + NLMSG_ALIGN(sizeof *head));
    const std::size_t length = message->nlmsg_len - NLMSG_SPACE(sizeof *head);
    const rtattr* kind = find(first, length, TCA_KIND);
    const rtattr* options = find(first, length, TCA_OPTIONS);
    if (kind == nullptr || options == nullptr || RTA_PAYLOAD(kind) < 4 || std::memcmp(RTA_DATA(kind), "tbf", 4) != 0)
        return 0;
    const auto* inner = static_cast<const rtattr*>(RTA_DATA(options));
    std::uint64_t rate = 0;
    tc_tbf_qopt parameters{};
    if (read_value(find(inner, RTA_PAYLOAD(options), TCA_TBF_RATE64), rate)) return rate;
    return read_value(find(inner, RTA_PAYLOAD(options), TCA_TBF_PARMS), parameters) ? parameters.rate.rate : 0;
}

bool ask_for_all(const RouteSocket& socket) {
    struct {
        nlmsghdr header;
        tcmsg body;
    } request{};
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_type = RTM_GETQDISC;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.body.tcm_family = AF_UNSPEC;
    return socket.send(&request, sizeof request);
}

// Calls `visit(message)` for each queueing discipline of this namespace.
template <class Visit>
void visit_disciplines(Visit visit) {
    const RouteSocket socket;
    if (!ask_for_all(socket)) return;
    alignas(nlmsghdr) char reply[16384];
    for (int replies = 0; replies < kMostReplies; ++replies) {
        const long length = socket.receive(reply, sizeof reply);
        if (length <= 0) return;
        auto left = static_cast<unsigned int>(length);
        for (auto* each = reinterpret_cast<nlmsghdr*>(reply); NLMSG_OK(each, left); each = NLMSG_NEXT(each, left)) {
            if (each->nlmsg_type == NLMSG_DONE || each->nlmsg_type == NLMSG_ERROR) return;
            visit(each);
        }
    }
}

}  // namespace

void describe_shaping(const ControlSocket& socket) {
    visit_disciplines([&](const nlmsghdr* message) {
        const std::uint64_t rate = rate_of(message);
        char interface[IFNAMSIZ];
        if (rate != 0 && socket.name_of(static_cast<const tcmsg*>(NLMSG_DATA(message))->tcm_ifindex, interface))
            add_interface_fact(interface, "shaped_bytes_per_s", rate);
    });
}

}  // namespace clearway::recorder
