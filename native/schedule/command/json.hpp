// Schedules and the table of algorithms as JSON; python/clearway/schedule/native.py reads it.
#pragma once

#include <cstdio>

#include "schedule/schedule.hpp"

namespace clearway::schedule {

void print_algorithms(std::FILE* out);

void print_schedule(const Schedule& schedule, bool with_messages, bool with_check, std::FILE* out);

}  // namespace clearway::schedule
