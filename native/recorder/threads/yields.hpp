// Threads that ask again and again, with sched_yield, whether there is something to do. OpenBLAS starts one for each
// core when it is loaded: each asks for some tens of milliseconds, and sleeps until the program needs it, if ever.
#pragma once

#include <cstdint>

namespace clearway::recorder {

// Whether a thread that had so much processor time has done nothing else with it so far, and for a moment only: who
// asks for longer keeps a core from others, whatever it asks for.
bool only_asked(unsigned tid, std::uint64_t cpu_ns);

}  // namespace clearway::recorder
