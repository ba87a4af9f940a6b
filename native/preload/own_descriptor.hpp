// Where our own descriptors are in nobody's way.
#pragma once

namespace clearway {

// A copy of `fd`, closed on exec, beyond the program's soft limit; -1 where there is none. `most` is how many of them
// we have at a time, `highest` how far their numbers may go where the limit is no limit.
int copy_out_of_the_way(int fd, unsigned long most, unsigned long highest);

// In a forked child: another thread may have been about it.
void forget_turn();

}  // namespace clearway
