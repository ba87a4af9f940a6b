// A communicator that is being freed. The program's delete callbacks for its attributes run meanwhile, and may call
// collectives on it: these are done like those of the ranks that made them before they came here.
#pragma once

#include "collectives/group.hpp"

namespace clearway::collectives {

class CommBeingFreed {
public:
    explicit CommBeingFreed(Arg comm);
    ~CommBeingFreed();
    CommBeingFreed(const CommBeingFreed&) = delete;
    CommBeingFreed& operator=(const CommBeingFreed&) = delete;
};

// The group of a communicator that this thread is freeing; null where it frees no such communicator.
Group* group_being_freed(Arg comm);

}  // namespace clearway::collectives
