// The last step of every account: the call into its cell, and as an event.
#pragma once

#include "recorder/mpi/account.hpp"
#include "run_record/layout.hpp"

namespace clearway::recorder {

void book(Call& call, std::uint16_t comm, std::int32_t peer, Volume volume);

// All of the event but for `tag`, `seq` and `commit`.
EventRecord event_of(const Call& call, EventKind kind, std::uint16_t comm, std::int32_t peer, std::uint64_t bytes);

}  // namespace clearway::recorder
