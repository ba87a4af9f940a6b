// Which block stands in which slot of which rank: the bytes of a Schedule's run, as symbols.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/check/parts.hpp"
#include "schedule/check/values.hpp"
#include "schedule/schedule.hpp"

namespace clearway::schedule {

class Contents {
public:
    Contents(const Schedule& schedule, Findings& findings);

    // What `from` reads comes to stand where `into` writes; for a copy both are the same step.
    void move(StepId from, StepId into);

    // What the step reads is combined with what stands where it writes.
    void reduce(StepId id);

    // Every block must have arrived where it belongs, and have every rank's part.
    void compare_with_promise();

private:
    struct Place {
        Buffer buffer;
        std::uint32_t slot;
        std::uint64_t bytes;
    };
    void list_places(std::uint32_t rank, Range range, std::vector<Place>& places) const;
    bool list_both(StepId from, StepId into);
    std::uint32_t& held(std::uint32_t rank, const Place& place);
    std::uint32_t read(StepId reader, const Place& place);
    void write(StepId writer, const Place& place, std::uint32_t value);
    std::uint32_t combine(StepId id, std::uint32_t a, std::uint32_t b);
    bool is_whole(std::uint32_t value) const;
    bool is_promised(std::uint32_t rank, std::uint32_t slot, std::uint32_t value) const;
    std::uint32_t block_promised(std::uint32_t rank, std::uint32_t slot) const;
    std::string words_of_block(std::uint32_t value) const;
    void compare_moved(std::uint32_t rank, std::uint32_t slot);
    void compare_combined(std::uint32_t rank, std::uint32_t slot);

    const Schedule& schedule_;
    Findings& findings_;
    const Operation operation_;
    Values values_;
    std::vector<std::vector<std::uint32_t>> receive_;  // by rank
    std::vector<std::vector<std::uint32_t>> scratch_;  // by rank
    std::vector<Place> read_places_;                   // kept between calls for their memory
    std::vector<Place> written_places_;
};

}  // namespace clearway::schedule
