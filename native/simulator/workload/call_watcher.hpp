// What a simulated job lets others see of its calls, when each has returned.
#pragma once

#include <cstdint>
#include <span>

#include "simulator/events/time.hpp"
#include "workload/script.hpp"

namespace clearway::simulator {

// One end of a message, as its call touched it.
struct MessageSeen {
    enum class What : std::uint8_t { sent, received, posted } what;
    std::uint32_t peer;  // in the world
    std::int32_t tag;
    std::uint32_t number;  // among those from or to this peer with this tag on this communicator
    std::uint64_t bytes;
};

struct CallSeen {
    std::uint32_t rank;
    const workload::Activity* activity;
    std::uint32_t ordinal;  // of a collective call, on its communicator since the job began
    Picoseconds entry, exit;
    std::span<const MessageSeen> messages;
};

struct CallWatcher {
    virtual void called(const CallSeen& call) = 0;

protected:
    ~CallWatcher() = default;
};

}  // namespace clearway::simulator
