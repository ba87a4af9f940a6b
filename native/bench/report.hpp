// What rank 0 prints: JSON objects, a line each, marked so that they can be told from what else a job prints.
#pragma once

#include "bench/hosts.hpp"
#include "bench/measure.hpp"
#include "bench/options.hpp"

namespace clearway::bench {

void print_job(const Options& options, const World& world, const Hosts& hosts);
void print_point(const Point& point);
void print_end();

}  // namespace clearway::bench
