#include "bench/candidate.hpp"

#include <utility>

#include "mpi/loaded.hpp"

namespace clearway::bench {

// The MPI's own is called past the flow library, which would add its own cost to it.
Candidate::Candidate(std::string name, schedule::Operation operation)
    : name_(std::move(name)),
      entry_point_(name_ == "own" ? own_entry_point(mpi_name_of(operation))
                                  : clearway::entry_point(mpi_name_of(operation))) {}

bool Candidate::choose() const {
    if (entry_point_ == nullptr) return false;
    if (name_ == "own") return true;
    using Force = int (*)(const char*);
    static const auto force = reinterpret_cast<Force>(clearway::entry_point("clearway_flow_force"));
    return force != nullptr && force(learns() ? "" : name_.c_str()) == 0;
}

}  // namespace clearway::bench
