// The keeper: a thread that lets files go when somebody outside wants them, writes back those that were closed, and
// keeps the record up to date. It starts with the first file and sleeps almost always.
#pragma once

namespace clearway::io_cache {

// Its thread id; 0 where it cannot be started.
int keeper_thread();
bool has_keeper();

// In a forked child, which has none.
void forget_keeper();

}  // namespace clearway::io_cache
