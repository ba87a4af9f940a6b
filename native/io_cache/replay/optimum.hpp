// Belady's optimum (1966): what is used again latest goes. It knows the whole trace beforehand.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "io_cache/policy/policy.hpp"

namespace clearway::io_cache {

class Optimum final : public Policy {
public:
    // `next` as of next_uses(); `now` is the step at which the replay is.
    Optimum(std::uint32_t frames, const std::vector<std::uint32_t>& next, const std::size_t& now)
        : next_(next), now_(now), next_of_(frames + 1) {}

    void insert(FrameId frame, RecordKey) override { set(frame); }
    void touch(FrameId frame) override {
        forget(frame);
        set(frame);
    }
    FrameId victim(RecordKey, bool must, Pins) override {
        const auto [next, frame] = *order_.rbegin();
        return must || next > next_[now_] ? frame : kNoFrame;
    }
    void evict(FrameId frame) override { forget(frame); }
    void forget(FrameId frame) override { order_.erase({next_of_[frame], frame}); }

private:
    void set(FrameId frame) {
        next_of_[frame] = next_[now_];
        order_.insert({next_of_[frame], frame});
    }

    const std::vector<std::uint32_t>& next_;
    const std::size_t& now_;
    std::vector<std::uint32_t> next_of_;
    std::set<std::pair<std::uint32_t, FrameId>> order_;
};

}  // namespace clearway::io_cache
