// Single calls, for the split between waiting and moving data. See EventRecord in layout.hpp for which are kept.
#pragma once

#include <cstdint>

#include "recorder/mpi/messages.hpp"
#include "run_record/layout.hpp"

namespace clearway::recorder {

struct EventWindow {
    std::uint64_t begin_ticks, end_ticks;  // of the window of realtime that `selected` speaks of
    std::uint64_t long_ticks;              // calls longer than this are always kept
    bool selected;
};
extern EventWindow event_window;

void begin_events();
void enter_event_window(std::uint64_t ticks);
void store_event(EventRecord& event);

// Sets right what the record says of a posted receive that was cancelled, and of those behind it.
void withdraw_events(const Posted& posted);

// Whether a call that ended just now is to be kept: its window is selected, or it was long. Threads may race for
// the window's edges: the worst is one event kept too much or too little.
inline bool keeps_event(std::uint64_t entry_ticks, std::uint64_t exit_ticks) {
    if (exit_ticks - event_window.begin_ticks >= event_window.end_ticks - event_window.begin_ticks) [[unlikely]]
        enter_event_window(exit_ticks);
    return event_window.selected || exit_ticks - entry_ticks > event_window.long_ticks;
}

}  // namespace clearway::recorder
