// Jumps out of calls. A program may leave a call that we record without returning from it: its handler of a signal or
// of an MPI error jumps (longjmp) or throws. What the thread's state says of the call must end then, or nothing more
// would be recorded.
#pragma once

namespace clearway::recorder {

// Finds libc's functions behind the doors of longjmp: a signal handler, where the doors are used, must not search.
void find_jumps();

// For the function that calls the real one: exceptions that pass through its frame end the call. This library is built
// without exceptions, and no frame of its own has anything else to clean up.
[[gnu::always_inline]] inline void end_call_when_unwound() {
    asm volatile(".cfi_personality 0x1b, clearway_unwound");  // DW_EH_PE_pcrel | DW_EH_PE_sdata4
}

}  // namespace clearway::recorder
