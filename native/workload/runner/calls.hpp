// The MPI functions that a Script's activities are, as a program would reach them: through whatever was preloaded.
#pragma once

#include "mpi/loaded.hpp"
#include "workload/script.hpp"

namespace clearway::workload {

// The function of an activity; null where it has none, or the MPI has not.
void* function_of(ActivityKind kind);

// A communicator of these ranks of the world; every rank of the world calls it. What others get is of no use.
Arg make_communicator(const Communicator& communicator, int rank);

// Open requests, in the layout that this MPI's waitall wants.
class Requests {
public:
    explicit Requests(std::size_t most) : handles_(most) {}

    std::size_t size() const { return size_; }
    void* add() { return at(size_++); }
    void* all() { return handles_.data(); }
    void clear() { size_ = 0; }
    void* at(std::size_t index) {
        return reinterpret_cast<char*>(handles_.data()) + index * (abi.abi == Abi::mpich ? 4 : sizeof(Arg));
    }

private:
    std::vector<Arg> handles_;
    std::size_t size_ = 0;
};

}  // namespace clearway::workload
