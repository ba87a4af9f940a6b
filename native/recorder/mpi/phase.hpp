// MPI_Pcontrol: by it a program may say which part of its work begins.
#pragma once

#include <cstdint>

namespace clearway::recorder {

extern std::int32_t program_phase;    // the number last passed to it
extern std::uint32_t program_phases;  // how often it was called

}  // namespace clearway::recorder
