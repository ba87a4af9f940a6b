#include "workload/activity_line.hpp"

#include <climits>

namespace clearway::workload {

namespace {

// What stands behind a kind's name, a letter a word: p peer, b bytes, f the peer it receives from, B how much,
// r root, t nanoseconds, * bytes for each rank, w requests.
struct Form {
    std::string_view name;
    ActivityKind kind;
    std::string_view words;
};

constexpr Form kForms[] = {
    {"compute", ActivityKind::compute, "t"},     {"send", ActivityKind::send, "pb"},
    {"recv", ActivityKind::recv, "pb"},          {"isend", ActivityKind::isend, "pb"},
    {"irecv", ActivityKind::irecv, "pb"},        {"waitall", ActivityKind::waitall, ""},
    {"wait", ActivityKind::wait, "w"},           {"sendrecv", ActivityKind::sendrecv, "pbfB"},
    {"alltoall", ActivityKind::alltoall, "b"},   {"alltoallv", ActivityKind::alltoallv, "*"},
    {"allgather", ActivityKind::allgather, "b"}, {"allgatherv", ActivityKind::allgatherv, "*"},
    {"allreduce", ActivityKind::allreduce, "b"}, {"reduce", ActivityKind::reduce, "rb"},
    {"bcast", ActivityKind::bcast, "rb"},        {"barrier", ActivityKind::barrier, ""},
};

constexpr int kMostTag = 32767;  // that every MPI must allow
constexpr std::uint64_t kMostBytes = INT_MAX;

const Form* form_of(std::string_view name) {
    for (const Form& form : kForms)
        if (form.name == name) return &form;
    return nullptr;
}

bool is_message(const Form& form) { return form.words.starts_with('p'); }
bool is_started(const Form& form) { return form.kind == ActivityKind::isend || form.kind == ActivityKind::irecv; }
bool is_list(const Form& form) { return form.words == "*" || form.words == "w"; }
bool is_call(const Form& form) {
    return form.kind != ActivityKind::compute && form.kind != ActivityKind::waitall && form.kind != ActivityKind::wait;
}

bool to_bytes(std::string_view word, std::uint64_t& bytes) {
    return to_number<std::uint64_t>(word, 0, kMostBytes, bytes);
}

bool to_peer(std::string_view word, int& peer, bool& is_relative) {
    is_relative = word.starts_with('+') || word.starts_with('-');
    if (word.starts_with('+')) word.remove_prefix(1);
    return to_number(word, is_relative ? -INT_MAX : 0, INT_MAX, peer);
}

bool take(char letter, std::string_view word, ActivityLine& line) {
    Activity& activity = line.activity;
    switch (letter) {
        case 't':
            return to_number<std::uint64_t>(word, 0, INT64_MAX, activity.duration_ns);
        case 'p':
            return to_peer(word, activity.peer, line.is_peer_relative);
        case 'f':
            return to_peer(word, activity.from, line.is_from_relative);
        case 'r':
            return to_number(word, 0, INT_MAX, activity.peer);
        case 'b':
            return to_bytes(word, activity.bytes);
        case 'B':
            return to_bytes(word, activity.from_bytes);
        default:
            return to_bytes(word, line.counts.emplace_back());
    }
}

// Takes `tag N`, `request N` and `comm NAME` off the end. Empty, or what is wrong.
std::string take_options(const Form& form, Words& words, ActivityLine& line) {
    while (words.size() > 2) {
        const std::string_view option = words[words.size() - 2], value = words.back();
        if (option == "tag" && is_message(form)) {
            if (!to_number(value, 0, kMostTag, line.activity.tag))
                return quoted(value) + " is not a tag from 0 to 32767";
        } else if (option == "request" && is_started(form)) {
            if (!to_number(value, 0, INT_MAX, line.activity.request))
                return quoted(value) + " is no number of a request";
        } else if (option == "comm" && is_call(form)) {
            line.communicator = value;
        } else {
            break;
        }
        words.resize(words.size() - 2);
    }
    return {};
}

}  // namespace

std::string_view name_of(ActivityKind kind) {
    for (const Form& form : kForms)
        if (form.kind == kind) return form.name;
    return {};
}

std::string usage_of(std::string_view name) {
    const Form* form = form_of(name);
    if (form == nullptr) {
        std::string names = "one of:";
        for (const Form& each : kForms) names.append(" ").append(each.name);
        return names;
    }
    std::string usage(name);
    for (const char letter : form->words) {
        usage += letter == 'p'   ? " PEER"
                 : letter == 'f' ? " FROM"
                 : letter == 'r' ? " ROOT"
                 : letter == 't' ? " NANOSECONDS"
                 : letter == '*' ? " BYTES BYTES …, one for each rank"
                 : letter == 'w' ? " REQUEST REQUEST …, as isend and irecv name them"
                                 : " BYTES";
    }
    if (is_message(*form)) usage += " [tag N]";
    if (is_started(*form)) usage += " [request N]";
    if (is_call(*form)) usage += " [comm NAME]";
    return usage;
}

std::string parse_activity(const Words& all_words, ActivityLine& line) {
    const Form* form = form_of(all_words[0]);
    if (form == nullptr) return quoted(all_words[0]) + " is not an activity";
    line.activity.kind = form->kind;
    Words words = all_words;
    if (std::string fault = take_options(*form, words, line); !fault.empty()) return fault;
    words.erase(words.begin());
    if (is_list(*form) ? words.empty() : words.size() != form->words.size())
        return quoted(form->name) +
               (words.size() < form->words.size() ? " needs another value" : " has too many values");
    for (std::size_t i = 0; i < words.size(); ++i)
        if (!take(form->words[is_list(*form) ? 0 : i], words[i], line))
            return quoted(words[i]) + " is not a valid value for " + std::string(form->name);
    return {};
}

}  // namespace clearway::workload
