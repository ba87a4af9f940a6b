// A communicator that is being freed. The program's delete callbacks for its attributes run meanwhile, and may call
// collectives on it: these are done like those of the ranks that made them before they came here.
#pragma once

#include "collectives/group.hpp"

namespace clearway::collectives {

class Farewell {
public:
    explicit Farewell(Arg comm);
    ~Farewell();
    Farewell(const Farewell&) = delete;
    Farewell& operator=(const Farewell&) = delete;
};

// The group of a communicator that this thread is freeing; null where it frees no such communicator.
Group* leaving_group(Arg comm);

}  // namespace clearway::collectives
