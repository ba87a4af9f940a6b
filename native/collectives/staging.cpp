#include "collectives/staging.hpp"

#include <algorithm>

namespace clearway::collectives {

using schedule::Action;
using schedule::Step;

Staging::Place Staging::place_of(const Step& step, const SlotMemory& memory) {
    if (step.action == Action::join || step.action == Action::reduce) return {};
    Place place{memory.stretch_of(step.action == Action::receive ? step.writes : step.reads)};
    place.is_staged = place.data == nullptr && place.bytes != 0;
    if (step.action == Action::copy && place.is_staged) {
        const Stretch target = memory.stretch_of(step.writes);
        place.is_staged = target.data == nullptr || target.bytes < place.bytes;
    }
    return place;
}

Staging::Staging(const schedule::Runnable& runnable, const SlotMemory& memory)
    : steps_(runnable.program.steps), memory_(memory), places_(steps_.size()) {
    std::vector<std::uint64_t> in_phase(runnable.order.phases(), 0);
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const std::uint32_t phase = steps_[i].phase;
        Place& place = places_[i] = place_of(steps_[i], memory);
        if (!place.is_staged) continue;
        place.offset = in_phase[phase];
        in_phase[phase] += place.bytes;
        most_[phase % 2] = std::max(most_[phase % 2], in_phase[phase]);
    }
}

void Staging::use(std::byte* room) {
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (Place& place = places_[i]; place.is_staged)
            place.data = room + place.offset + (steps_[i].phase % 2 == 0 ? 0 : most_[0]);
}

void Staging::open(std::uint32_t step) const {
    const Place& place = places_[step];
    if (place.is_staged && steps_[step].action == Action::send) memory_.gather(steps_[step].reads, place.data);
}

void Staging::close(std::uint32_t step) const {
    const Place& place = places_[step];
    if (place.is_staged && steps_[step].action == Action::receive) memory_.scatter(place, steps_[step].writes);
}

void Staging::copy(std::uint32_t step) const {
    memory_.copy(steps_[step].reads, steps_[step].writes, places_[step].data);
}

}  // namespace clearway::collectives
