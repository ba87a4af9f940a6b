#include "recorder/readings.hpp"

namespace clearway::recorder {

std::uint32_t thin_readings(Reading* readings, std::uint32_t number) {
    const std::uint32_t odd = number % 2;  // the newest always stays
    const std::uint32_t left = number / 2 + odd;
    for (std::uint32_t i = 0; i < left; ++i) {
        const std::uint32_t from = 2 * i + 1 - odd;
        if (from == i) continue;
        Reading reading = readings[from];
        const std::uint64_t ticks = reading.ticks;
        reading.ticks = 0;
        __atomic_store_n(&readings[i].ticks, 0, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        readings[i] = reading;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        __atomic_store_n(&readings[i].ticks, ticks, __ATOMIC_RELEASE);
    }
    return left;
}

}  // namespace clearway::recorder
