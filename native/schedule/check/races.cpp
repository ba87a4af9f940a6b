// Steps of a rank that no chain of `after` puts in order may run side by side, or in either order: then neither may
// write what the other uses; nor may a step overlap itself. Order that comes about only through other ranks' messages
// does not count.
#include <cstdint>

#include "schedule/check/parts.hpp"

namespace clearway::schedule {

namespace {

// For each step the set of the steps before it, as bits.
class Order {
public:
    explicit Order(const Program& program) : words_((program.steps.size() + 63) / 64) {
        bits_.assign(words_ * program.steps.size(), 0);
        for (std::size_t index = 0; index < program.steps.size(); ++index) {
            const Range after = program.steps[index].after;
            for (std::uint32_t i = after.first; i < after.first + after.count; ++i) {
                const std::uint32_t earlier = program.after[i];
                for (std::size_t word = 0; word <= earlier / 64; ++word)
                    bits_[index * words_ + word] |= bits_[earlier * words_ + word];
                bits_[index * words_ + earlier / 64] |= std::uint64_t{1} << (earlier % 64);
            }
        }
    }

    bool is_before(std::uint32_t earlier, std::uint32_t later) const {
        return (bits_[later * words_ + earlier / 64] >> (earlier % 64) & 1) != 0;
    }

private:
    std::size_t words_;
    std::vector<std::uint64_t> bits_;
};

constexpr std::uint32_t kNoWriter = ~std::uint32_t{0};

// Who used a slot since it was last written.
struct Use {
    std::uint32_t writer = kNoWriter;
    std::vector<std::uint32_t> readers;
};

class RaceSearch {
public:
    RaceSearch(const Schedule& schedule, std::uint32_t rank, Findings& findings)
        : schedule_(schedule),
          program_(schedule.programs[rank]),
          rank_(rank),
          findings_(findings),
          order_(program_),
          receive_(slots_in(schedule.problem, program_, Buffer::receive)),
          scratch_(program_.scratch_slots) {}

    void search() {
        for (std::uint32_t index = 0; index < program_.steps.size(); ++index) {
            const Step& step = program_.steps[index];
            for_each_slot(step.reads, [&](Use& use) {
                compare(use.writer, index);
                use.readers.push_back(index);
            });
            for_each_slot(step.writes, [&](Use& use) {
                compare(use.writer, index);
                for (const std::uint32_t reader : use.readers) compare(reader, index);
                use.writer = index;
                use.readers.clear();
            });
        }
    }

private:
    // Nobody writes the send buffer, and empty slots hold nothing to race for.
    template <typename Visit>
    void for_each_slot(Range range, Visit&& visit) {
        for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
            const Slots& slots = program_.slots[i];
            if (slots.buffer == Buffer::send) continue;
            std::vector<Use>& uses = slots.buffer == Buffer::receive ? receive_ : scratch_;
            for (std::uint32_t slot = slots.first; slot < slots.first + slots.count; ++slot)
                if (bytes_of_slot(schedule_.problem, rank_, slots.buffer, slot) != 0) visit(uses[slot]);
        }
    }

    void compare(std::uint32_t earlier, std::uint32_t later) {
        if (earlier == kNoWriter || order_.is_before(earlier, later)) return;
        findings_.add(Fault::race, [&] {
            if (earlier == later) return words_of(schedule_, {rank_, later}) + " writes a slot that it also uses";
            return words_of(schedule_, {rank_, earlier}) + " and " + words_of(schedule_, {rank_, later}) +
                   " use the same slot in no fixed order";
        });
    }

    const Schedule& schedule_;
    const Program& program_;
    const std::uint32_t rank_;
    Findings& findings_;
    const Order order_;
    std::vector<Use> receive_;
    std::vector<Use> scratch_;
};

}  // namespace

void check_races(const Schedule& schedule, Findings& findings) {
    for (std::uint32_t rank = 0; rank < schedule.programs.size(); ++rank) RaceSearch(schedule, rank, findings).search();
}

}  // namespace clearway::schedule
