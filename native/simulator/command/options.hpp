// The command line of clearway-simulate.
#pragma once

#include "simulator/scenario.hpp"

namespace clearway::simulator {

enum class Parsed { simulate, done, wrong };

// What is wrong is told on stderr.
Parsed parse_options(char** arguments, Scenario& scenario);

}  // namespace clearway::simulator
