// A candidate that a person or a benchmark forces upon every call.
#pragma once

#include "schedule/candidate.hpp"

namespace clearway::collectives {

// Null: the selector chooses. At first from CLEARWAY_FLOW_ALGORITHM; a text there that names no candidate is told
// once, by rank 0, and ignored. A candidate stays good for ever.
const schedule::Candidate* forced_candidate();

// From the next call on: "" or null for the selector's choice, else a candidate's text (candidate.hpp). Returns false,
// and changes nothing, where the text names none.
bool force(const char* text);

}  // namespace clearway::collectives
