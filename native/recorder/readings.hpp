// What the main thread's times had come to, every now and then: the slices of the job's time.
#pragma once

#include <cstdint>

#include "run_record/layout.hpp"

namespace clearway::recorder {

// Takes a reading when one is due: each period at first, and half as often each time there is no room for more. Called
// by the sampler; the calls of the job cost nothing for it.
void read_now_and_then(std::uint64_t period_ns);

// The last one, when the sampler has stopped.
void read_last();

// Makes room: of each pair the later one stays. A reading holds what had been by then, so no second is lost with one
// that goes. Who reads the file meanwhile finds some twice and none half written, if it passes over those of no ticks.
// Returns how many are left.
template <class Element>
std::uint32_t thin_readings(Element* readings, std::uint32_t number);

}  // namespace clearway::recorder
