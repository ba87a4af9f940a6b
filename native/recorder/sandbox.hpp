// The program forbids itself system calls: see preload/sandbox.hpp.
#pragma once

namespace clearway::recorder {

// Once it did, or is about to: then none may be made that it does not make itself. In a child of vfork, which has its
// parent's memory, the parent counts as such a one, too.
extern bool in_sandbox [[gnu::visibility("hidden")]];

}  // namespace clearway::recorder
