#include "collectives/messages.hpp"

namespace clearway::collectives {

using schedule::Action;

namespace {

schedule::Range slots_of(const schedule::Step& step) { return step.action == Action::send ? step.reads : step.writes; }

}  // namespace

std::uint64_t staged_bytes(const Memory& memory, const schedule::Step& step) {
    if (step.action == Action::copy) {
        const bool is_direct = memory.contiguous(step.reads) != nullptr || memory.contiguous(step.writes) != nullptr;
        return is_direct ? 0 : memory.bytes_of(step.reads);
    }
    if (step.action == Action::join || memory.contiguous(slots_of(step)) != nullptr) return 0;
    return memory.bytes_of(slots_of(step));
}

Message open_message(const Memory& memory, const schedule::Step& step, std::byte* staging) {
    const schedule::Range slots = slots_of(step);
    Message message;
    message.bytes = memory.bytes_of(slots);
    message.data = memory.contiguous(slots);
    if (message.data != nullptr || message.bytes == 0) return message;
    message.is_staged = true;
    message.data = staging;
    if (step.action == Action::send) memory.gather(slots, message.data);
    return message;
}

void close_message(const Memory& memory, const schedule::Step& step, const Message& message) {
    if (message.is_staged && step.action == Action::receive) memory.scatter(message.data, message.bytes, step.writes);
}

}  // namespace clearway::collectives
