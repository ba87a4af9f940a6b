// What a message is, and by what it meets its receive.
#pragma once

#include <cstdint>

namespace clearway::simulator {

enum class MessageKind : std::uint8_t {
    eager,    // a message, whole
    request,  // of a rendezvous: there is a message
    grant,    // its receive is posted
    body,     // the message
    whole,    // it has come (MpiSettings::confirms_bodies)
    last,     // the sender has heard that, and the message is the receive's
    leave,    // schedule/neighbour_leaves.hpp
    credit,   // schedule/engine/credits.hpp
    barrier,
};

// A message and a receive meet where their contexts are equal: those of one collective call, or of one tag on one
// communicator. `subject` comes back to the rank that gave it.
struct Label {
    std::uint32_t context;
    std::uint32_t subject;
};

}  // namespace clearway::simulator
