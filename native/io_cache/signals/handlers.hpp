// The program's signal handlers. The kernel calls one of ours in their place, which asks whether the signal has to wait
// (defer.hpp) and then calls the program's; whoever asks for the handler gets the program's.
#pragma once

#include <csignal>

namespace clearway::io_cache {

// As sigaction(2).
int change_handler(int signal, const struct sigaction* wanted, struct sigaction* before);

// Whether this thread is in a handler of the program: what is not safe there (malloc, a new thread) has to wait. May
// say so for a while after a handler was left by longjmp.
bool in_handler();

// In a forked child, whose parent's threads may have been changing handlers.
void forget_changes();

}  // namespace clearway::io_cache
