#include "simulator/workload/rank_job.hpp"

#include "simulator/workload/contexts.hpp"
#include "workload/activity_line.hpp"

#include <algorithm>
#include <utility>

namespace clearway::simulator {

namespace {

using workload::Activity;
using What = MessageSeen::What;
using Do = workload::ActivityKind;

constexpr std::uint32_t kIsRequest = 0x80000000U;  // of subjects: else it is a step of a collective

bool is_started_only(Do kind) { return kind == Do::isend || kind == Do::irecv; }

}  // namespace

RankJob::RankJob(const JobPlan& plan, std::uint32_t rank, Messages& messages)
    : plan_(plan),
      activities_(plan.script().activities_of[rank]),
      rank_(rank),
      steps_(activities_.empty() ? 0 : static_cast<std::uint32_t>(plan.script().steps)),
      messages_(messages),
      calls_(plan.script().communicators.size(), 0),
      calls_in_step_(calls_) {}

void RankJob::sent(std::uint32_t subject, std::uint32_t bytes) {
    if ((subject & kIsRequest) == 0) return call_->sent(subject, bytes);
    requests_[subject & ~kIsRequest].is_done = true;
}

void RankJob::received(std::uint32_t subject, std::uint32_t bytes) {
    if ((subject & kIsRequest) == 0) return call_->received(subject, bytes);
    requests_[subject & ~kIsRequest].is_done = true;
}

void RankJob::heard(MessageKind kind, const Label& label) {
    if (call_ && label.context == context_) {
        call_->heard(kind, label.subject);
    } else {
        early_.push_back({kind, label});
    }
}

void RankJob::go_on(Picoseconds now) {
    while (!is_over() && !messages_.is_away(rank_)) {
        if (!is_inside_) {
            enter(now);
            continue;  // it may be away now
        }
        if (call_) call_->go_on(now);
        if (!has_returned()) return;
        leave(now);
    }
}

void RankJob::enter(Picoseconds now) {
    is_inside_ = true;
    entry_ = now;
    own_requests_ = requests_.size();
    const Activity& each = activity();
    switch (each.kind) {
        case Do::compute:
            return messages_.compute(now, rank_, from_ns(each.duration_ns));
        case Do::send:
        case Do::isend:
            return send(now, each.peer, each.bytes);
        case Do::recv:
        case Do::irecv:
            return receive(now, each.peer, each.bytes);
        case Do::sendrecv:
            receive(now, each.from, each.from_bytes);
            return send(now, each.peer, each.bytes);
        case Do::waitall:
            own_requests_ = 0;
            return;
        case Do::wait:
            return find_waited(plan_.script().counts[static_cast<std::size_t>(each.counts)]);
        default:
            return enter_collective();
    }
}

void RankJob::send(Picoseconds now, int peer, std::uint64_t bytes) {
    const std::uint32_t to = peer_of(peer);
    const Label label{plan_.context(activity().communicator, activity().tag), add_request(What::sent, to, bytes)};
    if (to == rank_) return sent(label.subject, 0);
    messages_.send(now, rank_, to, label, static_cast<std::uint32_t>(bytes));
}

void RankJob::receive(Picoseconds now, int peer, std::uint64_t bytes) {
    const std::uint32_t from = peer_of(peer);
    const Label label{plan_.context(activity().communicator, activity().tag), add_request(What::received, from, bytes)};
    if (from == rank_) return received(label.subject, 0);
    messages_.receive(now, rank_, from, label, static_cast<std::uint32_t>(bytes));
}

std::uint32_t RankJob::add_request(What what, std::uint32_t peer, std::uint64_t bytes) {
    const std::uint32_t context = plan_.context(activity().communicator, activity().tag);
    const std::uint64_t series = std::uint64_t{context} << 32 | std::uint64_t{peer} << 1 | (what == What::sent ? 1 : 0);
    requests_.push_back({{what, peer, activity().tag, numbers_[series]++, bytes}, activity().request});
    return kIsRequest | static_cast<std::uint32_t>(requests_.size() - 1);
}

// The script has been checked: they are open. Most were begun not long ago.
void RankJob::find_waited(const std::vector<std::uint64_t>& numbers) {
    waited_.clear();
    for (const std::uint64_t number : numbers)
        for (std::size_t at = requests_.size(); at-- > 0;)
            if (!requests_[at].is_over && requests_[at].number == static_cast<int>(number)) {
                waited_.push_back(at);
                break;
            }
}

void RankJob::enter_collective() {
    const int communicator = activity().communicator;
    const auto index = static_cast<std::size_t>(communicator);
    const auto& members = plan_.members(communicator);
    const auto own = static_cast<std::uint32_t>(std::ranges::lower_bound(members, rank_) - members.begin());
    context_ =
        context_of(static_cast<std::uint32_t>(index), calls_[index]++, static_cast<std::uint32_t>(calls_.size()));
    call_.emplace(plan_.part(communicator, calls_in_step_[index]++, own), Line{messages_, members, context_});
    std::erase_if(early_, [&](const Heard& each) {
        const bool is_of_this = each.label.context == context_;
        if (is_of_this) call_->heard(each.kind, each.label.subject);
        return is_of_this;
    });
}

bool RankJob::has_returned() const {
    if (call_) return call_->is_complete();
    if (is_started_only(activity().kind)) return true;
    if (activity().kind == Do::wait)
        return std::ranges::all_of(waited_, [this](std::size_t at) { return requests_[at].is_done; });
    return std::all_of(requests_.begin() + static_cast<std::ptrdiff_t>(own_requests_), requests_.end(),
                       [](const Request& request) { return request.is_done; });
}

// Whether the present call waits for this request.
bool RankJob::is_waited(std::size_t at) const {
    return activity().kind == Do::wait ? std::ranges::find(waited_, at) != waited_.end() : at >= own_requests_;
}

std::string RankJob::waits_for() const {
    const std::string where =
        " (in " + std::string(workload::name_of(activity().kind)) + ", its activity " + std::to_string(next_ + 1) + ")";
    for (std::size_t at = 0; at < requests_.size(); ++at) {
        const Request& each = requests_[at];
        if (each.is_done || !is_waited(at)) continue;
        const std::string peer = std::to_string(each.seen.peer), bytes = std::to_string(each.seen.bytes);
        if (each.seen.what == What::sent) return "until rank " + peer + " receives " + bytes + " bytes" + where;
        return "for " + bytes + " bytes from rank " + peer + where;
    }
    return "for others" + where;
}

void RankJob::leave(Picoseconds now) {
    if (watcher_ != nullptr && activity().kind != Do::compute) tell(now);
    if (!is_started_only(activity().kind))
        requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(own_requests_), requests_.end());
    for (const std::size_t at : waited_) requests_[at].is_over = true;
    waited_.clear();
    while (!requests_.empty() && requests_.back().is_over) requests_.pop_back();
    call_.reset();
    is_inside_ = false;
    if (++next_ < activities_.size()) return;
    next_ = 0;
    ++step_;
    std::ranges::fill(calls_in_step_, 0U);
}

void RankJob::tell(Picoseconds now) {
    const Do kind = activity().kind;
    const bool completes = kind == Do::waitall || kind == Do::wait;
    std::vector<MessageSeen> messages;
    const auto add = [&](const Request& request) {
        MessageSeen seen = request.seen;
        if (kind == Do::irecv) seen.what = What::posted;
        const bool was_told = request.is_over || (completes && seen.what == What::sent);
        if (!was_told) messages.push_back(seen);
    };
    for (const std::size_t at : waited_) add(requests_[at]);
    for (std::size_t at = own_requests_; at < requests_.size(); ++at) add(requests_[at]);
    const bool is_in_collective = call_.has_value();
    const auto communicator = static_cast<std::size_t>(activity().communicator);
    const std::uint32_t ordinal = is_in_collective ? calls_[communicator] - 1 : 0;
    watcher_->called({rank_, &activity(), ordinal, entry_, now, messages});
}

}  // namespace clearway::simulator
