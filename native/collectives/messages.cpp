#include "collectives/messages.hpp"

namespace clearway {

using schedule::Action;

Message open_message(const Memory& memory, const schedule::Step& step) {
    const schedule::Range slots = step.action == Action::send ? step.reads : step.writes;
    Message message;
    message.bytes = memory.bytes_of(slots);
    message.data = memory.contiguous(slots);
    if (message.data != nullptr || message.bytes == 0) return message;
    message.staging.reset(new std::byte[message.bytes]);
    message.data = message.staging.get();
    if (step.action == Action::send) memory.gather(slots, message.data);
    return message;
}

void close_message(const Memory& memory, const schedule::Step& step, Message& message) {
    if (message.staging == nullptr) return;
    if (step.action == Action::receive) memory.scatter(message.data, step.writes);
    message.staging.reset();
}

}  // namespace clearway
