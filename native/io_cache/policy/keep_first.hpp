// What came first stays until its file is deleted, but for one frame through which passes what must be in memory. The
// optimum for one file that is scanned again and again; wrong for programs that move on to other data.
#pragma once

#include "io_cache/policy/policy.hpp"

namespace clearway::io_cache {

class KeepFirst final : public Policy {
public:
    bool allocate(std::uint32_t) { return true; }

    void insert(FrameId frame, RecordKey) override { latest_ = frame; }
    void touch(FrameId) override {}
    FrameId victim(RecordKey, bool must, Pins pins) override {
        return must && latest_ != kNoFrame && pins[latest_] == 0 ? latest_ : kNoFrame;
    }
    void evict(FrameId frame) override { latest_ = latest_ == frame ? kNoFrame : latest_; }
    void forget(FrameId frame) override { evict(frame); }

private:
    FrameId latest_ = kNoFrame;
};

}  // namespace clearway::io_cache
