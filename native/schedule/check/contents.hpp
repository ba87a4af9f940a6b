// Which block stands in which slot of which rank: the bytes of a Schedule's run, as symbols.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/check/parts.hpp"
#include "schedule/schedule.hpp"

namespace clearway::schedule {

class Contents {
public:
    Contents(const Schedule& schedule, Findings& findings);

    // What `from` reads comes to stand where `into` writes; for a copy both are the same step.
    void move(StepId from, StepId into);

    // Every block must have arrived where it belongs.
    void compare_with_promise();

private:
    struct Place {
        Buffer buffer;
        std::uint32_t slot;
        std::uint64_t bytes;
    };
    void list_places(std::uint32_t rank, Range range, std::vector<Place>& places) const;
    std::uint32_t& held(std::uint32_t rank, const Place& place);
    std::uint32_t read(StepId reader, const Place& place);
    void write(StepId writer, const Place& place, std::uint32_t block);
    std::uint32_t block_of(std::uint32_t origin, std::uint32_t destination) const;

    const Schedule& schedule_;
    Findings& findings_;
    const std::uint32_t ranks_;
    std::vector<std::uint32_t> receive_;               // ranks × ranks
    std::vector<std::vector<std::uint32_t>> scratch_;  // by rank
    std::vector<Place> read_places_;                   // kept between calls for their memory
    std::vector<Place> written_places_;
};

}  // namespace clearway::schedule
