// What fork does to the cache. Both sides have the kernel's view of all files, and nobody is in the middle of anything.
#pragma once

namespace clearway::io_cache {

void before_fork();
void after_fork_in_parent();
void after_fork_in_child();

}  // namespace clearway::io_cache
