// Single calls, for the split between waiting and moving data. See EventRecord in layout.hpp for which are kept.
#pragma once

#include <atomic>
#include <cstdint>

#include "recorder/lock.hpp"
#include "recorder/mpi/messages.hpp"
#include "run_record/layout.hpp"

namespace clearway::recorder {

struct EventWindow {
    std::uint64_t begin_ticks, end_ticks;  // of the window of realtime that `selected` speaks of
    std::uint64_t long_ticks;              // calls longer than this are always kept
    bool selected;
};
extern EventWindow event_window [[gnu::visibility("hidden")]];

void begin_events();
void enter_event_window(std::uint64_t ticks);

// Sets right what the record says of a posted receive that was cancelled, and of those behind it if there are any.
void withdraw_events(const Posted& posted, bool are_others_behind);

// Whether a call that ended just now is to be kept: its window is selected, or it was long. Threads may race for
// the window's edges: the worst is one event kept too much or too little.
inline bool keeps_event(std::uint64_t entry_ticks, std::uint64_t exit_ticks) {
    if (exit_ticks - event_window.begin_ticks >= event_window.end_ticks - event_window.begin_ticks) [[unlikely]]
        enter_event_window(exit_ticks);
    return event_window.selected || exit_ticks - entry_ticks > event_window.long_ticks;
}

// The newest segment, as long as there is room in it.
struct EventRoom {
    EventRecord *first, *next, *end;
    std::uint32_t* count;
};
extern EventRoom event_room [[gnu::visibility("hidden")]];
extern SpinLock events_lock [[gnu::visibility("hidden")]];
void store_elsewhere(EventRecord event);

// Events are passed by value, and stored here, so that they are made where they will stay.
[[gnu::always_inline]] inline void store_next(EventRecord* slot, EventRecord event) {
    event.commit = kEventCommitted;
    *slot = event;
    std::atomic_signal_fence(std::memory_order_release);  // a jump leaves no part of an event behind
    event_room.next = slot + 1;
    __atomic_store_n(event_room.count, static_cast<std::uint32_t>(slot + 1 - event_room.first), __ATOMIC_RELEASE);
}

[[gnu::always_inline]] inline void store_event(EventRecord event) {
    {
        const ThreadsGuard guard(events_lock);
        EventRecord* const slot = event_room.next;
        if (slot < event_room.end) [[likely]]
            return store_next(slot, event);
    }
    store_elsewhere(event);
}

}  // namespace clearway::recorder
