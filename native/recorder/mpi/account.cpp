#include "recorder/mpi/account.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>

#include "recorder/mpi/calls.hpp"
#include "recorder/mpi/events.hpp"
#include "recorder/mpi/messages.hpp"
#include "recorder/timeline.hpp"

namespace clearway {
namespace {

void book(Call& call, std::uint16_t comm, std::int32_t peer, Volume volume) {
    const CallKey key{call.function(), comm, peer, size_bin(volume.message_bytes)};
    CallCell* cell = find_cell(call.thread(), key);
    if (cell == nullptr) [[unlikely]]
        return;
    add_volume(*cell, volume.bytes);
    if (call.weight() == 0) return;
    add_time(*cell, call.exit() - call.entry(), call.weight(), call.run_delay_ns());
    if (timeline_on) [[unlikely]]
        record_timeline(call.function(), comm, peer, call.entry(), call.exit(), volume.bytes);
}

EventRecord event_of(const Call& call, EventKind kind, std::uint16_t comm, std::int32_t peer, std::uint64_t bytes) {
    const auto run_delay_us = static_cast<std::uint32_t>(std::min<std::uint64_t>(call.run_delay_ns() / 1000, ~0U));
    return EventRecord{call.function(), comm, peer, 0, 0, call.entry(), call.exit(), bytes, run_delay_us, kind, 0};
}

// One end of a message: which one it is, and when.
void note_message(const Call& call, EventKind kind, std::uint16_t comm, std::int32_t peer, int tag,
                  std::uint32_t sequence, std::uint64_t bytes) {
    if (!keeps_event(call.entry(), call.exit())) return;
    if (sequence == kNoSequence || peer < 0 || comm == kNoComm) return;
    EventRecord event = event_of(call, kind, comm, peer, bytes);
    event.tag = tag;
    event.seq = sequence;
    store_event(event);
}

void note_send(const Call& call, const CommInfo& comm, std::int32_t peer, int tag, std::uint64_t bytes) {
    if (peer < 0) return;
    note_message(call, EventKind::send, comm.index, peer, tag, next_message(comm.index, peer, tag, Direction::send), bytes);
}

// Who really sent, with which tag: what was asked for, or what the status says where a wildcard was.
struct Origin {
    std::int32_t peer;
    int tag;
};

Origin origin_of(const CommInfo& comm, std::int32_t peer, int tag, bool known, Arg status) {
    if (known && peer == kPeerAny) peer = world_rank(comm, status_source(status));
    if (known && tag == abi.any_tag) tag = status_tag(status);
    return {peer, tag};
}

// A message that arrived in the call that asked for it.
void note_receive(const Call& call, const CommInfo& comm, const Origin& origin, Arg status) {
    if (origin.peer < 0) return;
    const std::uint32_t sequence = next_message(comm.index, origin.peer, origin.tag, Direction::receive);
    if (!keeps_event(call.entry(), call.exit())) return;
    note_message(call, EventKind::receive, comm.index, origin.peer, origin.tag, sequence, status_bytes_received(status));
}

// What a completed receive brought. Its number was taken when it was posted, or is taken now if a wildcard hid it.
std::uint64_t note_arrival(Call& call, const Posted& posted, bool known, Arg status, std::int32_t& peer) {
    if (posted.direction != Direction::receive) return 0;
    const Origin origin = posted.info != nullptr ? origin_of(*posted.info, posted.peer, posted.tag, known, status)
                                                 : Origin{posted.peer, posted.tag};
    peer = origin.peer;
    if (origin.peer < 0) return 0;
    std::uint32_t sequence = posted.sequence;
    if (sequence == kNoSequence && origin.tag != abi.any_tag)
        sequence = next_message(posted.comm, origin.peer, origin.tag, Direction::receive);
    const std::uint64_t bytes = known ? status_bytes_received(status) : posted.bytes;
    call.note_time();
    note_message(call, EventKind::receive, posted.comm, origin.peer, origin.tag, sequence, bytes);
    return bytes;
}

void post_receive(const CommInfo& comm, int source, int tag, std::uint64_t bytes, Arg request, bool persistent) {
    const std::int32_t peer = world_rank(comm, source);
    const bool hidden = peer < 0 || tag == abi.any_tag || persistent;
    const std::uint32_t sequence = hidden ? kNoSequence : next_message(comm.index, peer, tag, Direction::receive);
    post({as_handle(request), bytes, sequence, peer, tag, comm.index, Direction::receive, persistent, !persistent, &comm});
}

void start_persistent(const Call& call, Arg request) {
    Posted posted{};
    if (!find_posted(as_handle(request), posted)) return;
    std::uint32_t sequence = kNoSequence;
    if (posted.direction == Direction::send) {
        if (posted.info != nullptr) note_send(call, *posted.info, posted.peer, posted.tag, posted.bytes);
    } else if (posted.peer >= 0 && posted.tag != abi.any_tag) {
        sequence = next_message(posted.comm, posted.peer, posted.tag, Direction::receive);
    }
    activate_posted(as_handle(request), sequence);
}

// A call that all members of a communicator or window make together.
void synchronise(Call& call, CommInfo& info, int root, Volume volume) {
    const std::int32_t peer = root >= 0 ? world_rank(info, root) : kPeerNone;
    book(call, info.index, peer, volume);
    const std::uint32_t sequence = __atomic_fetch_add(&info.collectives, 1, __ATOMIC_RELAXED);
    if (info.index == kNoComm || info.inter || !keeps_event(call.entry(), call.exit())) return;
    EventRecord event = event_of(call, EventKind::collective, info.index, peer, volume.bytes);
    event.seq = sequence;
    store_event(event);
}

}  // namespace

StatusRoom::StatusRoom(Arg status, std::size_t count) : status_(status) {
    if (status == abi.status_ignore && count <= kMost) status_ = reinterpret_cast<Arg>(room_);
}

Requests::Requests(Arg array, std::size_t count) : handles_(inside_), count_(count) {
    if (count > kInside) {
        const int saved_errno = errno;
        void* memory = mmap(nullptr, count * sizeof(Arg), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        errno = saved_errno;
        if (memory == MAP_FAILED) {
            count_ = 0;
            return;
        }
        handles_ = static_cast<Arg*>(memory);
    }
    for (std::size_t i = 0; i < count_; ++i) handles_[i] = handle_at(array, i);
}

Requests::~Requests() {
    if (handles_ != inside_) munmap(handles_, count_ * sizeof(Arg));
}

void account_send(Call& call, Arg comm, int dest, int tag, std::uint64_t bytes) {
    const CommInfo& info = comm_of(comm);
    const std::int32_t peer = world_rank(info, dest);
    if (peer == kPeerNull) bytes = 0;
    book(call, info.index, peer, {bytes, bytes});
    note_send(call, info, peer, tag, bytes);
}

void account_send_init(Call& call, Arg comm, int dest, int tag, std::uint64_t bytes, Arg request) {
    const CommInfo& info = comm_of(comm);
    const std::int32_t peer = world_rank(info, dest);
    book(call, info.index, peer, {bytes, 0});
    post({as_handle(request), bytes, kNoSequence, peer, tag, info.index, Direction::send, true, false, &info});
}

void account_receive(Call& call, Arg comm, int source, int tag, const StatusRoom& status) {
    const CommInfo& info = comm_of(comm);
    const Origin origin = origin_of(info, world_rank(info, source), tag, true, status.get());
    const std::uint64_t bytes = origin.peer == kPeerNull ? 0 : status_bytes_received(status.get());
    book(call, info.index, origin.peer, {bytes, bytes});
    note_receive(call, info, origin, status.get());
}

void account_start_receive(Call& call, Arg comm, int source, int tag, std::uint64_t bytes, Arg request, bool persistent) {
    const CommInfo& info = comm_of(comm);
    book(call, info.index, world_rank(info, source), {bytes, 0});
    post_receive(info, source, tag, bytes, request, persistent);
}

void account_send_receive(Call& call, Arg comm, int dest, int send_tag, std::uint64_t bytes, int source, int receive_tag,
                          const StatusRoom& status) {
    const CommInfo& info = comm_of(comm);
    const std::int32_t peer = world_rank(info, dest);
    if (peer == kPeerNull) bytes = 0;
    book(call, info.index, peer, {bytes, bytes});
    note_send(call, info, peer, send_tag, bytes);
    note_receive(call, info, origin_of(info, world_rank(info, source), receive_tag, true, status.get()), status.get());
}

void account_start_send_receive(Call& call, Arg comm, int dest, int send_tag, std::uint64_t bytes, int source,
                                int receive_tag, std::uint64_t receive_bytes, Arg request) {
    account_send(call, comm, dest, send_tag, bytes);
    post_receive(comm_of(comm), source, receive_tag, receive_bytes, request, false);
}

void account_probe(Call& call, Arg comm, int source) {
    const CommInfo& info = comm_of(comm);
    book(call, info.index, world_rank(info, source), {0, 0});
}

void account_matched_probe(Call& call, Arg comm, int source, const StatusRoom& status, Arg message) {
    account_probe(call, comm, source);
    if (message == 0) return;
    const CommInfo& info = comm_of(comm);
    const Origin origin{world_rank(info, status_source(status.get())), status_tag(status.get())};
    if (origin.peer < 0) return;
    const std::uint32_t sequence = next_message(info.index, origin.peer, origin.tag, Direction::receive);
    post({as_handle(message), 0, sequence, origin.peer, origin.tag, info.index, Direction::receive, false, true, &info});
}

void account_matched_receive(Call& call, Arg message, const StatusRoom& status) {
    Posted posted{};
    std::int32_t peer = kPeerNone;
    std::uint64_t bytes = 0;
    const bool ours = take_posted(message, posted);
    if (ours) bytes = note_arrival(call, posted, true, status.get(), peer);
    book(call, ours ? posted.comm : kNoComm, peer, {bytes, bytes});
}

void account_start_matched_receive(Call& call, Arg message, std::uint64_t bytes, Arg request) {
    Posted posted{};
    const bool ours = take_posted(message, posted);
    book(call, ours ? posted.comm : kNoComm, ours ? posted.peer : kPeerNone, {bytes, 0});
    if (!ours) return;
    posted.handle = as_handle(request);
    posted.bytes = bytes;
    post(posted);
}

void account_start(Call& call, Arg request) {
    book(call, kNoComm, kPeerNone, {0, 0});
    start_persistent(call, request);
}

void account_startall(Call& call, const Requests& requests) {
    book(call, kNoComm, kPeerNone, {0, 0});
    for (std::size_t i = 0; i < requests.size(); ++i) start_persistent(call, requests[i]);
}

void account_completion(Call& call, Arg request, bool done, const StatusRoom& status) {
    Posted posted{};
    std::int32_t peer = kPeerNone;
    std::uint64_t bytes = 0;
    std::uint16_t comm = kNoComm;
    if (done && take_posted(as_handle(request), posted)) {
        comm = posted.comm;
        peer = posted.peer;
        bytes = note_arrival(call, posted, status.known(), status.get(), peer);
    }
    book(call, comm, peer, {bytes, bytes});
}

void account_completions(Call& call, const Requests& requests, bool done, const StatusRoom& statuses) {
    Volume volume{0, 0};
    std::int32_t peer = kPeerNone;
    Posted posted{};
    for (std::size_t i = 0; done && i < requests.size(); ++i) {
        if (!take_posted(requests[i], posted)) continue;
        const Arg status = statuses.known() ? statuses.at(i) : 0;
        volume.bytes += note_arrival(call, posted, statuses.known(), status, peer);
    }
    volume.message_bytes = volume.bytes;
    book(call, kNoComm, kPeerNone, volume);
}

void account_any(Call& call, const Requests& requests, int index, const StatusRoom& status) {
    const bool done = index >= 0 && static_cast<std::size_t>(index) < requests.size();
    account_completion(call, done ? requests[static_cast<std::size_t>(index)] : 0, done, status);
}

void account_some(Call& call, const Requests& requests, int count, Arg indices, const StatusRoom& statuses) {
    Volume volume{0, 0};
    std::int32_t peer = kPeerNone;
    Posted posted{};
    for (int i = 0; i < count; ++i) {
        const int index = reinterpret_cast<const int*>(indices)[i];
        if (index < 0 || static_cast<std::size_t>(index) >= requests.size() || !take_posted(requests[static_cast<std::size_t>(index)], posted)) continue;
        const Arg status = statuses.known() ? statuses.at(static_cast<std::size_t>(i)) : 0;
        volume.bytes += note_arrival(call, posted, statuses.known(), status, peer);
    }
    volume.message_bytes = volume.bytes;
    book(call, kNoComm, kPeerNone, volume);
}

void account_collective(Call& call, Arg comm, int root, Volume volume) {
    synchronise(call, comm_of(comm), root, volume);
}

void account_collective_start(Call& call, Arg comm, int root, Volume volume) {
    CommInfo& info = comm_of(comm);
    book(call, info.index, root >= 0 ? world_rank(info, root) : kPeerNone, volume);
    __atomic_fetch_add(&info.collectives, 1, __ATOMIC_RELAXED);
}

void account_new_comm(Call& call, Arg parent, Arg new_comm) {
    if (parent != 0) {
        account_collective(call, parent, -1, {0, 0});
    } else {
        book(call, kNoComm, kPeerNone, {0, 0});
    }
    if (new_comm != 0) comm_of(new_comm);
}

void account_one_sided(Call& call, Arg window, int target, std::uint64_t bytes) {
    if (window == 0) return book(call, kNoComm, kPeerNone, {bytes, bytes});
    const CommInfo& info = window_of(window);
    book(call, info.index, target >= 0 ? world_rank(info, target) : kPeerNone, {bytes, bytes});
}

void account_fence(Call& call, Arg window) { synchronise(call, window_of(window), -1, {0, 0}); }

void account_new_window(Call& call, Arg comm, Arg window) {
    synchronise(call, comm_of(comm), -1, {0, 0});
    window_of(window);
}

void account_plain(Call& call, std::uint64_t bytes) { book(call, kNoComm, kPeerNone, {bytes, bytes}); }

std::uint64_t peers_of(Arg comm) { return comm_of(comm).size; }

bool is_root(Arg comm, int root) {
    const CommInfo& info = comm_of(comm);
    return info.inter ? root == abi.root : root == info.my_rank;
}

}  // namespace clearway
