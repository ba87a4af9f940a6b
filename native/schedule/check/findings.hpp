// Collects violations: of each fault the first few, for one mistake of an algorithm shows on a thousand ranks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "schedule/check.hpp"

namespace clearway::schedule {

class Findings {
public:
    bool empty() const { return violations_.empty(); }

    // `sentence` is a callable, so that no text is made for those that are only counted.
    template <typename Sentence>
    void add(Fault fault, Sentence&& sentence) {
        if (counts_[static_cast<std::size_t>(fault)]++ < kShown) violations_.push_back({fault, sentence()});
    }

    std::vector<Violation> finish() {
        for (std::uint32_t i = 0; i < kFaults; ++i) {
            if (counts_[i] <= kShown) continue;
            const auto fault = static_cast<Fault>(i);
            violations_.push_back({fault, std::to_string(counts_[i] - kShown) + " more of the kind '" +
                                              std::string(name_of(fault)) + "'"});
        }
        return std::move(violations_);
    }

private:
    static constexpr std::uint64_t kShown = 8;

    std::vector<Violation> violations_;
    std::uint64_t counts_[kFaults] = {};
};

}  // namespace clearway::schedule
