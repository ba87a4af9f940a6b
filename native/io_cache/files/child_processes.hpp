// Before a child process begins. What it may have open leaves the cache, for both sides share it; so does what nobody
// has open, which it may open without waiting. At the rest it may look by its name.
#pragma once

namespace clearway::io_cache {

void before_shell();                     // system, popen: what lasts through exec
void before_spawn();                     // posix_spawn: that, and what file actions put at another number
void before_vfork();                     // all: the child puts descriptors where it likes before exec
void before_clone(unsigned long flags);  // of clone(2)

// The program lists `fd` in file actions, for some child to come.
void note_file_action(int fd);

}  // namespace clearway::io_cache
