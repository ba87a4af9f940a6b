#include "workload/runner/performer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "workload/runner/spin.hpp"

namespace clearway::workload {

namespace {

struct Layout {  // of blocks in a buffer, as the v-operations want it
    std::vector<int> counts, places;

    explicit Layout(const std::vector<Block>& blocks) {
        int place = 0;
        for (const Block& block : blocks) {
            counts.push_back(static_cast<int>(block.bytes));
            places.push_back(place);
            place += counts.back();
        }
    }
};

bool opens_request(const Activity& activity) {
    return activity.kind == ActivityKind::isend || activity.kind == ActivityKind::irecv;
}

}  // namespace

Performer::Performer(const Script& script, int rank, double scale)
    : script_(script),
      rank_(rank),
      scale_(scale),
      traffic_of_(script, rank),
      requests_(room_for(script, rank).requests) {
    const Room room = room_for(script, rank);
    send_.resize(room.send_bytes);
    receive_.resize(room.receive_bytes);
    for (std::size_t i = 0; i < script.communicators.size(); ++i)
        handles_.push_back(i == 0 ? comm_world() : make_communicator(script.communicators[i], rank));
    for (int kind = 0; kind <= static_cast<int>(ActivityKind::barrier); ++kind)
        functions_.push_back(function_of(static_cast<ActivityKind>(kind)));
}

std::string Performer::perform(int step) {
    step_ = step;
    traffic_of_.begin_step();
    for (const Activity& each : script_.activities_of[static_cast<std::size_t>(rank_)])
        if (std::string fault = perform(each); !fault.empty()) return fault;
    return {};
}

std::string Performer::perform(const Activity& activity) {
    if (activity.kind == ActivityKind::compute) {
        spin(static_cast<std::uint64_t>(static_cast<double>(activity.duration_ns) * scale_));
        return {};
    }
    if (function_for(activity) == nullptr) return "the MPI does not have a function that is needed";
    if (activity.kind == ActivityKind::waitall) return wait_for_all();
    if (activity.kind == ActivityKind::wait) return wait_for(script_.counts[static_cast<std::size_t>(activity.counts)]);
    if (activity.kind == ActivityKind::allreduce || activity.kind == ActivityKind::reduce) return sum(activity);
    const Traffic traffic = traffic_of_(activity);
    prepare(activity, traffic);
    if (call(activity, traffic) != 0) return "the MPI returned an error";
    std::vector<Arrival> arrivals;
    std::uint64_t place = open_receive_bytes_;
    const bool is_for_all = activity.kind == ActivityKind::allgather || activity.kind == ActivityKind::allgatherv ||
                            activity.kind == ActivityKind::bcast;
    const int self = self_in(activity);
    for (const Block& block : traffic.receives) {
        arrivals.push_back({stamp_of(activity, block.peer, is_for_all ? kAll : self), place, block.bytes});
        place += block.bytes;
    }
    if (!opens_request(activity)) return check(arrivals);
    open_.push_back({activity.request, std::move(arrivals)});
    open_send_bytes_ += aligned(bytes_of(traffic.sends));
    open_receive_bytes_ += aligned(bytes_of(traffic.receives));
    return {};
}

// What is sent gets its pattern; what will be received is wiped, so that what lay there cannot pass for it.
void Performer::prepare(const Activity& activity, const Traffic& traffic) {
    const int self = self_in(activity);
    std::byte* place = send_.data() + open_send_bytes_;
    for (const Block& block : traffic.sends) {
        fill_pattern(seed_of(stamp_of(activity, self, block.peer)), place, block.bytes);
        place += block.bytes;
    }
    std::byte* const from = receive_.data() + open_receive_bytes_;
    std::fill_n(from, bytes_of(traffic.receives), std::byte{0});
}

int Performer::call(const Activity& activity, const Traffic& traffic) {
    void* const function = function_for(activity);
    const Arg comm = handle_of(activity), byte = predefined(kByte);
    std::byte* const send = send_.data() + open_send_bytes_;
    std::byte* const receive = receive_.data() + open_receive_bytes_;
    const Arg bytes = static_cast<Arg>(activity.bytes), peer = activity.peer, tag = activity.tag;
    switch (activity.kind) {
        case ActivityKind::send:
            return invoke(function, send, bytes, byte, peer, tag, comm);
        case ActivityKind::recv:
            return invoke(function, receive, bytes, byte, peer, tag, comm, abi.status_ignore);
        case ActivityKind::isend:
            return invoke(function, send, bytes, byte, peer, tag, comm, requests_.add());
        case ActivityKind::irecv:
            return invoke(function, receive, bytes, byte, peer, tag, comm, requests_.add());
        case ActivityKind::sendrecv:
            return invoke(function, send, bytes, byte, peer, tag, receive, static_cast<Arg>(activity.from_bytes), byte,
                          static_cast<Arg>(activity.from), tag, comm, abi.status_ignore);
        case ActivityKind::alltoall:
        case ActivityKind::allgather:
            return invoke(function, send, bytes, byte, receive, bytes, byte, comm);
        case ActivityKind::alltoallv: {
            const Layout sent(traffic.sends), received(traffic.receives);
            return invoke(function, send, sent.counts.data(), sent.places.data(), byte, receive, received.counts.data(),
                          received.places.data(), byte, comm);
        }
        case ActivityKind::allgatherv: {
            const Layout received(traffic.receives);
            return invoke(function, send, static_cast<Arg>(traffic.sends[0].bytes), byte, receive,
                          received.counts.data(), received.places.data(), byte, comm);
        }
        case ActivityKind::bcast:
            return invoke(function, traffic.sends.empty() ? receive : send, bytes, byte, peer, comm);
        case ActivityKind::barrier:
            return invoke(function, comm);
        default:
            return 0;
    }
}

// Every rank gives its rank + 1 times the same numbers, so that the sum can be told without asking the others.
std::string Performer::sum(const Activity& activity) {
    const int self = self_in(activity), ranks = static_cast<int>(communicator_of(activity).ranks.size());
    const std::uint64_t count = (activity.bytes + sizeof(double) - 1) / sizeof(double);
    const std::uint64_t seed = seed_of(stamp_of(activity, 0, kAll));
    auto* const send = reinterpret_cast<double*>(send_.data() + open_send_bytes_);
    auto* const receive = reinterpret_cast<double*>(receive_.data() + open_receive_bytes_);
    for (std::uint64_t i = 0; i < count; ++i) send[i] = (self + 1) * summand(seed, i);
    std::fill_n(receive, count, -1.0);
    const Arg comm = handle_of(activity);
    const Arg root = activity.peer, type = predefined(kDouble), operation = predefined(kSum);
    void* const function = function_for(activity);
    const int code = activity.kind == ActivityKind::allreduce
                         ? invoke(function, send, receive, static_cast<Arg>(count), type, operation, comm)
                         : invoke(function, send, receive, static_cast<Arg>(count), type, operation, root, comm);
    if (code != 0) return "the MPI returned an error";
    if (activity.kind == ActivityKind::reduce && activity.peer != self) return {};
    const double factor = ranks * (ranks + 1.0) / 2;
    for (std::uint64_t i = 0; i < count; ++i)
        if (receive[i] != factor * summand(seed, i)) return "wrong sum at number " + std::to_string(i);
    return {};
}

std::string Performer::wait_for_all() {
    const Arg count = static_cast<Arg>(requests_.size());
    if (invoke(functions_[static_cast<std::size_t>(ActivityKind::waitall)], count, requests_.all(),
               abi.status_ignore) != 0)
        return "the MPI returned an error";
    std::string fault;
    for (const Open& each : open_)
        if (!each.is_over && fault.empty()) fault = check(each.arrivals);
    forget_requests();
    return fault;
}

std::string Performer::wait_for(const std::vector<std::uint64_t>& numbers) {
    void* const function = functions_[static_cast<std::size_t>(ActivityKind::wait)];
    for (const std::uint64_t number : numbers) {
        const auto found = std::ranges::find_if(open_, [number](const Open& each) {
            return !each.is_over && each.number >= 0 && static_cast<std::uint64_t>(each.number) == number;
        });
        if (found == open_.end()) return "a wait names a request that is not open";
        if (invoke(function, requests_.at(static_cast<std::size_t>(found - open_.begin())), abi.status_ignore) != 0)
            return "the MPI returned an error";
        found->is_over = true;
        if (std::string fault = check(found->arrivals); !fault.empty()) return fault;
    }
    if (std::ranges::all_of(open_, &Open::is_over)) forget_requests();
    return {};
}

void Performer::forget_requests() {
    requests_.clear();
    open_.clear();
    open_send_bytes_ = open_receive_bytes_ = 0;
}

std::string Performer::check(const std::vector<Arrival>& arrivals) const {
    for (const auto& [stamp, place, bytes] : arrivals) {
        const std::uint64_t wrong = first_wrong(seed_of(stamp), receive_.data() + place, bytes);
        if (wrong < bytes)
            return "the message from rank " + std::to_string(stamp.source) + " of '" +
                   script_.communicators[static_cast<std::size_t>(stamp.communicator)].name + "' with tag " +
                   std::to_string(stamp.tag) + " is wrong at byte " + std::to_string(wrong) + " of " +
                   std::to_string(bytes);
    }
    return {};
}

Stamp Performer::stamp_of(const Activity& activity, int source, int destination) const {
    const int tag = activity.kind >= ActivityKind::alltoall ? -static_cast<int>(activity.kind) : activity.tag;
    return {step_, activity.communicator, source, destination, tag};
}

const Communicator& Performer::communicator_of(const Activity& activity) const {
    return script_.communicators[static_cast<std::size_t>(activity.communicator)];
}

int Performer::self_in(const Activity& activity) const { return rank_in(communicator_of(activity), rank_); }

Arg Performer::handle_of(const Activity& activity) const {
    return handles_[static_cast<std::size_t>(activity.communicator)];
}

void* Performer::function_for(const Activity& activity) const {
    return functions_[static_cast<std::size_t>(activity.kind)];
}

}  // namespace clearway::workload
