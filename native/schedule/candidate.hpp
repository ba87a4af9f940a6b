// One way a collective may go: the MPI's own, or an algorithm with a separation.
//
// As text: "own", or ALGORITHM[+GATE[:WINDOW]][,chunk:BYTES][,pace:BYTES_PER_S], such as "ordered", "ordered+barrier",
// "pairwise+token:12000,chunk:8000".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schedule/algorithms.hpp"
#include "schedule/separation.hpp"

namespace clearway::schedule {

struct Candidate {
    const Algorithm* algorithm = nullptr;  // null: the MPI's own
    Separation separation;

    bool is_own() const { return algorithm == nullptr; }
    bool operator==(const Candidate&) const = default;
};

// Returns false, and leaves `candidate` alone, where the text names none.
bool parse(std::string_view text, Candidate& candidate);

std::string text_of(const Candidate& candidate);

}  // namespace clearway::schedule
