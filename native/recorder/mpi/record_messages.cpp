// Point to point: sends, receives, probes and what completes them.
#include "recorder/mpi/calls.hpp"
#include "recorder/mpi/events.hpp"
#include "recorder/mpi/messages.hpp"
#include "recorder/mpi/record_calls.hpp"

namespace clearway::recorder {
namespace {

// One end of a message: which one it is, and when. Of a call whose events are kept.
[[gnu::noinline]] void store_message(const Call& call, EventKind kind, std::uint16_t comm, std::int32_t peer, int tag,
                                     std::uint32_t sequence, std::uint64_t bytes) {
    if (sequence == kNoSequence || peer < 0 || comm == kNoComm) return;
    store_event(event_of(call, kind, {comm, peer, tag, sequence}, bytes));
}

// False where no event is kept.
bool note_message(const Call& call, EventKind kind, std::uint16_t comm, std::int32_t peer, int tag,
                  std::uint32_t sequence, std::uint64_t bytes) {
    if (!keeps_event(call.since(), call.exit())) return false;
    store_message(call, kind, comm, peer, tag, sequence, bytes);
    return true;
}

void note_send(const Call& call, const CommInfo& comm, std::int32_t peer, int tag, std::uint64_t bytes) {
    if (peer < 0) return;
    note_message(call, EventKind::send, comm.index, peer, tag, next_message(comm.index, peer, tag, Direction::send),
                 bytes);
}

// Who really sent, with which tag: what was asked for, or what the status says where a wildcard was.
struct Sender {
    std::int32_t peer;
    int tag;
};

Sender sender_of(const CommInfo& comm, std::int32_t peer, int tag, bool known, Arg status) {
    if (known && peer == kPeerAny) peer = world_rank(comm, status_source(status));
    if (known && tag == abi.any_tag) tag = status_tag(status);
    return {peer, tag};
}

// A message that arrived in the call that asked for it.
void note_receive(const Call& call, const CommInfo& comm, const Sender& sender, Arg status) {
    if (sender.peer < 0) return;
    const std::uint32_t sequence = next_message(comm.index, sender.peer, sender.tag, Direction::receive);
    if (!keeps_event(call.since(), call.exit())) return;
    store_message(call, EventKind::receive, comm.index, sender.peer, sender.tag, sequence,
                  status_bytes_received(status));
}

// What a completed receive brought. Its number was taken when it was posted, or is taken now if a wildcard hid it.
std::uint64_t note_arrival(Call& call, const Posted& posted, bool known, Arg status, std::int32_t& peer) {
    if (posted.direction == Direction::collective) note_completed(call, posted);
    if (posted.direction != Direction::receive) return 0;
    if (posted.cancelled && (!known || status_cancelled(status))) {
        withdraw_events(posted, withdraw_posted(posted));
        return 0;
    }
    const Sender sender = posted.info != nullptr ? sender_of(*posted.info, posted.peer, posted.tag, known, status)
                                                 : Sender{posted.peer, posted.tag};
    peer = sender.peer;
    if (sender.peer < 0) return 0;
    std::uint32_t sequence = posted.sequence;
    if (sequence == kNoSequence && sender.tag != abi.any_tag)
        sequence = next_message(posted.comm, sender.peer, sender.tag, Direction::receive);
    const std::uint64_t bytes = known ? status_bytes_received(status) : posted.bytes;
    call.note_time();
    note_message(call, EventKind::receive, posted.comm, sender.peer, sender.tag, sequence, bytes);
    return bytes;
}

// When a receive was posted tells how long a rendezvous send had to wait for it.
void post_receive(const Call& call, const CommInfo& comm, int source, int tag, std::uint64_t bytes, Arg request,
                  bool persistent) {
    const std::int32_t peer = world_rank(comm, source);
    const bool hidden = peer < 0 || tag == abi.any_tag || persistent;
    const std::uint32_t sequence = hidden ? kNoSequence : next_message(comm.index, peer, tag, Direction::receive);
    const bool is_told = note_message(call, EventKind::posted, comm.index, peer, tag, sequence, bytes);
    post({as_handle(request), bytes, sequence, peer, tag, comm.index, Direction::receive, persistent, !persistent,
          false, !persistent && !is_told, 0, &comm});
}

// What is sent by persistent requests that are started in one call; the receiver, where there is only one.
struct Started {
    std::uint64_t bytes = 0, sends = 0;
    std::int32_t peer = kPeerNone;
    std::uint16_t comm = kNoComm;

    void add(const Posted& posted) {
        if (posted.peer < 0) return;
        const bool is_like_first = sends == 0 || (peer == posted.peer && comm == posted.comm);
        peer = is_like_first ? posted.peer : kPeerNone;
        comm = is_like_first ? posted.comm : kNoComm;
        bytes += posted.bytes;
        ++sends;
    }
    Volume volume() const { return {sends != 0 ? bytes / sends : 0, bytes}; }
};

void start_persistent(const Call& call, Arg request, Started& started) {
    Posted posted{};
    if (!find_posted(as_handle(request), posted)) return;
    std::uint32_t sequence = kNoSequence;
    if (posted.direction == Direction::collective) {
        start_persistent_collective(call, posted);
        sequence = posted.sequence;
    } else if (posted.direction == Direction::send) {
        started.add(posted);
        if (posted.info != nullptr) note_send(call, *posted.info, posted.peer, posted.tag, posted.bytes);
    } else if (posted.peer >= 0 && posted.tag != abi.any_tag) {
        sequence = next_message(posted.comm, posted.peer, posted.tag, Direction::receive);
        note_message(call, EventKind::posted, posted.comm, posted.peer, posted.tag, sequence, posted.bytes);
    }
    activate_posted(as_handle(request), sequence);
}

// A poll that was not timed and found nothing: programs that poll make millions of them. False where it tells more.
[[gnu::always_inline]] inline bool count_poll(const Call& call, bool found, std::uint16_t comm, std::int32_t peer) {
    if (found || call.weight() != 0) return false;
    CallCell* const cell = cell_at_home(call.thread(), {call.function(), comm, peer, size_bin(0)});
    if (cell == nullptr) return false;  // to be looked for elsewhere: this is to save no registers for a call
    add_volume(*cell, 0);
    return true;
}

[[gnu::noinline]] void record_telling_probe(Call& call, const CommInfo& info, std::int32_t peer, bool found,
                                            const StatusRoom& status) {
    call.settle_poll(found);
    add_to_cell(call, info.index, peer, {0, 0});
    if (!found) return;
    const Sender sender{world_rank(info, status_source(status.get())), status_tag(status.get())};
    call.note_time();
    if (sender.peer < 0) return;
    note_message(call, EventKind::probed, info.index, sender.peer, sender.tag,
                 coming_message(info.index, sender.peer, sender.tag), status_bytes_received(status.get()));
}

// On a communicator that was not seen before.
[[gnu::noinline]] void record_first_probe(Call& call, Arg comm, int source, bool found, const StatusRoom& status) {
    const CommInfo& info = comm_of(comm);
    record_telling_probe(call, info, world_rank(info, source), found, status);
}

[[gnu::noinline]] void record_telling_completion(Call& call, Arg request, bool done, const StatusRoom& status) {
    Posted posted{};
    std::int32_t peer = kPeerNone;
    std::uint64_t bytes = 0;
    std::uint16_t comm = kNoComm;
    call.settle_poll(done);
    if (done && take_posted(as_handle(request), call.waiter(), posted)) {
        if (posted.direction != Direction::collective) {
            comm = posted.comm;
            peer = posted.peer;
        }
        bytes = note_arrival(call, posted, status.known(), status.get(), peer);
    }
    add_to_cell(call, comm, peer, {bytes, bytes});
}

}  // namespace

void record_send(Call& call, Arg comm, int dest, int tag, std::uint64_t bytes) {
    const CommInfo& info = comm_of(comm);
    const std::int32_t peer = world_rank(info, dest);
    if (peer == kPeerNull) bytes = 0;
    add_to_cell(call, info.index, peer, {bytes, bytes});
    note_send(call, info, peer, tag, bytes);
}

void record_send_init(Call& call, Arg comm, int dest, int tag, std::uint64_t bytes, Arg request) {
    const CommInfo& info = comm_of(comm);
    const std::int32_t peer = world_rank(info, dest);
    add_to_cell(call, info.index, peer, {bytes, 0});
    post({as_handle(request), bytes, kNoSequence, peer, tag, info.index, Direction::send, true, false, false, false, 0,
          &info});
}

void record_receive(Call& call, Arg comm, int source, int tag, const StatusRoom& status) {
    const CommInfo& info = comm_of(comm);
    const Sender sender = sender_of(info, world_rank(info, source), tag, true, status.get());
    const std::uint64_t bytes = sender.peer == kPeerNull ? 0 : status_bytes_received(status.get());
    add_to_cell(call, info.index, sender.peer, {bytes, bytes});
    note_receive(call, info, sender, status.get());
}

void record_start_receive(Call& call, Arg comm, int source, int tag, std::uint64_t bytes, Arg request,
                          bool persistent) {
    const CommInfo& info = comm_of(comm);
    add_to_cell(call, info.index, world_rank(info, source), {bytes, 0});
    post_receive(call, info, source, tag, bytes, request, persistent);
}

void record_send_receive(Call& call, Arg comm, int dest, int send_tag, std::uint64_t bytes, int source, int receive_tag,
                         const StatusRoom& status) {
    const CommInfo& info = comm_of(comm);
    const std::int32_t peer = world_rank(info, dest);
    if (peer == kPeerNull) bytes = 0;
    add_to_cell(call, info.index, peer, {bytes, bytes});
    note_send(call, info, peer, send_tag, bytes);
    note_receive(call, info, sender_of(info, world_rank(info, source), receive_tag, true, status.get()), status.get());
}

void record_start_send_receive(Call& call, Arg comm, int dest, int send_tag, std::uint64_t bytes, int source,
                               int receive_tag, std::uint64_t receive_bytes, Arg request) {
    record_send(call, comm, dest, send_tag, bytes);
    post_receive(call, comm_of(comm), source, receive_tag, receive_bytes, request, false);
}

void record_probe(Call& call, Arg comm, int source, bool found, const StatusRoom& status) {
    const CommInfo* const info = known_comm(comm);
    if (info == nullptr) return record_first_probe(call, comm, source, found, status);
    const std::int32_t peer = world_rank(*info, source);
    if (!count_poll(call, found, info->index, peer)) record_telling_probe(call, *info, peer, found, status);
}

void record_matched_probe(Call& call, Arg comm, int source, const StatusRoom& status, Arg message) {
    record_probe(call, comm, source, message != 0, status);
    if (message == 0) return;
    const CommInfo& info = comm_of(comm);
    const Sender sender{world_rank(info, status_source(status.get())), status_tag(status.get())};
    if (sender.peer < 0) return;
    const std::uint32_t sequence = next_message(info.index, sender.peer, sender.tag, Direction::receive);
    post({as_handle(message), 0, sequence, sender.peer, sender.tag, info.index, Direction::receive, false, true, false,
          false, 0, &info});
}

void record_matched_receive(Call& call, const MatchedMessage& message, const StatusRoom& status) {
    std::int32_t peer = kPeerNone;
    std::uint64_t bytes = 0;
    if (message.known) bytes = note_arrival(call, message.posted, true, status.get(), peer);
    add_to_cell(call, message.known ? message.posted.comm : kNoComm, peer, {bytes, bytes});
}

void record_start_matched_receive(Call& call, const MatchedMessage& message, std::uint64_t bytes, Arg request) {
    Posted posted = message.posted;
    add_to_cell(call, message.known ? posted.comm : kNoComm, message.known ? posted.peer : kPeerNone, {bytes, 0});
    if (!message.known) return;
    posted.handle = as_handle(request);
    posted.bytes = bytes;
    post(posted);
}

void record_start(Call& call, Arg request) {
    Started started;
    start_persistent(call, request, started);
    add_to_cell(call, started.comm, started.peer, started.volume());
}

void record_startall(Call& call, const Requests& requests) {
    Started started;
    for (std::size_t i = 0; i < requests.size(); ++i) start_persistent(call, requests[i], started);
    add_to_cell(call, started.comm, started.peer, started.volume());
}

void record_completion(Call& call, Arg request, bool done, const StatusRoom& status) {
    if (!count_poll(call, done, kNoComm, kPeerNone)) record_telling_completion(call, request, done, status);
}

void record_completions(Call& call, const Requests& requests, bool done, const StatusRoom& statuses) {
    if (count_poll(call, done, kNoComm, kPeerNone)) return;
    Volume volume{0, 0};
    std::int32_t peer = kPeerNone;
    Posted posted{};
    call.settle_poll(done);
    for (std::size_t i = 0; done && i < requests.size(); ++i) {
        if (!take_posted(requests[i], call.waiter(), posted)) continue;
        const Arg status = statuses.known() ? statuses.at(i) : 0;
        volume.bytes += note_arrival(call, posted, statuses.known(), status, peer);
    }
    volume.message_bytes = volume.bytes;
    add_to_cell(call, kNoComm, kPeerNone, volume);
}

void record_any(Call& call, const Requests& requests, int index, const StatusRoom& status) {
    const bool done = index >= 0 && static_cast<std::size_t>(index) < requests.size();
    record_completion(call, done ? requests[static_cast<std::size_t>(index)] : 0, done, status);
}

void record_some(Call& call, const Requests& requests, int count, Arg indices, const StatusRoom& statuses) {
    if (count_poll(call, count > 0, kNoComm, kPeerNone)) return;
    Volume volume{0, 0};
    std::int32_t peer = kPeerNone;
    Posted posted{};
    call.settle_poll(count > 0);
    for (int i = 0; i < count; ++i) {
        const int index = reinterpret_cast<const int*>(indices)[i];
        if (index < 0 || static_cast<std::size_t>(index) >= requests.size() ||
            !take_posted(requests[static_cast<std::size_t>(index)], call.waiter(), posted))
            continue;
        const Arg status = statuses.known() ? statuses.at(static_cast<std::size_t>(i)) : 0;
        volume.bytes += note_arrival(call, posted, statuses.known(), status, peer);
    }
    volume.message_bytes = volume.bytes;
    add_to_cell(call, kNoComm, kPeerNone, volume);
}

}  // namespace clearway::recorder
