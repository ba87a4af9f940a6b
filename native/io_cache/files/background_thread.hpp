// A thread that lets files go when somebody outside wants them, writes back those that were closed, and keeps the
// record in the Run directory up to date. It starts with the first file and sleeps almost always.
#pragma once

namespace clearway::io_cache {

// Its thread id; starts it where it does not run yet. 0 where it cannot be started.
int background_thread();
bool has_background_thread();

// It leaves, where no file is in the cache any more, and none is to enter. Waits for that, but not for ever: the kernel
// gives some things to a process of one thread only.
void end_background_thread();

// In a forked child, which has none.
void forget_background_thread();

}  // namespace clearway::io_cache
