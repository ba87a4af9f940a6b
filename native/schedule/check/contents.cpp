#include "schedule/check/contents.hpp"

#include <algorithm>

namespace clearway::schedule {

namespace {

constexpr std::uint32_t kNothing = ~std::uint32_t{0};

std::string words_of_block(std::uint32_t block, std::uint32_t ranks, bool for_everybody) {
    std::string words = "rank " + std::to_string(block / ranks) + "'s block";
    return for_everybody ? words : words + " for rank " + std::to_string(block % ranks);
}

}  // namespace

Contents::Contents(const Schedule& schedule, Findings& findings)
    : schedule_(schedule),
      findings_(findings),
      ranks_(ranks_of(schedule.problem)),
      receive_(std::size_t{ranks_} * ranks_, kNothing) {
    scratch_.reserve(ranks_);
    for (const Program& program : schedule.programs) scratch_.emplace_back(program.scratch_slots, kNothing);
}

std::uint32_t Contents::block_of(std::uint32_t origin, std::uint32_t destination) const {
    return origin * ranks_ + (is_allgather(schedule_.problem.operation) ? 0 : destination);
}

void Contents::list_places(std::uint32_t rank, Range range, std::vector<Place>& places) const {
    places.clear();
    const Program& program = schedule_.programs[rank];
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
        const Slots& slots = program.slots[i];
        for (std::uint32_t slot = slots.first; slot < slots.first + slots.count; ++slot)
            if (const std::uint64_t bytes = bytes_of_slot(schedule_.problem, rank, slots.buffer, slot); bytes != 0)
                places.push_back({slots.buffer, slot, bytes});
    }
}

std::uint32_t& Contents::held(std::uint32_t rank, const Place& place) {
    return place.buffer == Buffer::scratch ? scratch_[rank][place.slot]
                                           : receive_[std::size_t{rank} * ranks_ + place.slot];
}

std::uint32_t Contents::read(StepId reader, const Place& place) {
    if (place.buffer == Buffer::send) return block_of(reader.rank, place.slot);
    const std::uint32_t block = held(reader.rank, place);
    if (block == kNothing)
        findings_.add(Fault::unset, [&] {
            return words_of(schedule_, reader) + " reads slot " + std::to_string(place.slot) + " of its " +
                   (place.buffer == Buffer::scratch ? "scratch" : "receive") + " buffer before anything is there";
        });
    return block;
}

void Contents::write(StepId writer, const Place& place, std::uint32_t block) {
    std::uint32_t& slot = held(writer.rank, place);
    if (place.buffer == Buffer::receive && slot != kNothing)
        findings_.add(Fault::twice, [&] {
            return words_of(schedule_, writer) + " writes again where rank " + std::to_string(place.slot) +
                   "'s block was put before";
        });
    slot = block;
}

void Contents::move(StepId from, StepId into) {
    list_places(from.rank, step_at(schedule_, from).reads, read_places_);
    list_places(into.rank, step_at(schedule_, into).writes, written_places_);
    const std::size_t blocks = std::min(read_places_.size(), written_places_.size());
    bool same_sizes = read_places_.size() == written_places_.size();
    std::vector<std::uint32_t> moving(blocks);
    for (std::size_t i = 0; i < blocks; ++i) {
        same_sizes = same_sizes && read_places_[i].bytes == written_places_[i].bytes;
        moving[i] = read(from, read_places_[i]);
    }
    for (std::size_t i = 0; i < blocks; ++i) write(into, written_places_[i], moving[i]);
    if (!same_sizes)
        findings_.add(Fault::size, [&] {
            return "the blocks of " + words_of(schedule_, from) + " do not fit the slots that take them";
        });
}

void Contents::compare_with_promise() {
    const bool for_everybody = is_allgather(schedule_.problem.operation);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
        for (std::uint32_t origin = 0; origin < ranks_; ++origin) {
            if (bytes_of_block(schedule_.problem, origin, rank) == 0) continue;
            const std::uint32_t found = receive_[std::size_t{rank} * ranks_ + origin];
            const std::uint32_t wanted = block_of(origin, rank);
            if (found == wanted) continue;
            if (found == kNothing) {
                findings_.add(Fault::missing, [&] {
                    return words_of_block(wanted, ranks_, for_everybody) + " never arrives" +
                           (for_everybody ? " at rank " + std::to_string(rank) : "");
                });
            } else {
                findings_.add(Fault::misplaced, [&] {
                    return "rank " + std::to_string(rank) + " has " + words_of_block(found, ranks_, for_everybody) +
                           " where " + words_of_block(wanted, ranks_, for_everybody) + " belongs";
                });
            }
        }
}

}  // namespace clearway::schedule
