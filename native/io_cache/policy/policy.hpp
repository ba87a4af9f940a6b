// Which record leaves when another needs its room. The mechanism is the pool's; a policy only chooses.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "io_cache/policy/frame.hpp"

namespace clearway::io_cache {

// Frames in use at this moment (pins[frame] != 0) may not be chosen.
using Pins = const std::uint16_t*;

class Policy {
public:
    virtual ~Policy() = default;

    // The record `key` has come into `frame`.
    virtual void insert(FrameId frame, RecordKey key) = 0;

    // The record in `frame` was used again.
    virtual void touch(FrameId frame) = 0;

    // Whose record should go for `incoming`: kNoFrame means that all frames are pinned, or that it is better not to
    // keep `incoming`, which is not for a policy to say where it `must` be. Only chooses: `evict` follows if the record
    // goes.
    virtual FrameId victim(RecordKey incoming, bool must, Pins pins) = 0;

    // All its records have gone; its number may be another file's next.
    virtual void note_drop(std::uint32_t /*file*/) {}

    virtual void evict(FrameId frame) = 0;

    // The record is gone for good: its file was deleted, or cut.
    virtual void forget(FrameId frame) = 0;
};

// By its name: null where that is not known, or there is no memory.
std::unique_ptr<Policy> make_policy(std::string_view name, std::uint32_t frames);

}  // namespace clearway::io_cache
