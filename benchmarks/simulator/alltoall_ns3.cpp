// The scenario of against_ns3.py in ns-3: hosts on a router with drop-tail ports, a TCP connection a pair of hosts, and
// all-to-alls with the start skews that clearway-simulate draws for the same seed.
//
//   alltoall_ns3 HOSTS BYTES lam|direct|ordered|ordered+barrier CALLS SEED BUFFER_BYTES SKEW_NS
//
// Prints the time of each call in ns, then drops, timeouts, hops, CPU time in s and memory in kB.
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <sys/resource.h>

#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "simulator/events/random.hpp"

using namespace ns3;

namespace {

constexpr uint32_t kHeaderBytes = 16;
constexpr uint16_t kPort = 5000;

uint64_t drops, timeouts, hops;
void OnDrop(Ptr<const Packet>) { ++drops; }
void OnHop(Ptr<const Packet>) { ++hops; }
void OnTimeout(Time before, Time after) { timeouts += after == before + before; }

// ns-3 remembers what it has acknowledged where a packet without data did so, and not where data carried it. From then
// on it echoes old timestamps, and the peer takes the time since an earlier call for a round trip. RFC 7323, 4.3:
// Last.ACK.sent is of whatever was sent.
struct Inside : TcpSocketBase {
    using TcpSocketBase::m_highTxAck;
};
void OnSent(Ptr<TcpSocketBase> socket, Ptr<const Packet>, const TcpHeader& header, Ptr<const TcpSocketBase>) {
    SequenceNumber32& last = (*socket).*(&Inside::m_highTxAck);
    last = std::max(last, header.GetAckNumber());
}

struct Frame {
    uint64_t end;
    int round;  // of a barrier; -1: a message
};

struct Rank;
std::vector<Rank> ranks;
std::string algorithm;
uint32_t messageBytes;
uint32_t ended;
Time lastEnd;

struct Peer {
    Ptr<Socket> socket;
    uint64_t offered = 0, handedOver = 0, received = 0;
    std::deque<Frame> frames;  // that this rank has sent and the peer not taken
    uint32_t messages = 0;     // received in this call
};

struct Rank {
    uint32_t id = 0;
    std::vector<Peer> peers;
    std::vector<uint32_t> heard;  // barrier messages by round
    uint32_t phase = 0;
    int round = -1;
    bool isIn = false;
    Time writesAt;

    uint32_t count() const { return peers.size(); }
    uint32_t at(uint32_t step) const { return (id + step) % count(); }

    // ns-3 sends a time step after it was given something, and then all that it was given: of what is written at one
    // instant, a message could overtake another socket's token.
    void send(uint32_t to, uint32_t bytes, int round_) {
        writesAt = std::max(writesAt + TimeStep(2), Simulator::Now());
        Simulator::Schedule(writesAt - Simulator::Now(), &Rank::write, this, to, bytes, round_);
    }

    void write(uint32_t to, uint32_t bytes, int round_) {
        Peer& peer = peers[to];
        peer.offered += kHeaderBytes + bytes;
        peer.frames.push_back({peer.offered, round_});
        flush(to);
    }

    void flush(uint32_t to) {
        Peer& peer = peers[to];
        while (peer.handedOver < peer.offered) {
            const uint32_t room = peer.socket->GetTxAvailable();
            const uint32_t bytes = std::min<uint64_t>(room, peer.offered - peer.handedOver);
            if (bytes == 0 || peer.socket->Send(Create<Packet>(bytes)) < 0) return;
            peer.handedOver += bytes;
        }
    }

    void begin() {
        isIn = true;
        phase = 1;
        if (algorithm == "lam") {
            for (uint32_t to = 0; to < count(); ++to)
                if (to != id) send(to, messageBytes, -1);
        } else if (algorithm == "direct") {
            for (uint32_t step = 1; step < count(); ++step) send(at(step), messageBytes, -1);
        } else {
            send(at(1), messageBytes, -1);
        }
        goOn();
    }

    uint32_t rounds() const {
        uint32_t rounds = 0;
        while ((1U << rounds) < count()) ++rounds;
        return rounds;
    }

    bool isPastBarrier() {
        if (round < 0) {
            round = 0;
            send(at(1), 0, 0);
        }
        while (round < int(rounds()) && heard[round] > 0) {
            --heard[round];
            if (++round < int(rounds())) send(at(1U << round), 0, round);
        }
        if (round < int(rounds())) return false;
        round = -1;
        return true;
    }

    void goOn() {
        if (!isIn) return;
        if (algorithm == "lam" || algorithm == "direct") {
            for (uint32_t from = 0; from < count(); ++from)
                if (from != id && peers[from].messages == 0) return;
        } else {
            while (phase < count()) {
                if (peers[at(count() - phase)].messages == 0) return;
                if (phase + 1 < count() && algorithm == "ordered+barrier" && !isPastBarrier()) return;
                if (++phase < count()) send(at(phase), messageBytes, -1);
            }
        }
        isIn = false;
        for (Peer& peer : peers) peer.messages = 0;
        ++ended;
        lastEnd = Simulator::Now();
        if (ended == count()) Simulator::Stop();
    }

    void read(uint32_t from) {
        Peer& peer = peers[from];
        while (Ptr<Packet> packet = peer.socket->Recv()) peer.received += packet->GetSize();
        std::deque<Frame>& frames = ranks[from].peers[id].frames;
        while (!frames.empty() && frames.front().end <= peer.received) {
            if (frames.front().round < 0) {
                ++peer.messages;
            } else {
                ++heard[frames.front().round];
            }
            frames.pop_front();
        }
        // Not from within ns-3's handling of the packet: at its end it sends what this socket was given, which would
        // overtake what other sockets were given before.
        Simulator::ScheduleNow(&Rank::goOn, this);
    }

    void adopt(uint32_t from, Ptr<Socket> socket) {
        peers[from].socket = socket;
        socket->TraceConnectWithoutContext("RTO", MakeCallback(&OnTimeout));
        socket->TraceConnectWithoutContext("Tx", MakeBoundCallback(&OnSent, DynamicCast<TcpSocketBase>(socket)));
        socket->SetRecvCallback(Callback<void, Ptr<Socket>>([this, from](Ptr<Socket>) { read(from); }));
        socket->SetSendCallback(
            Callback<void, Ptr<Socket>, uint32_t>([this, from](Ptr<Socket>, uint32_t) { flush(from); }));
    }
};

void SetDefaults() {
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpLinuxReno"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(6 << 20));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocket::TcpNoDelay", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
}

void Build(uint32_t hosts, uint32_t bufferBytes) {
    NodeContainer nodes(hosts), middle(1);
    InternetStackHelper().Install(nodes);
    InternetStackHelper().Install(middle);
    PointToPointHelper link;
    link.DisableFlowControl();  // a full port drops; it does not stop whoever sends to it
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    link.SetChannelAttribute("Delay", StringValue("10us"));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    std::vector<Ipv4Address> addressOf;
    for (uint32_t host = 0; host < hosts; ++host) {
        link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1000000000B"));
        NetDeviceContainer devices = link.Install(nodes.Get(host), middle.Get(0));
        auto port = DynamicCast<PointToPointNetDevice>(devices.Get(1));
        port->GetQueue()->SetMaxSize(QueueSize(std::to_string(bufferBytes) + "B"));
        port->GetQueue()->TraceConnectWithoutContext("Drop", MakeCallback(&OnDrop));
        for (uint32_t i = 0; i < 2; ++i) devices.Get(i)->TraceConnectWithoutContext("MacRx", MakeCallback(&OnHop));
        addressOf.push_back(addresses.Assign(devices).GetAddress(0));
        addresses.NewNetwork();
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    for (uint32_t id = 0; id < hosts; ++id) {
        ranks[id].id = id;
        ranks[id].peers.resize(hosts);
        ranks[id].heard.resize(32);
    }
    for (uint32_t to = 0; to < hosts; ++to)
        for (uint32_t from = 0; from < to; ++from) {
            const uint16_t port = kPort + from;
            Ptr<Socket> listener = Socket::CreateSocket(nodes.Get(to), TcpSocketFactory::GetTypeId());
            listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
            listener->Listen();
            listener->SetAcceptCallback(
                MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                Callback<void, Ptr<Socket>, const Address&>(
                    [to, from](Ptr<Socket> socket, const Address&) { ranks[to].adopt(from, socket); }));
            Ptr<Socket> socket = Socket::CreateSocket(nodes.Get(from), TcpSocketFactory::GetTypeId());
            ranks[from].adopt(to, socket);
            Simulator::Schedule(MicroSeconds(100 * (to * hosts + from)), [socket, address = addressOf[to], port] {
                socket->Connect(InetSocketAddress(address, port));
            });
        }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 8) return 2;
    const uint32_t hosts = std::stoul(argv[1]);
    messageBytes = std::stoul(argv[2]);
    algorithm = argv[3];
    const uint32_t calls = std::stoul(argv[4]);
    const double skewNs = std::stod(argv[7]);
    ranks.resize(hosts);
    SetDefaults();
    Build(hosts, std::stoul(argv[6]));
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    clearway::simulator::Random seeds(std::stoull(argv[5]));
    std::vector<clearway::simulator::Random> skews;
    for (uint32_t id = 0; id < hosts; ++id) skews.emplace_back(seeds.next());
    drops = timeouts = hops = 0;
    Time start = Simulator::Now();
    for (uint32_t call = 0; call < calls; ++call) {
        ended = 0;
        for (uint32_t id = 0; id < hosts; ++id)
            Simulator::Schedule(NanoSeconds(uint64_t(skews[id].uniform() * skewNs)), &Rank::begin, &ranks[id]);
        Simulator::Run();
        if (ended != hosts) return 1;
        std::printf("%lld\n", static_cast<long long>((lastEnd - start).GetNanoSeconds()));
        start = lastEnd;
    }
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const double cpu =
        used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1e-6 * (used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    std::printf("drops %llu timeouts %llu hops %llu cpu_s %g memory_kb %ld\n", static_cast<unsigned long long>(drops),
                static_cast<unsigned long long>(timeouts), static_cast<unsigned long long>(hops), cpu, used.ru_maxrss);
    return 0;
}
