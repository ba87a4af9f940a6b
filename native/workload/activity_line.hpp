// One activity as it stands in a Script: `send +1 40000 tag 7 comm pme`.
#pragma once

#include <string>
#include <string_view>

#include "workload/script.hpp"
#include "workload/words.hpp"

namespace clearway::workload {

// Before it is known whose: peers may be relative to the rank.
struct ActivityLine {
    Activity activity;
    bool is_peer_relative = false, is_from_relative = false;
    std::string communicator = "world";
    std::vector<std::uint64_t> counts;
};

std::string_view name_of(ActivityKind kind);

// The name of a kind, and what stands behind it.
std::string usage_of(std::string_view name);

// Empty, or what is wrong.
std::string parse_activity(const Words& words, ActivityLine& line);

}  // namespace clearway::workload
