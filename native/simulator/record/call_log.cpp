#include "simulator/record/call_log.hpp"

#include <algorithm>

#include "run_record/event_windows.hpp"
#include "simulator/record/function_table.hpp"
#include "simulator/workload/job_plan.hpp"

namespace clearway::simulator {

namespace {

using workload::Activity;
using Do = workload::ActivityKind;

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
    std::uint64_t all = 0;
    for (const std::uint64_t bytes : counts) all += bytes;
    return all;
}

CallCell& cell_for(RankLog& log, std::uint16_t function, std::uint16_t comm, std::int32_t peer, std::uint8_t bin) {
    const std::uint64_t key = std::uint64_t{function} << 56 | std::uint64_t{comm} << 40 |
                              std::uint64_t{static_cast<std::uint32_t>(peer)} << 8 | bin;
    const auto [at, is_new] = log.cell_of.try_emplace(key, log.cells.size());
    if (is_new) log.cells.push_back(empty_cell(function, comm, peer, bin, 0));
    return log.cells[at->second];
}

EventKind kind_of(MessageSeen::What what) {
    switch (what) {
        case MessageSeen::What::sent:
            return EventKind::send;
        case MessageSeen::What::received:
            return EventKind::receive;
        default:
            return EventKind::posted;
    }
}

}  // namespace

CallLog::CallLog(const workload::Script& script, bool keeps_single_calls)
    : script_(script), keeps_single_calls_(keeps_single_calls), logs_(static_cast<std::size_t>(script.ranks)) {}

std::size_t CallLog::members_of(const Activity& activity) const {
    return script_.communicators[static_cast<std::size_t>(activity.communicator)].ranks.size();
}

// By the same rules as recorder/mpi/calls.table.
Volume CallLog::volume_of(const Activity& activity, std::uint32_t rank) const {
    switch (activity.kind) {
        case Do::waitall:
        case Do::wait:
            return once(0);
        case Do::alltoall:
            return repeated(activity.bytes, members_of(activity));
        case Do::alltoallv:
            return divided(sum(script_.counts[static_cast<std::size_t>(activity.counts)]), members_of(activity));
        case Do::allgatherv: {
            const auto& communicator = script_.communicators[static_cast<std::size_t>(activity.communicator)];
            const auto own = static_cast<std::size_t>(workload::rank_in(communicator, static_cast<int>(rank)));
            return once(script_.counts[static_cast<std::size_t>(activity.counts)][own]);
        }
        default:
            return once(activity.bytes);
    }
}

// The other end of the message, or the root.
std::int32_t CallLog::peer_of(const CallSeen& call) const {
    const Activity& activity = *call.activity;
    if (!call.messages.empty() && activity.kind != Do::waitall && activity.kind != Do::wait)
        return static_cast<std::int32_t>(call.messages.back().peer);  // of sendrecv: whom it sends to
    if (activity.kind != Do::reduce && activity.kind != Do::bcast) return kPeerNone;
    return script_.communicators[static_cast<std::size_t>(activity.communicator)]
        .ranks[static_cast<std::size_t>(activity.peer)];
}

void CallLog::called(const CallSeen& call) {
    const Activity& activity = *call.activity;
    RankLog& log = logs_[call.rank];
    const Volume volume = volume_of(activity, call.rank);
    const auto comm = static_cast<std::uint16_t>(activity.communicator);
    const std::int32_t peer = peer_of(call);
    const std::uint64_t entry = ticks(call.entry), exit = ticks(call.exit), duration = exit - entry;
    CallCell& cell = cell_for(log, function_id(activity.kind), comm, peer, size_bin(volume.message_bytes));
    add_volume(cell, activity.kind == Do::irecv ? 0 : volume.bytes);
    add_time(cell, duration, 1, 0);
    log.mpi_ns += duration;
    if (is_collective(activity.kind) && activity.kind != Do::barrier) add_span(call);
    if (!keeps_single_calls_) return;
    log.timeline.push_back({entry, exit, volume.bytes, function_id(activity.kind), comm, peer});
    add_events(call, log);
}

void CallLog::add_span(const CallSeen& call) {
    const Activity& activity = *call.activity;
    const std::uint64_t key = static_cast<std::uint64_t>(activity.communicator) << 32 | call.ordinal;
    Span& span = spans_.try_emplace(key, Span{0, 0, 0}).first->second;
    const bool begins = activity.kind != Do::bcast || peer_of(call) == static_cast<std::int32_t>(call.rank);
    if (begins) span.entry = std::max(span.entry, ticks(call.entry));
    span.exit = std::max(span.exit, ticks(call.exit));
    if (++span.returned < members_of(activity)) return;
    spans_ns_ += span.exit - span.entry;
    spans_.erase(key);
}

// As the recorder thins them (EventRecord in layout.hpp).
void CallLog::keep(const EventRecord& event, RankLog& log) {
    const auto qualifies = [&log](const EventRecord& each) {
        const std::uint64_t realtime_ns = kFirstRealtime_ns + (each.exit_ticks - kFirstTick);
        return is_long_event(each.exit_ticks - each.entry_ticks, log.event_level) ||
               selects_window(realtime_ns / (std::uint64_t{kPredictedWindow_ms} * 1'000'000), log.event_level);
    };
    while (log.events.size() >= kMostEvents && log.event_level < kMostEventLevel) {
        ++log.event_level;
        std::erase_if(log.events, [&](const EventRecord& each) { return !qualifies(each); });
    }
    if (!qualifies(event)) return;
    if (log.events.size() < kMostEvents)
        log.events.push_back(event);
    else
        ++log.events_dropped;
}

void CallLog::add_events(const CallSeen& call, RankLog& log) const {
    const Activity& activity = *call.activity;
    EventRecord event{.function = function_id(activity.kind),
                      .comm = static_cast<std::uint16_t>(activity.communicator),
                      .peer = peer_of(call),
                      .tag = 0,
                      .seq = call.ordinal,
                      .entry_ticks = ticks(call.entry),
                      .exit_ticks = ticks(call.exit),
                      .bytes = volume_of(activity, call.rank).bytes,
                      .run_delay_us = 0,
                      .kind = EventKind::collective,
                      .commit = kEventCommitted,
                      .blocked_before_us = 0,
                      .io_before_us = 0,
                      .run_delay_before_us = 0,
                      .reserved = 0};
    if (is_collective(activity.kind)) return keep(event, log);
    for (const MessageSeen& message : call.messages) {
        event.kind = kind_of(message.what);
        event.peer = static_cast<std::int32_t>(message.peer);
        event.tag = message.tag;
        event.seq = message.number;
        event.bytes = message.bytes;
        keep(event, log);
    }
}

}  // namespace clearway::simulator
