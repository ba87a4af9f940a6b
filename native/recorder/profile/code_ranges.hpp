// Which file an instruction is of.
#pragma once

#include <cstdint>

namespace clearway::recorder {

// The number of the CodeRange that has this address, which is put on record if it is new; kNoRange where none has it.
std::uint32_t code_range_of(std::uint64_t address);

}  // namespace clearway::recorder
