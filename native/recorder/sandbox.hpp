// The program forbids itself system calls: see preload/sandbox.hpp.
#pragma once

namespace clearway::recorder {

// Once it did, or is about to: then none may be made that it does not make itself. In a child of vfork, which has its
// parent's memory, the parent counts as such a one, too.
extern bool in_sandbox [[gnu::visibility("hidden")]];

// Whether a filter is in force, whoever set it.
bool has_filter();

// Whether one that the program was about to set is in force by now: who gives up rights for good (bwrap) may set none.
// Asked with what each program's loader does, which a filter lets pass if programs can be started behind it.
bool is_filtered();

}  // namespace clearway::recorder
