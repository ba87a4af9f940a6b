// A Program made ready to be run again and again.
#pragma once

#include <cstdint>
#include <utility>

#include "schedule/engine/step_order.hpp"
#include "schedule/schedule.hpp"

namespace clearway::schedule {

struct Runnable {
    Program program;
    StepOrder order;
    Separation separation;
};

inline Runnable make_runnable(Program program, std::uint32_t phases, const Separation& separation) {
    StepOrder order = order_of(program, phases);
    return {std::move(program), std::move(order), separation};
}

}  // namespace clearway::schedule
