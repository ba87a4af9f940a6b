// For tests: a trial on several ranks in virtual time. What a call takes is told to them, the agreement is the largest
// of their figures, and after every call all ranks must stand alike.
#pragma once

#include <gtest/gtest.h>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "collectives/trial.hpp"

namespace clearway::collectives {

inline constexpr std::uint64_t kMs = 1'000'000;

inline std::vector<schedule::Candidate> candidates(const std::vector<std::string>& texts) {
    std::vector<schedule::Candidate> made(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_TRUE(parse(texts[i], made[i])) << texts[i];
    return made;
}

// Begins with the first of these where the MPI's own may jam, and otherwise with that one.
inline Trial trial_of(const std::vector<std::string>& texts, bool may_jam,
                      const std::vector<std::uint32_t>& expected_percent = {}) {
    const auto first = static_cast<std::uint32_t>(may_jam ? 0 : texts.size() - 1);
    return make_trial(
        candidates(texts),
        {.began = Beginning::guess, .first = first, .may_jam = may_jam, .expected_percent = expected_percent});
}

// What a call takes on a rank: by candidate and number of the call.
using Time = std::function<std::uint64_t(const std::string& way, std::uint32_t call, std::uint32_t rank)>;

class Job {
public:
    Job(const Trial& trial, std::uint32_t ranks) : trials_(ranks, trial) {}

    void run(std::uint32_t calls, const Time& time) {
        for (std::uint32_t i = 0; i < calls; ++i) call(time);
    }

    std::string way() const { return text_of(trials_[0].tried[trials_[0].current].candidate); }
    const Trial& trial() const { return trials_[0]; }
    std::uint32_t calls_of(const std::string& way) const { return ways_.contains(way) ? ways_.at(way) : 0; }
    std::uint32_t agreements() const { return agreements_; }
    std::uint64_t elapsed_ns() const { return elapsed_ns_; }

private:
    void call(const Time& time) {
        const std::string way = this->way();
        ++ways_[way];
        std::uint64_t slowest = 0, figure = 0;
        std::uint32_t asking = 0;
        for (std::uint32_t rank = 0; rank < trials_.size(); ++rank) {
            Trial& trial = trials_[rank];
            ASSERT_EQ(text_of(trial.tried[trial.current].candidate), way) << "rank " << rank;
            const std::uint64_t took = time(way, calls_, rank);
            slowest = std::max(slowest, took);
            if (trial.unwatched_calls != 0) {
                --trial.unwatched_calls;
            } else if (note(trial, took)) {
                ++asking;
                figure = std::max(figure, trial.offered_ns);
            }
        }
        ++calls_;
        elapsed_ns_ += slowest;
        ASSERT_TRUE(asking == 0 || asking == trials_.size()) << asking << " ranks wait for the others";
        if (asking == 0) return;
        ++agreements_;
        for (Trial& trial : trials_) {
            trial.offered_ns = figure;
            agreed(trial);
        }
    }

    std::vector<Trial> trials_;
    std::map<std::string, std::uint32_t> ways_;
    std::uint32_t calls_ = 0, agreements_ = 0;
    std::uint64_t elapsed_ns_ = 0;
};

}  // namespace clearway::collectives
