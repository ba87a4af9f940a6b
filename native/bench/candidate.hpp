// What is measured: the MPI's own algorithm, the flow library's choice, or one of its algorithms.
#pragma once

#include <string>

#include "bench/collective_call.hpp"

namespace clearway::bench {

class Candidate {
public:
    Candidate(std::string name, schedule::Operation operation);

    const std::string& name() const { return name_; }

    // False where the flow library is not there, or does not know this candidate.
    bool choose() const;

    void* entry_point() const { return entry_point_; }

    // Whether the flow library chooses, and may have to find out first.
    bool learns() const { return name_ == "flow"; }

private:
    std::string name_;
    void* entry_point_;
};

}  // namespace clearway::bench
