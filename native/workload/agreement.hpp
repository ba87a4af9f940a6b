// Would the ranks of a Script understand each other?
#pragma once

#include <string>

#include "workload/script.hpp"

namespace clearway::workload {

// Empty where every message is received in the size that it is sent, no request is left open, and the members of
// each communicator make the same calls on it; else the first thing that is wrong.
std::string disagreement(const Script& script);

}  // namespace clearway::workload
