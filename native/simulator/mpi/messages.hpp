// Messages between ranks: over one TCP connection or queue pair a pair, as Open MPI and LAM make them, or through
// memory inside a host. A message up to the eager limit is written at once; a longer one asks, and follows when its
// receive is posted.
//
//   send ──▶ [core: cost] ──▶ frame in the stream ──▶ Transport ──▶ frame is whole ──▶ [core: cost] ──▶ meets a receive
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/problem.hpp"
#include "simulator/events/timers.hpp"
#include "simulator/mpi/core.hpp"
#include "simulator/mpi/lists.hpp"
#include "simulator/mpi/message.hpp"
#include "simulator/mpi/settings.hpp"
#include "simulator/mpi/singles.hpp"
#include "simulator/network/ring.hpp"
#include "simulator/pool.hpp"
#include "simulator/transport.hpp"

namespace clearway::simulator {

// The ranks. Whatever they are told, they may act on it only in go_on, which comes afterwards.
struct RankUser {
    virtual void sent(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) = 0;
    virtual void received(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) = 0;
    virtual void heard(std::uint32_t rank, MessageKind kind, const Label& label) = 0;
    virtual void go_on(Picoseconds now, std::uint32_t rank) = 0;

protected:
    ~RankUser() = default;
};

class Messages final : public StreamUser {
public:
    Messages(const MpiSettings& settings, const NoiseSettings& noise, std::uint64_t seed,
             const schedule::Placement& placement, Transport& transport, Timers& timers);

    void serve(RankUser& user) { user_ = &user; }
    Core& core(std::uint32_t rank) { return ranks_[rank].core; }

    // In each context the k-th send of a rank to a peer meets the k-th receive of that peer from the rank.
    void send(Picoseconds now, std::uint32_t rank, std::uint32_t peer, const Label& label, std::uint32_t bytes);
    void receive(Picoseconds now, std::uint32_t rank, std::uint32_t peer, const Label& label, std::uint32_t bytes);
    void tell(Picoseconds now, std::uint32_t rank, std::uint32_t peer, MessageKind kind, const Label& label);

    // The rank's end of its connection with `peer`; kNoItem where they have none.
    std::uint32_t socket_between(std::uint32_t rank, std::uint32_t peer) const {
        const std::uint32_t endpoint = endpoints_[place_of_pair(rank, peer)];
        if (endpoint == kNoItem || channels_[endpoint].is_local != 0) return kNoItem;
        return rank < peer ? endpoint : Transport::peer_of(endpoint);
    }

    // The rank is away until `time`, and then goes on.
    void begin(std::uint32_t rank, Picoseconds time);

    // The rank computes for so long, and is away meanwhile.
    void compute(Picoseconds now, std::uint32_t rank, Picoseconds duration);
    bool is_away(std::uint32_t rank) const { return ranks_[rank].is_away; }

    // The rank goes on at `time`, whether something comes or not.
    void look_again(std::uint32_t rank, Picoseconds time);

    void wake_rank(Picoseconds now, std::uint32_t rank);
    void wake_looker(Picoseconds now, std::uint32_t rank);
    void wake_poller(Picoseconds now, std::uint32_t rank);
    void wake_memory(Picoseconds now, std::uint32_t endpoint);
    void can_read(Picoseconds now, std::uint32_t endpoint) override;
    void can_write(Picoseconds now, std::uint32_t endpoint) override;

private:
    struct Frame {
        std::uint32_t end;  // in the stream: its low bits
        std::uint32_t bytes;
        Label label;
        MessageKind kind;
    };
    struct Posted {
        std::uint32_t bytes;
        Label label;
    };
    // What a rank shares with one peer; has the number of its endpoint. There are as many as pairs of ranks.
    struct Channel {
        Channel(std::uint32_t own, bool is_inside) : rank(own & 0x7FFFFFFFU), is_local(is_inside ? 1 : 0) {}
        std::uint32_t rank : 31;
        std::uint32_t is_local : 1;  // inside one host
        List frames;                 // that the peer has not taken; of one, or of singles_ where TCP has taken it whole
        List posted;                 // receives that no message has met; likewise
        std::uint32_t rare = kNoItem;
    };
    static_assert(sizeof(Channel) == 16);
    // What few channels have at a time.
    struct Rare {
        std::uint64_t unwritten_bytes = 0;  // that the transport has not taken
        std::uint32_t unwritten = kNoItem;  // the first frame that it has not taken whole
        List untold;                        // such frames that the peer has taken: RDMA's, before they are acknowledged
        List granted;                       // receives whose messages were asked for
        List early;                         // messages and requests that no receive has met
        std::uint32_t link = 0;

        bool is_idle() const { return unwritten_bytes == 0 && granted.empty() && early.empty(); }
        std::uint32_t& next_idle() { return link; }
    };
    // Something the core has been asked to do.
    struct Task {
        Picoseconds done_at;  // where ranks are woken: what it takes, for it begins later
        Frame frame;
        std::uint32_t endpoint;
        enum class What : std::uint8_t { begin, slice, write, take, look } what;
        Picoseconds came_at = 0;
    };
    struct Rank {
        struct Asked {
            Frame frame;
            std::uint32_t endpoint;
        };
        Core core;
        Ring<Task> tasks;
        std::vector<std::uint32_t> unread;  // endpoints whose data came while the rank was away
        std::vector<std::uint32_t> unseen;  // those with messages that came meanwhile
        std::vector<Asked> to_grant;        // where the rank's own requests go first
        Picoseconds to_compute = 0;         // in further slices
        Picoseconds computes_since = 0;     // the last time that it began to
        Picoseconds looks_at = 0;
        Picoseconds polls_at = 0;            // it looks whether something has come, if it still waits then
        bool looks_before_going_on = false;  // it has read something
        std::uint32_t begun = 0;             // of its tasks, the first: they have their place on a core (if woken)
        bool is_away = true;
        bool is_computing = false;  // outside the library, which sees nothing of what comes
    };

    static std::uint64_t place_of_pair(std::uint32_t one, std::uint32_t other) {
        const std::uint64_t greater = std::max(one, other);
        return greater * (greater + 1) / 2 + std::min(one, other);
    }
    std::uint32_t endpoint_between(std::uint32_t rank, std::uint32_t peer);
    Rare& rare_of(Channel& channel);
    void give_rare_back(Channel& channel);
    Picoseconds cost_of(const Frame& frame, bool is_copied_by_sender) const;
    void enqueue(Picoseconds now, std::uint32_t rank, const Task& task, Picoseconds cost);
    void begin_tasks(Picoseconds now, std::uint32_t rank, Picoseconds more);
    static bool is_simple(const Task& task);
    // Where ranks share cores: waking one takes of a core, and one that waits looks now and then.
    bool is_woken() const { return wake_ != 0; }
    bool looks() const { return is_woken() && poll_ != 0; }
    void wake_to_read(Picoseconds now, std::uint32_t rank);
    Picoseconds core_of_sender_at(Picoseconds now, const Task& task);
    void poll_later(Picoseconds now, std::uint32_t rank);
    void compute_slice(Picoseconds now, std::uint32_t rank);
    void come_back(Picoseconds now, std::uint32_t rank);
    void take_from_memory(Picoseconds now, std::uint32_t endpoint);
    void submit(Picoseconds now, std::uint32_t endpoint, MessageKind kind, const Label& label, std::uint32_t bytes);
    void answer(Picoseconds now, std::uint32_t endpoint, MessageKind kind, const Frame& asked);
    void write(Picoseconds now, std::uint32_t endpoint, Frame frame);
    void flush(Picoseconds now, std::uint32_t endpoint);
    void unfold_frames(std::uint32_t endpoint);
    Frame pop_frame(Channel& channel);
    Frame pop_frame_of(Channel& sender);
    void post(Channel& channel, const Posted& posted);
    std::optional<Posted> take_posted(Channel& channel, std::uint32_t context);
    bool confirms(const Channel& channel) const { return settings_.confirms_bodies && channel.is_local == 0; }
    void tell_sent(const Channel& channel, const Frame& frame);
    void receive_body(Channel& channel);
    void take_frames(Picoseconds now, std::uint32_t endpoint);
    void take(Picoseconds now, std::uint32_t endpoint, const Frame& frame);
    void meet(Picoseconds now, std::uint32_t endpoint, const Frame& frame, const Posted& posted, bool is_early);
    void let_go_on(Picoseconds now, std::uint32_t rank);
    void grant_put_off(Picoseconds now, std::uint32_t rank);

    MpiSettings settings_;
    const schedule::Placement& placement_;
    Transport& transport_;
    Timers& timers_;
    RankUser* user_ = nullptr;
    const Picoseconds slice_;  // 0: computing takes no turns
    const Picoseconds wake_, poll_, patience_, tick_;
    const bool is_bound_;
    std::size_t polls_to_come_ = 0;  // timers that stand for polls
    std::size_t computing_ = 0;      // ranks
    SharedCores shared_cores_;
    std::vector<Rank> ranks_;
    std::vector<std::uint32_t> endpoints_;  // by place_of_pair: of the lower rank
    std::vector<Channel> channels_;
    Pool<Rare> rare_;
    Lists<Frame> frames_;
    Lists<Posted> posted_;
    Singles singles_;
};

}  // namespace clearway::simulator
