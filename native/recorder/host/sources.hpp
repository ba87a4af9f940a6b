// The parts of a host's description, a file each.
#pragma once

#include "recorder/host/counter_set.hpp"

namespace clearway {

void describe_tcp();
void sample_tcp(CounterSet& counters);

void describe_interfaces();
void sample_interfaces(CounterSet& counters);

}  // namespace clearway
