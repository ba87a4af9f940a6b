// How many threads are at work at once: a look at all of them at a random moment of a period.
#pragma once

#include <cstdint>

#include "run_record/layout.hpp"

namespace clearway::recorder {

// `main_busy`: the main thread, `main_tid`, runs or is ready to, at `place`. With many threads not each call looks, so
// that the cost stays what it is with few.
void look_at_others(Place place, unsigned main_tid, bool main_busy);

}  // namespace clearway::recorder
