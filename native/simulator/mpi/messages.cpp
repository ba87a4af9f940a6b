#include "simulator/mpi/messages.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "simulator/tcp/settings.hpp"

namespace clearway::simulator {

namespace {

// Only these carry a message's bytes.
bool has_payload(MessageKind kind) { return kind == MessageKind::eager || kind == MessageKind::body; }

// Whether a stream has come as far as `end`: these are the low bits of positions. It is never further beyond than a
// socket's buffer is long, and what is missing is never more than a message.
bool has_reached(std::uint64_t position, std::uint32_t end) {
    return static_cast<std::uint32_t>(position) - end < kMostBufferBytes;
}

}  // namespace

Messages::Messages(const MpiSettings& settings, const NoiseSettings& noise, std::uint64_t seed,
                   const schedule::Placement& placement, Transport& transport, Timers& timers)
    : settings_(settings),
      placement_(placement),
      transport_(transport),
      timers_(timers),
      slice_(noise.cores != 0 && noise.shares_computing ? from_ns(noise.slice_ns) : 0),
      wake_(noise.cores != 0 ? from_ns(noise.wake_ns) : 0),
      poll_(from_ns(noise.poll_ns)),
      patience_(from_ns(noise.patience_ns)),
      tick_(from_ns(noise.slice_ns)),
      is_bound_(noise.is_bound),
      shared_cores_(noise, seed + 1) {
    const std::uint32_t ranks = schedule::ranks_of(placement);
    Random random(seed);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
        ranks_.push_back({.core = Core(rank, noise, random.next(), shared_cores_),
                          .tasks = {},
                          .unread = {},
                          .unseen = {},
                          .to_grant = {}});
    const std::uint64_t endpoints = std::uint64_t{ranks} * (ranks - 1);
    endpoints_.assign(std::uint64_t{ranks} * (ranks + 1) / 2, kNoItem);
    channels_.reserve(endpoints);
    transport_.reserve(endpoints);
    const bool has_costly_packets = noise.packet_ns != 0 || noise.timer_ns != 0 || noise.relay_ns != 0;
    if (!shared_cores_.empty() && has_costly_packets) transport_.charge(&shared_cores_, noise.relay_ns != 0);
}

void Messages::send(Picoseconds now, std::uint32_t rank, std::uint32_t peer, const Label& label, std::uint32_t bytes) {
    const bool is_eager = bytes <= settings_.eager_bytes;
    submit(now, endpoint_between(rank, peer), is_eager ? MessageKind::eager : MessageKind::request, label, bytes);
}

void Messages::receive(Picoseconds now, std::uint32_t rank, std::uint32_t peer, const Label& label,
                       std::uint32_t bytes) {
    const std::uint32_t endpoint = endpoint_between(rank, peer);
    Channel& channel = channels_[endpoint];
    const auto has_come = [&](const Frame& frame) { return frame.label.context == label.context; };
    std::optional<Frame> frame;
    if (channel.rare != kNoItem) frame = frames_.take_first(rare_[channel.rare].early, has_come);
    if (frame) {
        meet(now, endpoint, *frame, {bytes, label}, true);
        give_rare_back(channel);
    } else {
        post(channel, {bytes, label});
    }
}

void Messages::tell(Picoseconds now, std::uint32_t rank, std::uint32_t peer, MessageKind kind, const Label& label) {
    submit(now, endpoint_between(rank, peer), kind, label, 0);
}

void Messages::begin(std::uint32_t rank, Picoseconds time) {
    ranks_[rank].is_away = true;
    ranks_[rank].core.away_until(time);
    enqueue(time, rank, {0, {}, 0, Task::What::begin}, 0);
}

void Messages::compute(Picoseconds now, std::uint32_t rank, Picoseconds duration) {
    grant_put_off(now, rank);
    Core& core = ranks_[rank].core;
    ranks_[rank].is_away = ranks_[rank].is_computing = true;
    ranks_[rank].computes_since = now;
    ++computing_;
    if (slice_ == 0) return begin(rank, core.compute(now, duration) + core.draw_skew());
    ranks_[rank].to_compute = duration;
    compute_slice(now, rank);
}

void Messages::compute_slice(Picoseconds now, std::uint32_t rank) {
    const Picoseconds slice = std::min(ranks_[rank].to_compute, slice_);
    ranks_[rank].to_compute -= slice;
    enqueue(now, rank, {0, {}, 0, Task::What::slice}, slice);
}

void Messages::come_back(Picoseconds now, std::uint32_t rank) {
    Rank& each = ranks_[rank];
    each.is_away = false;
    // What it has to send and to receive now, before it looks at what has come: a library reads its sockets when it
    // waits.
    if (std::exchange(each.is_computing, false)) {
        --computing_;
        let_go_on(now, rank);
    }
    if (each.is_away) return;
    for (const std::uint32_t endpoint : std::exchange(each.unread, {})) transport_.read(now, endpoint);
    for (const std::uint32_t endpoint : std::exchange(each.unseen, {})) {
        if (channels_[endpoint].is_local != 0) {
            take_from_memory(now, endpoint);
        } else {
            take_frames(now, endpoint);
        }
    }
}

// Work is done in the order in which it came up. The timer stands for the first task alone.
void Messages::enqueue(Picoseconds now, std::uint32_t rank, const Task& task, Picoseconds cost) {
    Rank& each = ranks_[rank];
    Task timed = task;
    if (is_woken()) {
        timed.done_at = cost;
        timed.came_at = now;
        each.tasks.push(timed);
        if (each.tasks.size() > 1) return;
        each.begun = 0;
        if (task.what == Task::What::slice || !each.core.is_idle(now)) return begin_tasks(now, rank, 0);
        return timers_.push({now + each.core.draw_wakeup(), Waking::rank, rank});
    }
    timed.done_at = each.core.work(now, cost);
    if (each.tasks.empty()) timers_.push({timed.done_at, Waking::rank, rank});
    each.tasks.push(timed);
}

// The first of its tasks take their place on a core that others use as well: not before they can begin, for others use
// the core until then. A rank keeps the core as long as it has something to do there: the kernel takes it away at a
// tick alone. `more` is what waking the rank takes.
void Messages::begin_tasks(Picoseconds now, std::uint32_t rank, Picoseconds more) {
    Rank& each = ranks_[rank];
    Picoseconds cost = each.tasks.front().done_at;
    each.begun = 1;
    while (each.begun < each.tasks.size() && is_simple(each.tasks[each.begun - 1]) && is_simple(each.tasks[each.begun]))
        cost += each.tasks[each.begun++].done_at;
    Picoseconds done = each.core.work_shared(now, cost + more, more != 0);
    for (std::uint32_t task = each.begun; task-- > 0;) {
        const Picoseconds its = each.tasks[task].done_at;
        each.tasks[task].done_at = done;
        done -= its;
    }
    timers_.push({each.tasks.front().done_at, Waking::rank, rank});
}

// Nothing is done besides: a message that asks for nothing is written, or taken.
bool Messages::is_simple(const Task& task) {
    return task.what == Task::What::write || (task.what == Task::What::take && task.frame.kind == MessageKind::eager);
}

void Messages::poll_later(Picoseconds now, std::uint32_t rank) {
    if (!looks() || ranks_[rank].is_away) return;
    ranks_[rank].polls_at = now + patience_;
    timers_.push({ranks_[rank].polls_at, Waking::poller, rank});
    ++polls_to_come_;
}

void Messages::wake_poller(Picoseconds now, std::uint32_t rank) {
    --polls_to_come_;
    Rank& each = ranks_[rank];
    // Where nothing can come any more nobody looks on for ever.
    if (timers_.size() == polls_to_come_ && !each.looks_before_going_on) return;
    if (each.polls_at != now || !each.tasks.empty() || each.is_away) return;
    const Picoseconds done = each.core.work_shared(now, poll_);
    if (std::exchange(each.looks_before_going_on, false)) let_go_on(now, rank);
    if (each.tasks.empty()) poll_later(done, rank);
}

void Messages::look_again(std::uint32_t rank, Picoseconds time) {
    if (ranks_[rank].looks_at == time) return;
    ranks_[rank].looks_at = time;
    timers_.push({time, Waking::looker, rank});
}

void Messages::wake_looker(Picoseconds now, std::uint32_t rank) { let_go_on(now, rank); }

void Messages::wake_rank(Picoseconds now, std::uint32_t rank) {
    if (is_woken() && ranks_[rank].begun == 0) {
        const Picoseconds at = core_of_sender_at(now, ranks_[rank].tasks.front());
        if (at > now) return timers_.push({at, Waking::rank, rank});
        return begin_tasks(now, rank, wake_);
    }
    const Task task = ranks_[rank].tasks.front();
    ranks_[rank].tasks.pop();
    if (is_woken() && --ranks_[rank].begun == 0 && !ranks_[rank].tasks.empty()) {
        begin_tasks(now, rank, 0);
    } else if (!ranks_[rank].tasks.empty()) {
        timers_.push({ranks_[rank].tasks.front().done_at, Waking::rank, rank});
    }
    switch (task.what) {
        case Task::What::begin:
            come_back(now, rank);
            break;
        case Task::What::slice:
            if (ranks_[rank].to_compute > 0) return compute_slice(now, rank);
            return begin(rank, now + ranks_[rank].core.draw_skew());
        case Task::What::write:
            write(now, task.endpoint, task.frame);
            break;
        case Task::What::look:
            break;
        case Task::What::take:
            take(now, task.endpoint, task.frame);
            break;
    }
    // A library takes all that has come before it lets the program go on.
    const Ring<Task>& tasks = ranks_[rank].tasks;
    if (settings_.looks_twice && looks() && task.what == Task::What::take && tasks.empty())
        ranks_[rank].looks_before_going_on = true;
    if (!ranks_[rank].looks_before_going_on && (tasks.empty() || tasks.front().what != Task::What::take))
        let_go_on(now, rank);
    if (tasks.empty()) poll_later(now, rank);
}

Picoseconds Messages::cost_of(const Frame& frame, bool is_copied_by_sender) const {
    const std::uint64_t bytes = has_payload(frame.kind) ? frame.bytes : 0;
    const std::uint64_t kilobyte_ns = settings_.kilobyte_ns + (is_copied_by_sender ? settings_.memory_kilobyte_ns : 0);
    return from_ns(settings_.message_ns) + static_cast<Picoseconds>(bytes * kilobyte_ns);  // ns a kB are ps a byte
}

// Hands a frame to the rank's core, and does at once what costs nothing.
void Messages::submit(Picoseconds now, std::uint32_t endpoint, MessageKind kind, const Label& label,
                      std::uint32_t bytes) {
    const Frame frame{0, bytes, label, kind};
    Rank& rank = ranks_[channels_[endpoint].rank];
    const Picoseconds cost = cost_of(frame, channels_[endpoint].is_local != 0);
    if (cost == 0 && rank.tasks.empty() && rank.core.is_free(now)) return write(now, endpoint, frame);
    enqueue(now, channels_[endpoint].rank, {0, frame, endpoint, Task::What::write}, cost);
}

// What answers a message is written while that is handled, before anything that the rank does next.
void Messages::answer(Picoseconds now, std::uint32_t endpoint, MessageKind kind, const Frame& asked) {
    const Channel& channel = channels_[endpoint];
    const Frame frame{0, asked.bytes, asked.label, kind};
    ranks_[channel.rank].core.work(now, cost_of(frame, channel.is_local != 0));
    write(now, endpoint, frame);
}

void Messages::write(Picoseconds now, std::uint32_t endpoint, Frame frame) {
    Channel& channel = channels_[endpoint];
    if (Singles::holds(channel.frames)) unfold_frames(endpoint);
    if (channel.is_local != 0) {
        if (!channel.frames.empty() || !singles_.put(channel.frames, {frame.bytes, frame.label, frame.kind}))
            frames_.append(channel.frames, frame);
        timers_.push({now + from_ns(settings_.memory_latency_ns), Waking::memory, Transport::peer_of(endpoint)});
        return tell_sent(channel, frame);
    }
    const std::uint64_t bytes = settings_.header_bytes + (has_payload(frame.kind) ? std::uint64_t{frame.bytes} : 0);
    const std::uint64_t before = transport_.written(endpoint);
    if (channel.rare != kNoItem && rare_[channel.rare].unwritten_bytes != 0) {
        Rare& rare = rare_[channel.rare];
        frame.end = static_cast<std::uint32_t>(before + rare.unwritten_bytes + bytes);
        const std::uint32_t at = frames_.append(channel.frames, frame);
        if (rare.unwritten == kNoItem) rare.unwritten = at;
        rare.unwritten_bytes += bytes;
        return flush(now, endpoint);
    }
    const std::uint64_t taken = transport_.write(now, endpoint, bytes);
    const bool may_be_single = taken == bytes && channel.frames.empty();
    if (may_be_single && singles_.put(channel.frames, {frame.bytes, frame.label, frame.kind}))
        return tell_sent(channel, frame);
    frame.end = static_cast<std::uint32_t>(before + bytes);
    const std::uint32_t at = frames_.append(channel.frames, frame);
    if (taken == bytes) return tell_sent(channel, frame);
    Rare& rare = rare_of(channel);
    rare.unwritten = at;
    rare.unwritten_bytes = bytes - taken;
}

// A single ends where the stream does: before more is written, it becomes one that knows its end.
void Messages::unfold_frames(std::uint32_t endpoint) {
    Channel& channel = channels_[endpoint];
    const std::uint64_t end = channel.is_local != 0 ? 0 : transport_.written(endpoint);
    const Singles::Item item = singles_.take(channel.frames);
    frames_.append(channel.frames, {static_cast<std::uint32_t>(end), item.bytes, item.label, item.kind});
}

Messages::Frame Messages::pop_frame(Channel& channel) {
    if (!Singles::holds(channel.frames)) return frames_.pop(channel.frames);
    const Singles::Item item = singles_.take(channel.frames);
    return {0, item.bytes, item.label, item.kind};
}

// Its sender may not have heard that it is sent.
Messages::Frame Messages::pop_frame_of(Channel& sender) {
    Rare& rare = rare_[sender.rare];
    const bool is_untold = rare.unwritten != kNoItem && rare.unwritten == frames_.first(sender.frames);
    if (!is_untold) return pop_frame(sender);
    rare.unwritten = frames_.after(sender.frames, rare.unwritten);
    const Frame frame = frames_.pop(sender.frames);
    frames_.append(rare.untold, frame);
    return frame;
}

void Messages::post(Channel& channel, const Posted& posted) {
    if (channel.posted.empty() && singles_.put(channel.posted, {posted.bytes, posted.label, MessageKind::eager}))
        return;
    if (Singles::holds(channel.posted)) {
        const Singles::Item item = singles_.take(channel.posted);
        posted_.append(channel.posted, {item.bytes, item.label});
    }
    posted_.append(channel.posted, posted);
}

// The first of that context.
std::optional<Messages::Posted> Messages::take_posted(Channel& channel, std::uint32_t context) {
    if (!Singles::holds(channel.posted))
        return posted_.take_first(channel.posted, [&](const Posted& each) { return each.label.context == context; });
    if (singles_[channel.posted].label.context != context) return {};
    const Singles::Item item = singles_.take(channel.posted);
    return Posted{item.bytes, item.label};
}

// A send has ended when the socket has taken it, or the receiver has confirmed it.
void Messages::tell_sent(const Channel& channel, const Frame& frame) {
    if (frame.kind == MessageKind::body && confirms(channel)) return;
    if (has_payload(frame.kind)) user_->sent(channel.rank, frame.label.subject, frame.bytes);
}

void Messages::flush(Picoseconds now, std::uint32_t endpoint) {
    Channel& channel = channels_[endpoint];
    Rare& rare = rare_[channel.rare];
    rare.unwritten_bytes -= transport_.write(now, endpoint, rare.unwritten_bytes);
    const std::uint64_t written = transport_.written(endpoint);
    while (!rare.untold.empty() && has_reached(written, frames_.front(rare.untold).end))
        tell_sent(channel, frames_.pop(rare.untold));
    while (rare.unwritten != kNoItem && has_reached(written, frames_[rare.unwritten].end)) {
        tell_sent(channel, frames_[rare.unwritten]);
        rare.unwritten = frames_.after(channel.frames, rare.unwritten);
    }
    give_rare_back(channel);
}

Messages::Rare& Messages::rare_of(Channel& channel) {
    if (channel.rare == kNoItem) channel.rare = rare_.take();
    return rare_[channel.rare];
}

void Messages::give_rare_back(Channel& channel) {
    if (channel.rare == kNoItem || !rare_[channel.rare].is_idle()) return;
    rare_.give_back(std::exchange(channel.rare, kNoItem));
}

void Messages::can_write(Picoseconds now, std::uint32_t endpoint) {
    flush(now, endpoint);
    let_go_on(now, channels_[endpoint].rank);
}

void Messages::can_read(Picoseconds now, std::uint32_t endpoint) {
    Rank& rank = ranks_[channels_[endpoint].rank];
    if (rank.is_away) {
        rank.unread.push_back(endpoint);
    } else {
        transport_.read(now, endpoint);
    }
    take_frames(now, endpoint);
    if (is_woken()) wake_to_read(now, channels_[endpoint].rank);
}

// The kernel wakes who gets a message where its sender runs, if it was there before: the sender is expected to sleep
// soon. One that computes instead keeps the core, until a tick comes. Who is bound wakes on its own core.
Picoseconds Messages::core_of_sender_at(Picoseconds now, const Task& task) {
    if (is_bound_ || task.what != Task::What::take || channels_[task.endpoint].is_local != 0) return now;
    const Rank& sender = ranks_[channels_[Transport::peer_of(task.endpoint)].rank];
    const bool has_waited_for_a_link = task.came_at > sender.computes_since + patience_;
    if (!sender.is_computing || has_waited_for_a_link) return now;
    const Picoseconds at = std::min(sender.core.free_at(), sender.computes_since + tick_);
    // Of those that compute at once only as many as there are cores are on one.
    const std::size_t one_of = std::max(shared_cores_.number(), computing_);
    return at > now && ranks_[channels_[task.endpoint].rank].core.draw_one_of(one_of) ? at : now;
}

// What has come wakes a rank that waits, whether it is a whole message or a part of one.
void Messages::wake_to_read(Picoseconds now, std::uint32_t rank) {
    Rank& each = ranks_[rank];
    if (each.is_away || !each.tasks.empty() || !each.core.is_idle(now)) return;
    each.tasks.push({0, {}, 0, Task::What::look});
    begin_tasks(now, rank, wake_);
}

void Messages::take_frames(Picoseconds now, std::uint32_t endpoint) {
    const std::uint32_t from = Transport::peer_of(endpoint);
    Channel& sender = channels_[from];
    const std::uint32_t taker = channels_[endpoint].rank;
    if (ranks_[taker].is_computing) return ranks_[taker].unseen.push_back(endpoint);
    const std::uint64_t received = transport_.received(endpoint);
    const auto end = [&] {
        return Singles::holds(sender.frames) ? static_cast<std::uint32_t>(transport_.written(from))
                                             : frames_.front(sender.frames).end;
    };
    while (!sender.frames.empty() && has_reached(received, end())) {
        const Frame frame = sender.rare == kNoItem ? pop_frame(sender) : pop_frame_of(sender);
        enqueue(now, taker, {0, frame, endpoint, Task::What::take}, cost_of(frame, false));
    }
}

void Messages::wake_memory(Picoseconds now, std::uint32_t endpoint) {
    const std::uint32_t taker = channels_[endpoint].rank;
    if (ranks_[taker].is_computing) return ranks_[taker].unseen.push_back(endpoint);
    take_from_memory(now, endpoint);
}

void Messages::take_from_memory(Picoseconds now, std::uint32_t endpoint) {
    Channel& sender = channels_[Transport::peer_of(endpoint)];
    const Frame frame = pop_frame(sender);
    enqueue(now, channels_[endpoint].rank, {0, frame, endpoint, Task::What::take}, cost_of(frame, false));
}

void Messages::take(Picoseconds now, std::uint32_t endpoint, const Frame& frame) {
    Channel& channel = channels_[endpoint];
    switch (frame.kind) {
        case MessageKind::eager:
        case MessageKind::request:
            if (const auto posted = take_posted(channel, frame.label.context)) {
                meet(now, endpoint, frame, *posted, false);
            } else {
                frames_.append(rare_of(channel).early, frame);
            }
            return;
        case MessageKind::grant:
            return answer(now, endpoint, MessageKind::body, frame);
        case MessageKind::body:
            return confirms(channel) ? answer(now, endpoint, MessageKind::whole, frame) : receive_body(channel);
        case MessageKind::whole:
            user_->sent(channel.rank, frame.label.subject, frame.bytes);
            return answer(now, endpoint, MessageKind::last, frame);
        case MessageKind::last:
            return receive_body(channel);
        case MessageKind::leave:
        case MessageKind::credit:
        case MessageKind::barrier:
            return user_->heard(channel.rank, frame.kind, frame.label);
    }
}

// They come in the order of their grants.
void Messages::receive_body(Channel& channel) {
    const Posted posted = posted_.pop(rare_[channel.rare].granted);
    give_rare_back(channel);
    user_->received(channel.rank, posted.label.subject, posted.bytes);
}

// A message is the receive's; a request lets its sender go on.
void Messages::meet(Picoseconds now, std::uint32_t endpoint, const Frame& frame, const Posted& posted, bool is_early) {
    Channel& channel = channels_[endpoint];
    if (frame.kind == MessageKind::eager) return user_->received(channel.rank, posted.label.subject, posted.bytes);
    posted_.append(rare_of(channel).granted, posted);
    if (settings_.asks_first && is_early) {
        ranks_[channel.rank].to_grant.push_back({frame, endpoint});
    } else {
        answer(now, endpoint, MessageKind::grant, frame);
    }
}

void Messages::let_go_on(Picoseconds now, std::uint32_t rank) {
    user_->go_on(now, rank);
    grant_put_off(now, rank);
}

// After the rank's own requests, and before it leaves MPI.
void Messages::grant_put_off(Picoseconds now, std::uint32_t rank) {
    if (ranks_[rank].to_grant.empty()) return;
    for (const Rank::Asked& each : std::exchange(ranks_[rank].to_grant, {}))
        submit(now, each.endpoint, MessageKind::grant, each.frame.label, each.frame.bytes);
}

std::uint32_t Messages::endpoint_between(std::uint32_t rank, std::uint32_t peer) {
    std::uint32_t& known = endpoints_[place_of_pair(rank, peer)];
    if (known == kNoItem) {
        const std::uint32_t endpoint = transport_.connect(placement_.host_of_rank[rank], placement_.host_of_rank[peer]);
        const bool is_local = placement_.host_of_rank[rank] == placement_.host_of_rank[peer];
        channels_.emplace_back(rank, is_local);
        channels_.emplace_back(peer, is_local);
        known = rank < peer ? endpoint : Transport::peer_of(endpoint);
    }
    return rank < peer ? known : Transport::peer_of(known);
}

}  // namespace clearway::simulator
