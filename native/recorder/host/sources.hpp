// The parts of a host's and a process's description, a file each.
#pragma once

#include "recorder/host/counter_set.hpp"

namespace clearway::recorder {

void describe_tcp();
void sample_tcp(CounterSet& counters);

void describe_interfaces();
void sample_interfaces(CounterSet& counters);

void describe_rdma();

void describe_topology();
void sample_frequency(CounterSet& counters);

void describe_mounts();

void describe_page_faults();

void describe_environment();

void describe_batch();  // into the host file

void describe_cgroup();
void sample_cgroup(CounterSet& counters);

void describe_launcher();
void sample_launcher(CounterSet& counters);  // into the host file

void sample_helpers(CounterSet& counters);  // into the host file

void describe_other_jobs();
void sample_other_jobs(CounterSet& counters);  // into the host file

void sample_own_processors(CounterSet& counters);

void sample_memory_nodes(CounterSet& counters);

}  // namespace clearway::recorder
