// Single calls, for the split between waiting and moving data. See EventRecord in layout.hpp for which are kept.
#pragma once

#include <cstdint>

#include "run_record/layout.hpp"

namespace clearway {

struct EventWindow {
    std::uint64_t begin_ticks, end_ticks;  // of the window of realtime that `selected` speaks of
    std::uint64_t long_ticks;              // calls longer than this are always kept
    bool selected;
};
extern EventWindow event_window;

void begin_events();
void enter_event_window(std::uint64_t ticks);
void store_event(EventRecord& event);

// Keeps the event if its window is selected or if it is long. Threads may race for the window's edges: the
// worst is one event kept too much or too little.
inline void keep_event(EventRecord event) {
    if (event.exit_ticks - event_window.begin_ticks >= event_window.end_ticks - event_window.begin_ticks) [[unlikely]]
        enter_event_window(event.exit_ticks);
    if (event_window.selected || event.exit_ticks - event.entry_ticks > event_window.long_ticks) store_event(event);
}

}  // namespace clearway
