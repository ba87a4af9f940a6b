// What came first stays until its file is deleted. The optimum for one file that is scanned again and again; wrong
// for programs that move on to other data.
#pragma once

#include "io_cache/policy/policy.hpp"

namespace clearway::io_cache {

class KeepFirst final : public Policy {
public:
    bool allocate(std::uint32_t) { return true; }

    void enter(FrameId, RecordKey) override {}
    void touch(FrameId) override {}
    FrameId victim(RecordKey, Pins) override { return kNoFrame; }
    void evict(FrameId) override {}
    void forget(FrameId) override {}
};

}  // namespace clearway::io_cache
