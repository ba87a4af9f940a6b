// Which algorithms MPI libraries choose for the operations on vectors. MPICH's: Thakur, Rabenseifner and Gropp (2005,
// Int J High Perform Comput Appl 19:49) and its source. Open MPI's: what coll/tuned of 4.1 has built in for operations
// that commute; of its trees only the binomial one is here, and its reduce followed by a bcast is recursive doubling.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schedule/algorithms.hpp"

namespace clearway::simulator {

enum class Library : std::uint8_t { mpich, open_mpi };

// "mpich", "openmpi".
std::optional<Library> find_library(std::string_view name);

const schedule::Algorithm& usual_algorithm(Library library, schedule::Operation operation, std::uint32_t ranks,
                                           std::uint64_t bytes);

}  // namespace clearway::simulator
