#include "schedule/check/contents.hpp"

#include <algorithm>

namespace clearway::schedule {

namespace {

std::string rank_name(std::uint32_t rank) { return "rank " + std::to_string(rank); }

}  // namespace

Contents::Contents(const Schedule& schedule, Findings& findings)
    : schedule_(schedule), findings_(findings), operation_(schedule.problem.operation), values_(schedule.problem) {
    receive_.reserve(schedule.programs.size());
    scratch_.reserve(schedule.programs.size());
    for (const Program& program : schedule.programs) {
        receive_.emplace_back(slots_in(schedule.problem, program, Buffer::receive), kNothing);
        scratch_.emplace_back(program.scratch_slots, kNothing);
    }
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

// Those that are read and those that are written, whether or not they fit, as many as both have.
bool Contents::list_both(StepId from, StepId into) {
    list_places(from.rank, step_at(schedule_, from).reads, read_places_);
    list_places(into.rank, step_at(schedule_, into).writes, written_places_);
    const bool fit = std::ranges::equal(read_places_, written_places_, {}, &Place::bytes, &Place::bytes);
    const std::size_t both = std::min(read_places_.size(), written_places_.size());
    read_places_.resize(both);
    written_places_.resize(both);
    return fit;
}

std::uint32_t& Contents::held(std::uint32_t rank, const Place& place) {
    return (place.buffer == Buffer::scratch ? scratch_ : receive_)[rank][place.slot];
}

std::uint32_t Contents::read(StepId reader, const Place& place) {
    if (place.buffer == Buffer::send) return values_.own(reader.rank, place.slot);
    const std::uint32_t value = held(reader.rank, place);
    if (value == kNothing)
        findings_.add(Fault::unset, [&] {
            return words_of(schedule_, reader) + " reads slot " + std::to_string(place.slot) + " of its " +
                   (place.buffer == Buffer::scratch ? "scratch" : "receive") + " buffer before it is written";
        });
    return value;
}

// Of a reduction the receive buffer may hold parts of the result for a while.
void Contents::write(StepId writer, const Place& place, std::uint32_t value) {
    std::uint32_t& slot = held(writer.rank, place);
    const bool is_over =
        is_reduction(operation_) ? slot != kNothing && is_promised(writer.rank, place.slot, slot) : slot != kNothing;
    if (place.buffer == Buffer::receive && is_over)
        findings_.add(Fault::twice, [&] {
            const std::string words = words_of(schedule_, writer) + " writes again where ";
            if (is_on_vector(operation_)) return words + "block " + std::to_string(place.slot) + " was put before";
            return words + rank_name(place.slot) + "'s block was put before";
        });
    slot = value;
}

void Contents::move(StepId from, StepId into) {
    const bool fit = list_both(from, into);
    std::vector<std::uint32_t> moving(read_places_.size());
    for (std::size_t i = 0; i < moving.size(); ++i) moving[i] = read(from, read_places_[i]);
    for (std::size_t i = 0; i < moving.size(); ++i) write(into, written_places_[i], moving[i]);
    if (!fit)
        findings_.add(Fault::size, [&] {
            return "the blocks of " + words_of(schedule_, from) + " do not fit the slots that take them";
        });
}

void Contents::reduce(StepId id) {
    if (!list_both(id, id))
        findings_.add(Fault::size, [&] {
            return "the blocks of " + words_of(schedule_, id) + " do not fit the slots that take them";
        });
    for (std::size_t i = 0; i < read_places_.size(); ++i) {
        const std::uint32_t value = read(id, read_places_[i]);
        const std::uint32_t other = read(id, written_places_[i]);
        if (value != kNothing && other != kNothing) held(id.rank, written_places_[i]) = combine(id, value, other);
    }
}

// Whoever has heard twice of a rank at a barrier has heard of it.
std::uint32_t Contents::combine(StepId id, std::uint32_t a, std::uint32_t b) {
    if (values_.block_of(a) != values_.block_of(b))
        findings_.add(Fault::misplaced, [&] {
            return words_of(schedule_, id) + " combines block " + std::to_string(values_.block_of(a)) + " with block " +
                   std::to_string(values_.block_of(b));
        });
    const Values::Combination combination = values_.combine(a, b);
    if (combination.twice != kNothing && operation_ != Operation::barrier)
        findings_.add(Fault::twice, [&] {
            return words_of(schedule_, id) + " adds " + rank_name(combination.twice) + "'s part of block " +
                   std::to_string(values_.block_of(a)) + " again";
        });
    return combination.value;
}

bool Contents::is_whole(std::uint32_t value) const {
    const auto ranks = values_.ranks_of(value);
    return ranks.size() == 1 && ranks[0].begin == 0 && ranks[0].end == schedule_.programs.size();
}

std::uint32_t Contents::block_promised(std::uint32_t rank, std::uint32_t slot) const {
    return block_in(schedule_.problem, rank, Buffer::receive, slot);
}

bool Contents::is_promised(std::uint32_t rank, std::uint32_t slot, std::uint32_t value) const {
    if (is_reduction(operation_)) return values_.block_of(value) == block_promised(rank, slot) && is_whole(value);
    return value ==
           (operation_ == Operation::bcast ? values_.own(schedule_.problem.root, slot) : values_.own(slot, rank));
}

std::string Contents::words_of_block(std::uint32_t value) const {
    const std::uint32_t block = values_.block_of(value);
    if (is_on_vector(operation_)) return "block " + std::to_string(block);
    const std::string words = rank_name(values_.ranks_of(value)[0].begin) + "'s block";
    return is_allgather(operation_) ? words : words + " for " + rank_name(block);
}

void Contents::compare_moved(std::uint32_t rank, std::uint32_t slot) {
    const std::uint32_t found = receive_[rank][slot];
    const std::uint32_t wanted =
        operation_ == Operation::bcast ? values_.own(schedule_.problem.root, slot) : values_.own(slot, rank);
    if (found == wanted) return;
    const bool for_everybody = is_allgather(operation_) || operation_ == Operation::bcast;
    if (found == kNothing)
        return findings_.add(Fault::missing, [&] {
            return words_of_block(wanted) + " never arrives" + (for_everybody ? " at " + rank_name(rank) : "");
        });
    findings_.add(Fault::misplaced, [&] {
        return rank_name(rank) + " has " + words_of_block(found) + " where " + words_of_block(wanted) + " belongs";
    });
}

void Contents::compare_combined(std::uint32_t rank, std::uint32_t slot) {
    const std::uint32_t found = receive_[rank][slot];
    const std::string wanted = "block " + std::to_string(block_promised(rank, slot));
    if (found == kNothing)
        return findings_.add(Fault::missing, [&] { return wanted + " never arrives at " + rank_name(rank); });
    if (values_.block_of(found) != block_promised(rank, slot))
        return findings_.add(Fault::misplaced, [&] {
            return rank_name(rank) + " has " + words_of_block(found) + " where " + wanted + " belongs";
        });
    if (is_whole(found)) return;
    const Values::Ranks first = values_.ranks_of(found)[0];
    const std::uint32_t lacking = first.begin != 0 ? 0 : first.end;
    findings_.add(Fault::missing, [&] {
        return rank_name(lacking) + "'s part of " + wanted + " never enters what " + rank_name(rank) + " gets";
    });
}

void Contents::compare_with_promise() {
    for (std::uint32_t rank = 0; rank < receive_.size(); ++rank)
        for (std::uint32_t slot = 0; slot < receive_[rank].size(); ++slot) {
            if (bytes_of_slot(schedule_.problem, rank, Buffer::receive, slot) == 0) continue;
            is_reduction(operation_) ? compare_combined(rank, slot) : compare_moved(rank, slot);
        }
}

}  // namespace clearway::schedule
