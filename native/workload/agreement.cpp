#include "workload/agreement.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace clearway::workload {

namespace {

// One message as one of its two ends sees it. Messages alike in all but their size keep their order (MPI 4.0, 3.5).
struct End {
    int communicator, from, to, tag;
    std::uint64_t bytes;

    auto channel() const { return std::tie(communicator, from, to, tag); }
};

void collect(const Activity& each, int self, std::vector<End>& sent, std::vector<End>& received) {
    const int on = each.communicator;
    if (each.kind == ActivityKind::send || each.kind == ActivityKind::isend || each.kind == ActivityKind::sendrecv)
        sent.push_back({on, self, each.peer, each.tag, each.bytes});
    if (each.kind == ActivityKind::recv || each.kind == ActivityKind::irecv)
        received.push_back({on, each.peer, self, each.tag, each.bytes});
    if (each.kind == ActivityKind::sendrecv) received.push_back({on, each.from, self, each.tag, each.from_bytes});
}

std::string text_of(const Script& script, const End& end) {
    const auto& ranks = script.communicators[static_cast<std::size_t>(end.communicator)].ranks;
    return "rank " + std::to_string(ranks[static_cast<std::size_t>(end.from)]) + " to rank " +
           std::to_string(ranks[static_cast<std::size_t>(end.to)]) + " with tag " + std::to_string(end.tag);
}

std::string unmatched_message(const Script& script) {
    std::vector<End> sent, received;
    for (int rank = 0; rank < script.ranks; ++rank)
        for (const Activity& each : script.activities_of[static_cast<std::size_t>(rank)])
            collect(each, rank_in(script.communicators[static_cast<std::size_t>(each.communicator)], rank), sent,
                    received);
    const auto by_channel = [](const End& a, const End& b) { return a.channel() < b.channel(); };
    std::stable_sort(sent.begin(), sent.end(), by_channel);
    std::stable_sort(received.begin(), received.end(), by_channel);
    for (std::size_t i = 0; i < std::max(sent.size(), received.size()); ++i) {
        if (i == received.size() || (i < sent.size() && by_channel(sent[i], received[i])))
            return "no rank receives the message of " + text_of(script, sent[i]);
        if (i == sent.size() || by_channel(received[i], sent[i]))
            return "no rank sends the message of " + text_of(script, received[i]);
        if (sent[i].bytes != received[i].bytes)
            return "a message of " + text_of(script, sent[i]) + " is sent with " + std::to_string(sent[i].bytes) +
                   " bytes, and received with " + std::to_string(received[i].bytes);
    }
    return {};
}

// What is wrong with the requests of one rank.
std::string wrong_request(const Script& script, const std::vector<Activity>& activities) {
    std::set<std::uint64_t> open;  // that have a number
    bool has_other = false;        // open requests
    for (const Activity& each : activities) {
        if (each.kind == ActivityKind::isend || each.kind == ActivityKind::irecv) {
            if (each.request < 0)
                has_other = true;
            else if (!open.insert(static_cast<std::uint64_t>(each.request)).second)
                return "starts request " + std::to_string(each.request) + " twice before its end";
        } else if (each.kind == ActivityKind::waitall) {
            open.clear();
            has_other = false;
        } else if (each.kind == ActivityKind::wait) {
            for (const std::uint64_t request : script.counts[static_cast<std::size_t>(each.counts)])
                if (open.erase(request) == 0) return "waits for request " + std::to_string(request) + ", not begun";
        }
    }
    return open.empty() && !has_other ? "" : "starts a message and does not wait for its end";
}

std::string wrong_request(const Script& script) {
    for (int rank = 0; rank < script.ranks; ++rank) {
        const std::string fault = wrong_request(script, script.activities_of[static_cast<std::size_t>(rank)]);
        if (!fault.empty()) return "rank " + std::to_string(rank) + " " + fault;
    }
    return {};
}

// The collective calls of a rank on a communicator. What a rank gives to alltoallv is its own affair.
std::vector<Activity> collectives(const std::vector<Activity>& activities, int communicator) {
    std::vector<Activity> found;
    for (const Activity& each : activities)
        if (each.communicator == communicator && each.kind >= ActivityKind::alltoall) found.push_back(each);
    return found;
}

bool is_same_call(const Script& script, const Activity& a, const Activity& b) {
    if (a.kind != b.kind || a.bytes != b.bytes || a.peer != b.peer) return false;
    return a.kind != ActivityKind::allgatherv ||
           script.counts[static_cast<std::size_t>(a.counts)] == script.counts[static_cast<std::size_t>(b.counts)];
}

std::string different_collectives(const Script& script) {
    for (std::size_t i = 0; i < script.communicators.size(); ++i) {
        const auto& [name, ranks] = script.communicators[i];
        const auto calls_of = [&](int rank) {
            return collectives(script.activities_of[static_cast<std::size_t>(rank)], static_cast<int>(i));
        };
        const std::vector<Activity> first = calls_of(ranks[0]);
        for (const int rank : ranks) {
            const std::vector<Activity> calls = calls_of(rank);
            if (!std::equal(first.begin(), first.end(), calls.begin(), calls.end(),
                            [&](const Activity& a, const Activity& b) { return is_same_call(script, a, b); }))
                return "ranks " + std::to_string(ranks[0]) + " and " + std::to_string(rank) +
                       " do not make the same collective calls on '" + name + "'";
        }
    }
    return {};
}

}  // namespace

std::string disagreement(const Script& script) {
    if (std::string fault = unmatched_message(script); !fault.empty()) return fault;
    if (std::string fault = wrong_request(script); !fault.empty()) return fault;
    return different_collectives(script);
}

}  // namespace clearway::workload
